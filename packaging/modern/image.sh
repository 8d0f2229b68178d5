#!/usr/bin/env bash
# image.sh: the disk that the nodes of the virtual cluster boot, from Debian's packages.
#
#   image.sh CACHE SUITE
#
# CACHE/root is the root file system, CACHE/{base.ext4,vmlinuz,initrd} what is booted,
# CACHE/key opens root's account there. What is there and made of the same packages and
# files is kept, so that only the first time takes minutes and a network. It is one
# image for both nodes: guest/role makes of each what its name says. Needs root.
set -euo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
cd "$(dirname "${BASH_SOURCE[0]}")"
cache=$1 suite=$2 root=$1/root

packages=(linux-image-cloud-amd64 initramfs-tools zstd kmod dbus udev systemd-sysv polkitd
  slurmctld slurmd slurmdbd slurm-client slurm-wlm-basic-plugins slurm-wlm-mysql-plugin libslurm-dev munge
  mariadb-server nfs-kernel-server nfs-common openssh-server iproute2 procps
  openmpi-bin libopenmpi-dev gcc libc6-dev make sqlite3)

die() { echo "image.sh: $*" >&2; exit 1; }
say() { echo "image.sh: $*"; }

# Where this machine takes Debian from, the nodes' packages come from too.
mirror() {
  apt-get indextargets --no-release-info --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/*$'
}

# stale STAMP WORDS...: whether STAMP was made of something else than WORDS.
stale() { [[ $(cat "$1" 2>/dev/null) != "${*:2}" ]]; }

inside() { chroot "$root" "$@"; }

# The packages, unpacked and set up without starting anything.
install_packages() {
  local url
  url=$(mirror) || die "apt knows no Debian mirror here"
  rm -rf "$root"
  say "Debian $suite from $url into $root"
  timeout 3600 debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$url" >"$cache/debootstrap.log" || return
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod 755 "$root/usr/sbin/policy-rc.d"
  apt-config dump | grep -E '^Acquire::(http|https|ftp|Retries|Check)' >"$root/etc/apt/apt.conf.d/90host" || true
  mount -t proc proc "$root/proc"
  { timeout 1200 chroot "$root" apt-get update -qq &&
    timeout 3600 chroot "$root" apt-get install -y -qq --no-install-recommends "${packages[@]}"; } >"$cache/packages.log" 2>&1 || return
  rm -rf "$root"/usr/sbin/policy-rc.d "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
}

# What makes a cluster of it: accounts, keys, network, Slurm's settings, roles.
configure() {
  local u i
  for u in alice:1001 bob:1002; do inside id "${u%:*}" >/dev/null 2>&1 || inside useradd -m -u "${u#*:}" -s /bin/bash "${u%:*}"; done
  [[ -s $cache/key ]] || ssh-keygen -q -t ed25519 -N '' -C modern -f "$cache/key"
  install -D -m 600 "$cache/key.pub" "$root/root/.ssh/authorized_keys"
  install -D -m 644 -t "$root/etc/slurm" guest/slurm.conf guest/cgroup.conf
  install -m 600 guest/slurmdbd.conf "$root/etc/slurm/"
  install -m 755 guest/role "$root/usr/local/sbin/role"
  install -m 755 guest/stepd-cpu "$root/usr/local/bin/stepd-cpu"
  install -m 644 guest/role.service "$root/etc/systemd/system/role.service"
  inside install -d -o slurm -g slurm /var/log/slurm /var/lib/slurm/slurmctld /var/lib/slurm/slurmd
  inside chown slurm:slurm /etc/slurm/slurmdbd.conf
  head -c 1024 /dev/urandom >"$root/etc/munge/munge.key"
  inside chown munge:munge /etc/munge/munge.key
  inside chmod 400 /etc/munge/munge.key
  # Started at the same time as all else, slurmd takes more than systemd's 90 s now and then.
  install -d "$root/etc/systemd/system.conf.d"
  printf '[Manager]\nDefaultTimeoutStartSec=10min\n' >"$root/etc/systemd/system.conf.d/slow.conf"
  printf '127.0.0.1 localhost\n10.9.0.1 n1\n10.9.0.2 n2\n' >"$root/etc/hosts"
  : >"$root/etc/hostname"
  : >"$root/etc/machine-id"
  for i in 1 2; do
    printf '[Match]\nMACAddress=52:54:00:00:09:0%s\n[Network]\nAddress=10.9.0.%s/24\n' $i $i >"$root/etc/systemd/network/10-n$i.network"
  done
  # The way in from the host, which no job needs.
  printf '[Match]\nMACAddress=52:54:00:00:08:01 52:54:00:00:08:02\n[Network]\nDHCP=ipv4\n[Link]\nRequiredForOnline=no\n' >"$root/etc/systemd/network/20-host.network"
  inside systemctl -q enable systemd-networkd systemd-networkd-wait-online ssh munge role
  inside systemctl -q disable slurmctld slurmd slurmdbd mariadb nfs-server
  inside systemctl -q mask apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer fstrim.timer dpkg-db-backup.timer
  # The host's network has the same addresses on both nodes.
  echo 'btl_tcp_if_include = 10.9.0.0/24' >"$root/etc/openmpi/openmpi-mca-params.conf"
  cp ../testcluster/testdata/{gait,ring}.c "$root/usr/local/src/"
  inside gcc -O2 -o /usr/local/bin/gait /usr/local/src/gait.c
  inside mpicc -O2 -o /usr/local/bin/ring /usr/local/src/ring.c
}

# make_disk FILE: the tree as a disk, and its kernel beside it.
make_disk() {
  local new=$cache/new.ext4
  rm -f "$new"
  truncate -s 6G "$new"
  timeout 900 mkfs.ext4 -q -F -L root -d "$root" "$new"
  cp "$root"/boot/vmlinuz-* "$cache/vmlinuz"
  cp "$root"/boot/initrd.img-* "$cache/initrd"
  mv "$new" "$cache/base.ext4"
}

# A stage at a time, each remembered by what it was made of. The mounts are this
# process's own and end with it.
image() {
  mount --make-rprivate /
  local files
  files=$(cat image.sh guest/* ../testcluster/testdata/*.c | sha256sum)
  if stale "$cache/packages.stamp" "$suite" "${packages[@]}"; then
    rm -f "$cache"/*.stamp
    install_packages || { tail -n 20 "$cache"/{debootstrap,packages}.log >&2; die "the packages of $suite could not be installed"; }
    umount "$root/proc"
    echo "$suite" "${packages[@]}" >"$cache/packages.stamp"
  fi
  if stale "$cache/disk.stamp" "$files"; then
    say "the disk of $suite"
    configure
    make_disk
    echo "$files" >"$cache/disk.stamp"
  fi
  inside dpkg-query -W -f '${Package} ${Version}\n' slurmctld systemd linux-image-cloud-amd64 libopenmpi-dev
}

if [[ ${3:-} == inside ]]; then image; exit; fi
[[ $(id -u) == 0 ]] || die "needs root"
for tool in debootstrap mkfs.ext4 ssh-keygen unshare; do
  command -v $tool >/dev/null || die "no $tool here: the packages are debootstrap, e2fsprogs, openssh-client"
done
mkdir -p "$cache"
exec unshare --mount --fork --kill-child ./image.sh "$cache" "$suite" inside
