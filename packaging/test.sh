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
red=()  # failed twice: where, and which
twice=() # failed beside others, passed alone

# tests LOG FLAG... -- PACKAGE: go test, and what failed once more alone.
tests() {
  local log=build/$1.log flags=() package names
  shift
  while [[ $1 != -- ]]; do flags+=("$1"); shift; done
  $go test "${flags[@]}" "$2" 2>&1 | tee "$log"
  ((PIPESTATUS[0])) || return 0
  packaging/failed.awk "$log" >"$log.failed"
  [[ -s $log.failed ]] || { failed=1; red+=("$2, see $log"); return; }
  while read -r package names; do
    echo "== once more, alone: $package $names"
    if $go test -count=1 "${flags[@]}" -run "$names" "$package" 2>&1 </dev/null | tee "$log.again"; ((PIPESTATUS[0])); then
      failed=1
      red+=("$package $names" "$(grep -vE '^(=== |ok|FAIL|PASS)' "$log.again" | tail -n 12)")
    else
      twice+=("$package $names")
    fi
  done <"$log.failed"
}

# What real end-to-end tests need.
if [[ $(id -u) == 0 ]]; then packaging/distribution.sh sqlite3 lammps openmpi-bin rpm libslurm-dev || failed=1; fi

echo "== the demo"
if command -v lmp >/dev/null; then
  packaging/demo/demo.sh "$bin" build/demo >build/demo.log 2>&1
  case $? in
    0) tail -n 1 build/demo.log ;;
    3) tail -n 1 build/demo.log ;; # proves nothing either way
    *) tail -n 60 build/demo.log; failed=1; red+=("the demo, see build/demo.log") ;;
  esac
else
  echo "demo NOT RUN (no LAMMPS: lammps is the package)"
fi

echo "== packages and programs"
JOBGAIT_CLUSTER=skip JOBGAIT_QEMU=skip JOBGAIT_BIN=$bin tests packages -- ./...

if [[ ${JOBGAIT_QEMU:-run} != skip ]]; then
  echo "== hardware counters, in virtual machines"
  GO=$go packaging/qemu/run.sh 2>&1 | tee build/qemu.log
  if ((PIPESTATUS[0])); then failed=1; red+=("hardware counters:" "$(grep -E -A4 -- '--- FAIL|NOT TESTED' build/qemu.log | tail -n 12)"); fi
else
  echo "hardware counters skipped (JOBGAIT_QEMU=skip)"
fi

if [[ $(id -u) == 0 && ${JOBGAIT_CLUSTER:-run} != skip ]]; then
  echo "== a real Slurm"
  JOBGAIT_CLUSTER=run JOBGAIT_BIN=$bin tests cluster -count=1 -timeout 20m -v -- ./packaging/testcluster
elif [[ ${JOBGAIT_CLUSTER:-} == skip ]]; then
  echo "cluster tests skipped (JOBGAIT_CLUSTER=skip)"
else
  echo "cluster tests NOT RUN (need root)"
  failed=1
fi
if ((${#twice[@]})); then printf 'failed beside others, passed alone: %s\n' "${twice[@]}"; fi
if ((${#red[@]})); then printf 'RED: %s\n' "${red[@]}"; fi
exit $failed
