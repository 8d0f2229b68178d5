# What the distribution has to provide, installed if missing. Its packages want
# to start their daemons at once; nothing of the system's may run.

install_packages() {
  local want=() item
  for item in munged:munge slurmctld:slurmctld slurmd:slurmd sbatch:slurm-client \
    mpirun:openmpi-bin gcc:gcc make:make sqlite3:sqlite3 ps:procps; do
    command -v "${item%%:*}" >/dev/null || want+=("${item##*:}")
  done
  if accounting_wanted; then
    for item in slurmdbd:slurmdbd sacctmgr:slurm-client mariadbd:mariadb-server; do
      command -v "${item%%:*}" >/dev/null || want+=("${item##*:}")
    done
    compgen -G '/usr/lib/*/slurm*/accounting_storage_mysql.so' >/dev/null || want+=(slurm-wlm-mysql-plugin)
  fi
  [[ -e /usr/include/slurm/spank.h ]] || want+=(libslurm-dev)
  compgen -G '/usr/lib/*/openmpi/include/mpi.h' >/dev/null || want+=(libopenmpi-dev) # mpicc is in openmpi-bin
  compgen -G '/usr/lib/*/slurm*/select_cons_tres.so' >/dev/null || want+=(slurm-wlm-basic-plugins)
  ((${#want[@]})) || return 0
  without_services "${BASH_SOURCE[0]%/*}/../../distribution.sh" "${want[@]}" || die "missing: ${want[*]}"
}

# without_services COMMAND...: runs it while policy-rc.d, which maintainer
# scripts ask, forbids to start anything. One that the machine has stays.
without_services() {
  local policy=/usr/sbin/policy-rc.d rc made=
  if [[ ! -e $policy ]]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy" && made=1
    trap 'rm -f /usr/sbin/policy-rc.d' EXIT
  fi
  "$@"; rc=$?
  if [[ $made ]]; then rm -f "$policy"; trap - EXIT; fi
  return "$rc"
}
