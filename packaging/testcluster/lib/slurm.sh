# Slurm itself: several slurmd on one host, each with its own name and port.

# free_ports N: prints the first of N successive ports that nobody listens on.
free_ports() {
  local used base port
  used=$(awk '$4 == "0A" { sub(/.*:/, "", $2); print $2 }' /proc/net/tcp /proc/net/tcp6 2>/dev/null)
  for ((base = 16817; base < 30000; base += 16)); do
    for ((port = base; port < base + $1; port++)); do
      grep -qi "^$(printf %04x "$port")$" <<<"$used" && continue 2
    done
    echo "$base"
    return 0
  done
  return 1
}

slurm_configure() {
  local port
  id slurm >/dev/null 2>&1 || die "the slurm packages made no account slurm"
  port=$(free_ports $((NODES + 3))) || die "no free ports"
  accounting_port=$((port + NODES + 1))
  install -d -m 755 "$PREFIX"/{etc,run,log,slurmd,munge}
  install -d -m 755 -o slurm "$PREFIX"/{run,log}/slurmctld
  install -d -m 700 -o slurm "$PREFIX/state"
  (umask 077; head -c 128 /dev/urandom >"$PREFIX/munge/munge.key")
  slurm_conf "$port" >"$PREFIX/etc/slurm.conf"
  # Slurm 22.05 asks for this file whatever plugins are chosen, and knows no
  # CgroupPlugin=disabled, without which later ones have systemd make a scope.
  if [[ $(slurmd -V) == *\ 22.* ]]; then :; else echo 'CgroupPlugin=disabled'; fi >"$PREFIX/etc/cgroup.conf"
  echo "optional $PREFIX/lib/jobgait.so" >"$PREFIX/etc/plugstack.conf"
  {
    echo "export SLURM_CONF='$PREFIX/etc/slurm.conf'"
    echo "export JOBGAIT_CONFIG='$PREFIX/etc/jobgait.toml'"
    echo "export PATH='$PREFIX/bin':\"\$PATH\""
  } >"$PREFIX/env.sh"
}

# slurm_conf PORT: prints slurm.conf. CPUS CPUs a node whatever the machine has,
# shared by core count, so that as many jobs fit on one. The timeouts are those of a
# loaded machine; KillWait is short because our jobs catch no signal. A requeued
# job waits until its old credential has expired: 20 s, not the usual 120.
slurm_conf() {
  local host n
  host=$(hostname -s)
  cat <<C
ClusterName=testcluster
SlurmctldHost=$host(127.0.0.1)
SlurmUser=slurm
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$PREFIX/run/munge.socket,cred_expire=20
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort=$1
SlurmctldPidFile=$PREFIX/run/slurmctld/slurmctld.pid
SlurmdPidFile=$PREFIX/run/slurmd-%n.pid
SlurmctldLogFile=$PREFIX/log/slurmctld/slurmctld.log
SlurmdLogFile=$PREFIX/log/slurmd-%n.log
StateSaveLocation=$PREFIX/state
SlurmdSpoolDir=$PREFIX/slurmd/%n
PlugStackConfig=$PREFIX/etc/plugstack.conf
Prolog=$PREFIX/libexec/jobgait/prolog
Epilog=$PREFIX/libexec/jobgait/epilog
MailProg=$PREFIX/libexec/jobgait/mail
PrologFlags=Alloc
PrologEpilogTimeout=60
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
$(accounting_select)
SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=0,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
InactiveLimit=0
KillWait=2
OverTimeLimit=0
SlurmdTimeout=300
MessageTimeout=60
MinJobAge=300
JobRequeue=1
C
  accounting_conf "$accounting_port"
  for ((n = 1; n <= NODES; n++)); do
    echo "NodeName=n$n NodeHostname=$host NodeAddr=127.0.0.1 Port=$(($1 + n)) CPUs=$CPUS RealMemory=1000 State=UNKNOWN"
  done
  echo "PartitionName=main Nodes=n[1-$NODES] Default=YES MaxTime=INFINITE State=UP"
}

# clean COMMAND...: with as little environment as a daemon needs, so that hooks
# meet what they meet under an init system.
clean() { (cd / && env -i PATH="$PATH" "$@") </dev/null >>"$PREFIX/log/start.log" 2>&1; }

slurm_start() {
  local n
  clean munged --key-file="$PREFIX/munge/munge.key" --socket="$PREFIX/run/munge.socket" \
    --pid-file="$PREFIX/run/munged.pid" --log-file="$PREFIX/log/munged.log" \
    --seed-file="$PREFIX/munge/munge.seed" || die "munged does not start, see $PREFIX/log"
  accounting_start "$accounting_port"
  clean slurmctld -f "$PREFIX/etc/slurm.conf" || die "slurmctld does not start, see $PREFIX/log"
  for ((n = 1; n <= NODES; n++)); do
    install -d -m 755 "$PREFIX/slurmd/n$n"
    clean slurmd -N "n$n" -f "$PREFIX/etc/slurm.conf" || die "slurmd n$n does not start, see $PREFIX/log"
  done
}

# slurm COMMAND...: a client command, which never hangs.
slurm() { SLURM_CONF=$PREFIX/etc/slurm.conf timeout 5 "$@" 2>/dev/null; }

# slurm_wait_idle S: polls until every node is idle, S seconds at the most.
slurm_wait_idle() {
  local t0=$SECONDS states
  while :; do
    states=$(slurm sinfo -h -N -o '%N %T')
    [[ $(grep -c ' idle$' <<<"$states") == "$NODES" ]] && return 0
    ((SECONDS - t0 < $1)) || break
    sleep 0.1
  done
  tail -n 3 "$PREFIX/log/slurmctld/slurmctld.log" "$PREFIX"/log/slurmd-n*.log >&2
  die "nodes not idle after $1 s: ${states:-slurmctld does not answer}"
}

slurm_status() {
  local pid have nodes
  nodes=$(grep -c ^NodeName= "$PREFIX/etc/slurm.conf")
  have=$(for pid in $(processes); do echo "$(comm "$pid") $pid"; done | sort)
  echo "prefix $PREFIX"
  echo "$have"
  slurm sinfo -N -o '%N %T %E' || return 1
  slurm squeue || return 1
  [[ $(grep -c '^slurmd ' <<<"$have") == "$nodes" ]]
}
