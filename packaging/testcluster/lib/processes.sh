# Which processes are ours, and how they end: by pid, never by name alone.

# comm PID: prints the name of a process; fails if it is gone.
comm() { local c; read -r c 2>/dev/null <"/proc/$1/comm" && echo "$c"; }

# arguments PID: prints its command line, one argument a line.
arguments() { tr '\0' '\n' 2>/dev/null <"/proc/$1/cmdline"; }

# is_daemon PID: slurmctld or slurmd with our configuration, or our munged.
is_daemon() {
  arguments "$1" | grep -qxF -e "$PREFIX/etc/slurm.conf" -e "--key-file=$PREFIX/munge/munge.key"
}

# is_step PID: a slurmstepd of our nodes; slurmd tells it the configuration.
is_step() {
  tr '\0' '\n' 2>/dev/null <"/proc/$1/environ" | grep -qxF "SLURM_CONF=$PREFIX/etc/slurm.conf"
}

# is_installed PID: a program installed below our prefix.
is_installed() { [[ $(readlink "/proc/$1/exe" 2>/dev/null) == "$PREFIX"/* ]]; }

# is_accounting PID: our slurmdbd or its database.
is_accounting() { is_step "$1" || arguments "$1" | grep -qxF -e "--datadir=$PREFIX/mysql"; }

# processes: prints the pids of daemons, steps, hooks and agents of ours.
processes() {
  local dir pid name
  for dir in /proc/[0-9]*; do
    pid=${dir#/proc/}
    read -r name 2>/dev/null <"$dir/comm" || continue
    case $name in
      munged|slurmctld|slurmd) is_daemon "$pid" && echo "$pid" ;;
      slurmdbd|mariadbd) is_accounting "$pid" && echo "$pid" ;;
      slurmstepd*) is_step "$pid" && echo "$pid" ;;
      jobgait*) is_installed "$pid" && echo "$pid" ;;
    esac
  done
}

# children_of PID...: prints the pids given and all their descendants, but for those
# that have ended and that nobody takes note of: some machines' first process does not.
children_of() {
  (($#)) || return 0
  ps -eo pid=,ppid=,stat= | awk -v roots="$*" '
    { parent[$1] = $2; over[$1] = $3 ~ /^Z/ && $3 !~ /l/ } # l: a thread of it hangs
    END {
      n = split(roots, r, " "); for (i = 1; i <= n; i++) ours[r[i]] = 1
      for (more = 1; more;) {
        more = 0
        for (p in parent) if (!(p in ours) && (parent[p] in ours)) { ours[p] = 1; more = 1 }
      }
      for (p in ours) if (!over[p]) print p
    }'
}

# stop_processes ends everything, jobs included. SIGKILL: nothing here is worth
# the 7 s that slurmctld and slurmd take to end in order.
stop_processes() {
  local i pids
  for ((i = 0; i < 100; i++)); do
    pids=$(children_of $(processes) $(account_processes))
    [[ $pids ]] || return 0
    kill -KILL $pids 2>/dev/null
    sleep 0.05
  done
  die "processes that do not end: $(echo $pids)"
}

# refuse_others ends the script if any Slurm daemon runs: two clusters on one
# host would share node names, and the other might be somebody's production.
refuse_others() {
  local dir pid name conf
  for dir in /proc/[0-9]*; do
    pid=${dir#/proc/}
    read -r name 2>/dev/null <"$dir/comm" || continue
    [[ $name == slurmd || $name == slurmctld ]] || continue
    grep -q '^State:.Z' "$dir/status" 2>/dev/null && continue
    conf=$(arguments "$pid" | grep '/etc/slurm\.conf$')
    [[ $conf && -f ${conf%/etc/slurm.conf}/.jobgait-testcluster ]] &&
      die "a test cluster runs already; stop it with: $0 down ${conf%/etc/slurm.conf}"
    die "$name runs already (pid $pid): no test cluster beside another Slurm"
  done
}
