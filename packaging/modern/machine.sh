#!/usr/bin/env bash
# machine.sh: one node of the virtual cluster.
#
#   machine.sh start CACHE RUN N   boots node N (1 or 2) of the image in CACHE
#   machine.sh kill RUN N          takes its power away
#
# RUN has its disk nN.qcow2 (made if there is none, so that what a node wrote is
# there after its power was cut), nN.pid, its console nN.log, and ssh_config: `ssh
# -F RUN/ssh_config nN`. The way in is a port that the kernel chose; the two nodes
# talk through sockets in RUN, so that any number of clusters may run side by side.
# Whoever connects to 10.0.2.100:99 on the node gets RUN/archive: 60 MB through ssh
# would take the node two minutes of deciphering.
#
# No acceleration: it is not to be had everywhere. QEMU 7.2's emulation makes kernels
# panic on CPUs that have cx16, so this one has not; and, of CPUs that run at the same
# time, when one changes the kernel's code, as the first perf event of a job does
# ("Oops: int3" in finish_task_switch): they run by turns.
set -euo pipefail
export LC_ALL=C

start() {
  local cache=$1 run=$2 n=$3 port end=$((SECONDS + ${BOOT_LIMIT:-400}))
  [[ -e $run/n$n.qcow2 ]] || qemu-img create -q -f qcow2 -F raw -b "$cache/base.ext4" "$run/n$n.qcow2"
  rm -f "$run/n$n.pid" "$run/net$n"
  qemu-system-x86_64 -accel tcg,thread=single,tb-size=512 -cpu Nehalem,-cx16 -smp 2 -m 2560 \
    -display none -vga none -no-reboot -daemonize -pidfile "$run/n$n.pid" -serial "file:$run/n$n.log" -monitor none \
    -kernel "$cache/vmlinuz" -initrd "$cache/initrd" \
    -append "root=/dev/vda rw console=ttyS0 systemd.hostname=n$n mitigations=off panic=-1 quiet" \
    -drive "file=$run/n$n.qcow2,if=virtio,format=qcow2,cache=unsafe" -device virtio-rng-pci \
    -netdev "dgram,id=nodes,local.type=unix,local.path=$run/net$n,remote.type=unix,remote.path=$run/net$((3 - n))" \
    -device "virtio-net-pci,netdev=nodes,mac=52:54:00:00:09:0$n" \
    -netdev user,id=host,restrict=on,hostfwd=tcp:127.0.0.1:0-:22,guestfwd=tcp:10.0.2.100:99-cmd:"cat $run/archive" -device "virtio-net-pci,netdev=host,mac=52:54:00:00:08:0$n"
  port=$(ss -ltnHp | sed -n "s/.*127\.0\.0\.1:\([0-9]*\) .*pid=$(<"$run/n$n.pid"),.*/\1/p" | head -n 1)
  [[ -n $port ]] || { echo "machine.sh: node $n has no port" >&2; return 1; }
  printf '%s\n' "Host n$n" "  HostName 127.0.0.1" "  Port $port" "  User root" "  IdentityFile $cache/key" \
    "  StrictHostKeyChecking no" "  UserKnownHostsFile /dev/null" "  LogLevel ERROR" "  ConnectTimeout 60" \
    "  ControlPath $run/ssh-%n" "  ServerAliveInterval 60" "  ServerAliveCountMax 10" >"$run/n$n.ssh"
  cat "$run"/n?.ssh >"$run/ssh_config"
  # One connection stays open: a new one costs the guest a second of CPU time.
  until timeout 90 ssh -F "$run/ssh_config" -M -N -f "n$n" </dev/null >/dev/null 2>&1; do
    kill -0 "$(<"$run/n$n.pid")" 2>/dev/null || { tail -n 20 "$run/n$n.log" >&2; return 1; }
    ((SECONDS < end)) || { echo "machine.sh: node $n does not answer" >&2; return 1; }
    sleep 1
  done
}

# Only a process that is still the emulator of that disk.
stop() {
  local run=$1 n=$2 pid
  pid=$(cat "$run/n$n.pid" 2>/dev/null) || return 0
  if tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF "$run/n$n.qcow2"; then
    kill -KILL "$pid"
    while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  fi
  ssh -F "$run/ssh_config" -O exit "n$n" 2>/dev/null || true
  rm -f "$run/n$n.pid" "$run/net$n" "$run/ssh-n$n"
}

case ${1:-}:$# in
  start:4) start "${@:2}" ;;
  kill:3) stop "${@:2}" ;;
  *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
esac
