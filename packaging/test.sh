#!/usr/bin/env bash
# All tests: packages and programs everywhere, a real Slurm where this may be.
#
#   test.sh BIN     BIN has the built programs
#
# The cluster tests need root. Without it they are not run, and that is a
# failure unless JOBGAIT_CLUSTER=skip says that it is meant. So it is with the
# tests in virtual machines, which need an emulator and, once, a network, and
# JOBGAIT_QEMU=skip.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
bin=$(cd "$1" && pwd) || exit 1
go=${GO:-go}
failed=0
red=()  # failed: where, and which

# The build's -trimpath lets tests reuse the packages that the build has compiled. Omitting DWARF
# halves the time of linking a hundred test programs. go test would vet each package with a part of
# the checks that packaging/checks applies to the whole tree.
common_flags=(-trimpath -ldflags=-w -vet=off)

# tests LOG FLAG... -- PACKAGE...: go test, once. A test that fails is a failure.
tests() {
  local log=build/$1.log flags=("${common_flags[@]}")
  shift
  while [[ $1 != -- ]]; do flags+=("$1"); shift; done
  shift
  "${beside[@]}" $go test "${flags[@]}" "$@" 2>&1 | tee "$log"
  ((PIPESTATUS[0])) || return 0
  failures "$log"
}

# failures LOG: notes that tests failed, and which.
failures() {
  failed=1
  red+=("see $1" "$(grep -E '^(FAIL|--- FAIL)' "$1" | head -n 20)")
}

# The demo runs one program on one CPU for most of three minutes. What runs beside it yields to it: it needs
# neither a rate nor a share of a CPU to be right. Virtual machines count instructions, analyses only compute.
# The analyses also yield to the packages and programs, whose tests wait a fifth of their time.
yield=(nice -n 10)
beside=()

# Packages whose tests take longest, so that none of them runs alone at the end.
longest=(./reports/jobgait ./epilog/finish ./packaging/checks)

# Packages whose tests run alone, because beside others they fail for want of CPUs.
alone=(
  ./agent                # bounds on the agent's CPU time and on the loss of a kill; waits until an agent has found a process
  ./agent/counter/jobevent # compares clocks that leave out the end of a process, which takes longer beside other work
)

# Packages whose tests need a CPU, and leave the other to one of these: two run at once. The first takes a minute,
# during which the others follow each other.
pairs=(
  ./packaging/league     # a program that must get a CPU to have a rhythm
  ./agent/counter/gpu    # a bound on the reader's CPU time; distinguishes hangs from slow calls by time; mostly waits
  ./agent/counter/perf   # rates of events and of code addresses
  ./agent/counter/kernel # CPU time of processes that come and go, against that of wait4
)

# What real end-to-end tests need.
if [[ $(id -u) == 0 ]]; then packaging/distribution.sh sqlite3 lammps openmpi-bin rpm libslurm-dev || failed=1; fi

export JOBGAIT_BIN=$bin
demo=
if command -v lmp >/dev/null; then
  echo "== the demo begins, see build/demo.log"
  packaging/demo/demo.sh "$bin" build/demo >build/demo.log 2>&1 &
  demo=$!
  beside=("${yield[@]}")
else
  echo "demo NOT RUN (no LAMMPS: lammps is the package)"
fi

if [[ ${JOBGAIT_QEMU:-run} != skip ]]; then
  echo "== hardware counters, in virtual machines"
  GO=$go "${beside[@]}" packaging/qemu/run.sh 2>&1 | tee build/qemu.log
  if ((PIPESTATUS[0])); then failed=1; red+=("hardware counters:" "$(grep -E -A4 -- '--- FAIL|NOT TESTED' build/qemu.log | tail -n 12)"); fi
else
  echo "hardware counters skipped (JOBGAIT_QEMU=skip)"
fi

beside=()

echo "== the analyses begin, see build/analyses.log"
JOBGAIT_CLUSTER=skip JOBGAIT_QEMU=skip "${yield[@]}" $go test "${common_flags[@]}" -timeout 20m ./analysis/... \
  >build/analyses.log 2>&1 &
analyses=$!

if [[ $demo ]]; then
  wait "$demo"
  case $? in
    0) tail -n 1 build/demo.log ;;
    3) tail -n 1 build/demo.log ;; # proves nothing either way
    *) tail -n 60 build/demo.log; failed=1; red+=("the demo, see build/demo.log") ;;
  esac
fi

echo "== packages and programs"
mapfile -t parallel < <($go list "${longest[@]}" &&
  $go list ./... | grep -vxF "$($go list "${alone[@]}" "${pairs[@]}" "${longest[@]}" ./analysis/...)")
JOBGAIT_CLUSTER=skip JOBGAIT_QEMU=skip tests packages -- "${parallel[@]}"

wait "$analyses" || failures build/analyses.log
echo "== analyses"
cat build/analyses.log

echo "== packages and programs that need CPUs"
JOBGAIT_CLUSTER=skip JOBGAIT_QEMU=skip tests pairs -p 2 -- "${pairs[@]}"
JOBGAIT_CLUSTER=skip JOBGAIT_QEMU=skip tests alone -p 1 -- "${alone[@]}"

if [[ $(id -u) == 0 && ${JOBGAIT_CLUSTER:-run} != skip ]]; then
  echo "== a real Slurm"
  JOBGAIT_CLUSTER=run tests cluster -count=1 -timeout 20m -v -- ./packaging/testcluster
elif [[ ${JOBGAIT_CLUSTER:-} == skip ]]; then
  echo "cluster tests skipped (JOBGAIT_CLUSTER=skip)"
else
  echo "cluster tests NOT RUN (need root)"
  failed=1
fi
if ((${#red[@]})); then printf 'RED: %s\n' "${red[@]}"; fi
exit $failed
