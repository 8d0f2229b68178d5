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

# Packages that real end-to-end tests need, installed after saying so.
need() {
  local missing=() p
  for p in "$@"; do dpkg -s "$p" >/dev/null 2>&1 || missing+=("$p"); done
  ((${#missing[@]})) || return 0
  echo "jobgait: installing ${missing[*]} from the distribution's packages"
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

if [[ $(id -u) == 0 ]]; then need sqlite3 lammps openmpi-bin rpm libslurm-dev || failed=1; fi

echo "== the demo"
if command -v lmp >/dev/null; then
  packaging/demo/demo.sh "$bin" build/demo >build/demo.log 2>&1
  case $? in
    0) tail -n 1 build/demo.log ;;
    3) tail -n 1 build/demo.log ;; # proves nothing either way
    *) tail -n 60 build/demo.log; failed=1 ;;
  esac
else
  echo "demo NOT RUN (no LAMMPS: lammps is the package)"
fi

echo "== packages and programs"
JOBGAIT_CLUSTER=skip JOBGAIT_QEMU=skip JOBGAIT_BIN=$bin $go test ./... || failed=1

if [[ ${JOBGAIT_QEMU:-run} != skip ]]; then
  echo "== hardware counters, in virtual machines"
  GO=$go packaging/qemu/run.sh || failed=1
else
  echo "hardware counters skipped (JOBGAIT_QEMU=skip)"
fi

if [[ $(id -u) == 0 && ${JOBGAIT_CLUSTER:-run} != skip ]]; then
  echo "== a real Slurm"
  JOBGAIT_CLUSTER=run JOBGAIT_BIN=$bin $go test -count=1 -timeout 20m -v ./packaging/testcluster || failed=1
elif [[ ${JOBGAIT_CLUSTER:-} == skip ]]; then
  echo "cluster tests skipped (JOBGAIT_CLUSTER=skip)"
else
  echo "cluster tests NOT RUN (need root)"
  failed=1
fi
exit $failed
