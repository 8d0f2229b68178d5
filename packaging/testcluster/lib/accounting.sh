# Slurm's accounting, with ACCOUNTING=1: a MariaDB and a slurmdbd of the cluster's own, on loopback.

accounting_wanted() { [[ ${ACCOUNTING:-} == 1 ]]; }

# accounting_conf PORT: prints what slurm.conf needs; slurmdbd listens on the port. Jobs are polled every second, so
# that sacct has the memory of short ones.
accounting_conf() {
  accounting_wanted || { echo 'JobAcctGatherType=jobacct_gather/none'; return 0; }
  cat <<C
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$1
AccountingStoragePass=$PREFIX/run/munge.socket
AccountingStoreFlags=job_comment
C
}

# accounting_select: prints what Slurm allocates: with accounting also memory, because programs print its use.
accounting_select() {
  accounting_wanted || { echo 'SelectTypeParameters=CR_CPU'; return 0; }
  echo 'SelectTypeParameters=CR_CPU_Memory'
  echo 'DefMemPerCPU=100'
}

# accounting_start PORT: starts the database and slurmdbd, and makes the cluster and its users.
accounting_start() {
  local user
  accounting_wanted || return 0
  install -d -m 700 -o mysql "$PREFIX/mysql"
  install -d -m 755 -o mysql "$PREFIX/run/mysql"
  clean mariadb-install-db --no-defaults --user=mysql --datadir="$PREFIX/mysql" --skip-test-db ||
    die "the database cannot be made, see $PREFIX/log"
  (cd / && exec env -i PATH="$PATH" setsid mariadbd --no-defaults --user=mysql --datadir="$PREFIX/mysql" \
    --socket="$PREFIX/run/mysql/socket" --port=$(($1 + 1)) --bind-address=127.0.0.1 --skip-grant-tables \
    --pid-file="$PREFIX/run/mysql/pid") </dev/null >>"$PREFIX/log/start.log" 2>&1 &
  until_ok 30 port_open $(($1 + 1)) || die "the database does not start, see $PREFIX/log"
  (umask 077; accounting_daemon_conf "$1" >"$PREFIX/etc/slurmdbd.conf")
  chown slurm "$PREFIX/etc/slurmdbd.conf"
  clean SLURM_CONF="$PREFIX/etc/slurm.conf" slurmdbd || die "slurmdbd does not start, see $PREFIX/log"
  until_ok 30 slurm sacctmgr -n show cluster || die "slurmdbd does not answer, see $PREFIX/log"
  slurm sacctmgr -i add cluster testcluster >/dev/null
  slurm sacctmgr -i add account science Cluster=testcluster >/dev/null
  for user in "${job_users[@]}"; do
    slurm sacctmgr -i add user "$user" Account=science >/dev/null
  done
}

# accounting_daemon_conf PORT: prints slurmdbd.conf.
accounting_daemon_conf() {
  cat <<C
AuthType=auth/munge
AuthInfo=socket=$PREFIX/run/munge.socket
DbdHost=localhost
DbdPort=$1
SlurmUser=slurm
LogFile=$PREFIX/log/slurmctld/slurmdbd.log
PidFile=$PREFIX/run/slurmctld/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort=$(($1 + 1))
StorageUser=slurm
StoragePass=slurm
StorageLoc=acct
C
}

# port_open PORT: whether something listens there.
port_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# until_ok S COMMAND...: repeats a command until it succeeds, S seconds at the most.
until_ok() {
  local t0=$SECONDS limit=$1
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS - t0 < limit)) || return 1
    sleep 0.1
  done
}
