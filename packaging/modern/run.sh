#!/usr/bin/env bash
# run.sh: jobgait on a virtual cluster of today's software (see doc.go), by stages.
#
#   run.sh [all]    image, boot, install, jobs, table, stop; ends the machines also
#                   where something fails or ^C is typed
#   run.sh image    the disk of the nodes, from packages; kept for the next time
#   run.sh boot     both nodes with new disks
#   run.sh install  what the README says, on them; again, for programs built anew
#   run.sh jobs     the jobs and checks; JOBS='TestJobs/together/mpi' runs some
#   run.sh table    the checks so far
#   run.sh stop     ends the machines
#   run.sh ssh N    a shell on node N
#
# Environment:
#   SUITE=trixie           Debian's release: trixie has Slurm 24.11, sid 26.05
#   JOBGAIT_MODERN_CACHE   the image and all else that this makes: 6 GB; default
#                          /var/tmp/jobgait-modern/$SUITE
#   JOBGAIT_MODERN_OLD     commit whose programs are upgraded during a job
# Needs root, and Debian's packages debootstrap, qemu-system-x86, qemu-utils, openssh-client.
set -uo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

SUITE=${SUITE:-trixie}
cache=${JOBGAIT_MODERN_CACHE:-/var/tmp/jobgait-modern/$SUITE}
# Each source tree has its own machines: trees may be tested side by side.
run=$cache/run-$(pwd -P | cksum | cut -d ' ' -f 1)

die() { echo "run.sh: $*" >&2; exit 1; }
say() { echo "$(date -u +%H:%M:%S)  $*"; }

# timed NAME COMMAND...: says how long it took and whether it worked.
timed() {
  local t=$SECONDS rc=0
  say "$1 ..."
  "${@:2}" || rc=$?
  say "$1: $((SECONDS - t)) s$( ((rc)) && echo ", FAILED ($rc)")"
  return "$rc"
}

image() {
  ../distribution.sh debootstrap qemu-system-x86 qemu-utils openssh-client iproute2 && timeout 9000 ./image.sh "$cache" "$SUITE"
}

boot() {
  local first
  stop
  rm -rf "$run"
  mkdir -p "$run" && ln -s "$cache" "$run/cache" || return
  ./machine.sh start "$cache" "$run" 1 & first=$!
  ./machine.sh start "$cache" "$run" 2 && wait "$first" && roles
}

roles() {
  local n
  for n in 1 2; do
    timeout 600 ssh -F "$run/ssh_config" "n$n" 'until systemctl is-active -q role; do ! systemctl is-failed -q role || exit 1; sleep 1; done' || return
  done
}

# tests PATTERN LIMIT
tests() {
  JOBGAIT_MODERN=$run "${GO:-go}" test -count=1 -timeout "$2" -run "$1" | grep --line-buffered -v -E '^(ok|PASS|FAIL)\b'
  return "${PIPESTATUS[0]}"
}

stop() {
  local n
  for n in 1 2; do ./machine.sh kill "$run" "$n"; done
}

all() {
  local rc=0
  trap stop EXIT
  trap 'exit 130' INT TERM HUP
  timed image image && timed boot boot && timed install tests TestInstall 30m || exit 1
  timed jobs tests "${JOBS:-TestJobs}" 60m || rc=1
  tests TestPrint 1m
  exit "$rc"
}

[[ $(id -u) == 0 ]] || die "needs root"
mkdir -p "$cache" || exit 1
stage=${1:-all}
if [[ $stage != table && $stage != ssh ]]; then
  exec 9>"$run.lock"
  flock -n 9 || die "another run of this tree is at work"
fi
# The lock is this shell's: machines outlive it.
{ case $stage in
  all) all ;;
  image) timed image image ;;
  boot) timed boot boot ;;
  install) timed install tests TestInstall 30m ;;
  jobs) timed jobs tests "${JOBS:-TestJobs}" 60m ;;
  table) tests TestPrint 1m ;;
  stop) stop ;;
  ssh) exec ssh -F "$run/ssh_config" "n$2" ;;
  *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' run.sh >&2; exit 2 ;;
esac; } 9>&-
