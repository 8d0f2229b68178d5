#!/bin/bash
# The most telling benchmarks, each once and briefly: make bench-quick.
#
# What a machine does in a second changes with its load: beside each figure stands how
# often SHA-256 of 256 MB fits into the time of one operation, measured before and
# after the benchmark. Compare these ratios, of the same machine and of quiet cores.
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
TIMEFORMAT='%U %S'

# yardstick prints the CPU time of that, in milliseconds.
yardstick() {
	{ time head -c 256M /dev/zero | sha256sum >/dev/null; } 2>&1 | awk '{ printf "%.0f\n", 1000 * ($1 + $2) }'
}

# figure PACKAGE BENCHMARK TIME UNIT WHAT prints one line for each benchmark that the
# pattern finds; a unit with a slash before seconds is a rate.
figure() {
	local binary=$dir/${1//\//_}.test before after
	[ -x "$binary" ] || "$go" test -c -o "$binary" "./$1"
	before=$(yardstick)
	(cd "$1" && "$binary" -test.run '^$' -test.bench "$2" -test.benchtime "$3") >"$dir/out" || { cat "$dir/out" >&2; exit 1; }
	after=$(yardstick)
	awk -v unit="$4" -v what="$5" -v ms="$before $after" '
		BEGIN { split(ms, y, " "); yard = (y[1] + y[2]) / 2000 }
		/^Benchmark/ { for (i = 3; i < NF; i += 2) if ($(i + 1) == unit) {
			s = $i
			if (unit == "ns/op") s = $i / 1e9
			if (unit == "ms/100runs") s = $i / 1e3
			if (unit == "cpu-ns/row") s = $i / 1e9
			if (unit ~ /cpu-s$/) s = 1 / $i
			name = $1; sub(/^Benchmark/, "", name); sub(/-[0-9]+$/, "", name)
			printf "%-46s %14s %-16s %12.4g\n", what " " name, $i, unit, s / yard; found = 1 } }
		END { if (!found) { print "no " unit " of " what; exit 1 } }' "$dir/out"
}

printf '%-46s %14s %-16s %12s\n' '' figure unit yardsticks
figure analysis/periodicity 'NEMO45min$' 2x cpu-s/op 'periods, 45 min:'
figure analysis/scaling 'Detect$' 10x detections/cpu-s 'scaling:'
figure analysis/changepoint 'Analyse$/^1000$' 3x ms/100runs 'changes:'
figure agent/profile 'Encode$' 3x cpu-ns/row 'profile, write:'
figure agent/profile 'Decode$' 3x MB/cpu-s 'profile, read:'
figure agent/sampler 'SecondOf128CPUs$' 20x ns/op "agent's tick:"
figure analysis/summary 'Merge$/^10000$' 1x ns/op 'merge:'
figure analysis/table 'DayOfCSV$' 1x CPU-s/op 'day of CSV:'
figure analysis/history 'History$/^(Put|Last200|JobByID)$' 200x ns/op 'history:'
echo "in $SECONDS s"
