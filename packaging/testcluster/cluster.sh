#!/usr/bin/env bash
# cluster.sh: a throw-away Slurm cluster of 1 to 4 nodes on this machine, with
# jobgait's hooks and its SPANK plugin installed.
#
#   cluster.sh up [PREFIX]      start it; returns when every node is idle
#   cluster.sh status [PREFIX]  its processes, nodes and jobs; 0 if all is well
#   cluster.sh env [PREFIX]     prints what a shell needs to use it:
#                               eval "$(cluster.sh env)"
#   cluster.sh down [PREFIX]    stops everything it started and removes
#                               everything it made
#
# Needs root, on Debian or a relative of it. Everything lies below PREFIX, a new
# directory in /tmp if none is given (the other verbs then take the one that was
# started last). It has its own key, ports, configuration and accounts, listens
# on loopback only, and starts no system service. It refuses where another
# slurmd runs.
#
# Environment:
#   NODES=4             nodes, named n1 ...
#   CPUS=2              CPUs of each, as Slurm is told, which are places for jobs
#   ACCOUNTING=1        with a slurmdbd and a database of its own
#   JOBGAIT_BIN=DIR     where jobgait, jobgait-agent, jobgait-prolog and
#                       jobgait-epilog are (default: build/bin)
set -uo pipefail
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin
unset SLURM_CONF

# A daemon that outlives its caller must not hold a file of it open, such as a lock. 255 is bash's own.
for fd in /proc/$$/fd/*; do
  fd=${fd##*/}
  ((fd <= 2 || fd == 255)) || eval "exec $fd>&-"
done
unset fd

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
last=$root/build/testcluster.prefix

die() { echo "cluster.sh: $*" >&2; exit 1; }
say() { echo "cluster.sh: $*"; }

. "$here/lib/prefix.sh"
. "$here/lib/processes.sh"
. "$here/lib/packages.sh"
. "$here/lib/accounts.sh"
. "$here/lib/slurm.sh"
. "$here/lib/accounting.sh"
. "$here/lib/jobgait.sh"
. "$here/lib/gpu.sh"

up() {
  local t0=$EPOCHREALTIME
  NODES=${NODES:-4}
  [[ $NODES == [1-4] ]] || die "NODES=$NODES: 1 to 4"
  CPUS=${CPUS:-2}
  jobgait_built
  refuse_others
  new_prefix "$1"
  install_packages
  make_accounts
  gpus_make
  slurm_configure
  gpus_configure
  jobgait_install
  gpus_install
  slurm_start
  slurm_wait_idle 60
  say "nodes n[1-$NODES] idle after $(seconds_since "$t0") s in $PREFIX"
  say_how_to_use
}

# say_how_to_use prints the commands that use and remove the cluster, for a user to copy.
say_how_to_use() {
  local user=${job_users[0]}
  say "to run a job as $user and read its report, type as root:"
  cat <<C
  eval "\$($here/cluster.sh env $PREFIX)"
  cd $PREFIX/home/$user
  sbatch --uid=$user --wait --wrap 'i=0; while [ \$i -lt 3000000 ]; do i=\$((i+1)); done'
  until cat jobgait-*.txt 2>/dev/null; do sleep 1; done
  jobgait list
C
  say "to remove it: $here/cluster.sh down $PREFIX"
}

status() {
  local rc=0
  marked || { say "nothing at $PREFIX"; return 1; }
  slurm_status || rc=1
  return "$rc"
}

down() {
  local t0=$EPOCHREALTIME
  marked || { say "nothing at $PREFIX"; return 0; }
  stop_processes
  remove_accounts
  gpus_remove
  remove_prefix
  say "removed $PREFIX after $(seconds_since "$t0") s"
}

verb=${1:-}
case $verb in
  up|down|status|env) ;;
  *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
esac
if [[ $verb != env && $(id -u) != 0 ]]; then die "$verb needs root"; fi
[[ $verb == up ]] || find_prefix "${2:-}"
case $verb in
  up) up "${2:-}" ;;
  down) down ;;
  status) status ;;
  env) marked || die "nothing at $PREFIX"; cat "$PREFIX/env.sh" ;;
esac
