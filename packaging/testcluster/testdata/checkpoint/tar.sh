# A solver that a script calls for 4 s at a time, and packs what it left after each call. Logs begin and end of each.
end=$(($(date +%s) + $1))
head -c 12000000 /dev/urandom >data
while [ "$(date +%s)" -lt "$end" ]; do
	gait 4 160 60
	begin=$(date +%s.%N)
	tar czf state.tar.gz data
	sync state.tar.gz
	echo "$begin $(date +%s.%N)" >>checkpoints
done
