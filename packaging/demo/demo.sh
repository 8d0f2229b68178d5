#!/usr/bin/env bash
# The demo: real LAMMPS melts under `jobgait run`, and a check of what it says.
#
#   demo.sh BIN DIR    BIN has the built programs; DIR is made anew for the runs
#
# Five sizes from 8,000 to 64,000 atoms; eight runs of one size whose last four
# use a longer cutoff, which makes each step slower; and a last run that draws
# its rebuild interval while this script runs. The period that jobgait finds for
# the last one must agree with LAMMPS's own log within 5 %, or the demo fails.
# Exit status: 0 agreed, 1 failed, 3 other work on this machine took more than a
# tenth of the last run's CPU each of three times, so that nothing is proved.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
bin=$(cd "$1" && pwd)
dir=$2
run_s=7        # seconds that each run is made to take
runs=14

die() { echo "demo: $*" >&2; exit 1; }

# Code addresses need perf: root, CAP_PERFMON or a low perf_event_paranoid.
check_perf() {
  local level
  level=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 4)
  if [[ $(id -u) != 0 && $level -gt 2 ]]; then
    die "perf is forbidden to users here (kernel.perf_event_paranoid = $level): run the demo as root, or \`sysctl kernel.perf_event_paranoid=2\` gives the period"
  fi
}

# melt ATOMS EVERY CUTOFF STEPS: variables of the input for a size.
melt() {
  local z
  case $1 in
    8000) z=5 ;; 16000) z=10 ;; 32000) z=20 ;; 48000) z=30 ;; 64000) z=40 ;;
    *) die "no box for $1 atoms" ;;
  esac
  echo "-in $here/melt.lammps -screen none -var x 20 -var y 20 -var z $z -var every $2 -var cutoff $3 -var steps $4"
}

# loop_s LOG: seconds of the main loop. ran_steps LOG: steps in it.
loop_s() { awk '/^Loop time of/ {print $4}' "$1"; }
ran_steps() { awk '/^Loop time of/ {print $9}' "$1"; }
# cpu_pct LOG: how much of a CPU the loop got, in percent.
cpu_pct() { awk '/% CPU use/ {printf "%d", $1}' "$1"; }

# calibrate prints microseconds per atom and step on this machine.
calibrate() {
  # shellcheck disable=SC2046
  OMP_NUM_THREADS=1 lmp $(melt 16000 20 2.5 60) -log "$dir/calibrate.log"
  awk -v s="$(loop_s "$dir/calibrate.log")" 'BEGIN {printf "%.4f", s / 60 / 16000 * 1e6}'
}

steps() { awk -v us="$us" -v n="$1" -v s="$run_s" 'BEGIN {printf "%d", s / (us * n) * 1e6}'; }

done_runs=0
progress() {
  local line
  line=$(printf 'demo: run %2d of %d, %d s: %s' $((done_runs + 1)) $runs "$SECONDS" "$*")
  if [[ -t 1 ]]; then printf '\r\033[K%s' "$line"; else echo "$line"; fi
}

# one NAME APP ATOMS EVERY CUTOFF: one run in a directory of its own.
one() {
  local to=$dir/$1
  progress "$3 atoms, cutoff $5"
  mkdir -p "$to"
  # shellcheck disable=SC2046
  (cd "$to" && OMP_NUM_THREADS=1 "$bin/jobgait" run --name "$1" --app "$2" --size "$3" -- \
    lmp $(melt "$3" "$4" "$5" "$(steps "$3")") -log log.lammps) 2>"$to/stderr" || {
    cat "$to/stderr" >&2
    die "run $1 failed, see $to"
  }
  done_runs=$((done_runs + 1))
}

# last_period is the period in seconds of the youngest run, "null" if none.
last_period() { "$bin/jobgait" list --json --limit 1 | sed -n 's/.*"period_s":\([^,}]*\).*/\1/p'; }

rm -rf "$dir"
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
export XDG_DATA_HOME=$dir/data XDG_STATE_HOME=$dir/state
command -v lmp >/dev/null || "$here/../distribution.sh" lammps || exit 1
check_perf
SECONDS=0
us=$(calibrate)

for atoms in 8000 16000 32000 48000 64000; do one "size-$atoms" melt-sizes $atoms 20 2.5; done
for i in 1 2 3 4; do one "day-$i" melt-days 32000 20 2.5; done
for i in 5 6 7 8; do one "day-$i" melt-days 32000 20 2.8; done
# The last run draws its interval now. Where other work took more than a tenth of
# its CPU its steps have no one length; then it draws again, twice at most.
for last in last last-again last-once-more; do
  every=$(shuf -i 14-30 -n 1)
  one $last melt-last 32000 "$every" 2.5
  cpu=$(cpu_pct "$dir/$last/log.lammps")
  [[ $cpu -lt 90 ]] || break
  [[ -t 1 ]] && echo
  echo "demo: other work left this run $cpu % of a CPU"
done
[[ -t 1 ]] && printf '\r\033[K'
[[ $cpu -ge 90 ]] || { echo "demo: NOT CHECKED: other programs used the CPUs, so that LAMMPS ran too unevenly to be compared; run it again when the machine is idle" >&2; exit 3; }

found=$(last_period)
log=$dir/$last/log.lammps
# The loop's time over the intervals in it, the last one in part: to count rebuilds
# only would make 21 of 21.2, and a truth that is up to 5 % too long.
truth=$(awk -v s="$(loop_s "$log")" -v n="$(ran_steps "$log")" -v e="$every" 'BEGIN {printf "%.4f", s * e / n}')
report=$(ls "$dir/$last"/jobgait-*.txt)
cat "$report"
echo
echo "demo: $runs runs in $SECONDS s; the page of this one: ${report%.txt}.html"
echo "demo: all of them: XDG_DATA_HOME=$XDG_DATA_HOME $bin/jobgait list"
awk -v f="$found" -v t="$truth" -v e="$every" 'BEGIN {
  if (f + 0 <= 0) { printf "demo: FAILED: no period found; the log of LAMMPS says %.4f s (a rebuild every %d steps)\n", t, e; exit 1 }
  off = 100 * (f - t) / t
  printf "demo: period found %.4f s; by the log of LAMMPS %.4f s (a rebuild every %d steps, drawn for this run): %+.1f %%\n", f, t, e, off
  if (off > 5 || off < -5) { print "demo: FAILED: more than 5 % off"; exit 1 }
}'
