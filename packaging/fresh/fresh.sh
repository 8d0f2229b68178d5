#!/usr/bin/env bash
# fresh.sh: the README's two commands on a fresh Debian, from a fresh clone of
# what is committed here. By hand: it takes half an hour for each.
#
#   fresh.sh SUITE [COMMAND...]    SUITE is bookworm, trixie, ...; the commands
#                                  are `make demo` and `make test` if none is given
#
# Needs root, debootstrap, 5 GB in TMPDIR (default /var/tmp), a network, and a
# host without a Slurm: `make test` starts one. The root has git, make and
# ca-certificates and neither a Go nor a compiler. Of this host it takes how the
# network is reached: resolv.conf, apt's proxy, certificates of its own, Go's
# proxy. It is removed in the end unless KEEP is set, and everything that was
# started in it ends. MIRROR is where the packages come from: this host's own, if it
# is not set.
set -euo pipefail

die() { echo "fresh.sh: $*" >&2; exit 1; }
[[ $(id -u) == 0 ]] || die "needs root"
command -v debootstrap >/dev/null || die "no debootstrap here: apt-get install debootstrap"
suite=${1:?which suite: bookworm, trixie, ...}
shift
(($#)) || set -- 'make demo' 'make test'
here=$(cd "$(dirname "$0")/../.." && pwd -P)
root=$(mktemp -d "${TMPDIR:-/var/tmp}/jobgait-$suite.XXXXXX")
chmod 755 "$root" # it is the / of users too
if [[ -z ${KEEP:-} ]]; then trap 'rm -rf --one-file-system "$root"' EXIT; else echo "fresh.sh: $root stays"; fi
trap 'exit 130' HUP INT TERM

# like_here DIR: the network is reached as from this host.
like_here() {
  cp -L /etc/resolv.conf "$1/etc/"
  echo "127.0.0.1 localhost $(hostname)" >"$1/etc/hosts"
  apt-config dump | grep -E '^Acquire::(http|https)::' >"$1/etc/apt/apt.conf.d/90fresh" || true
  find /usr/local/share/ca-certificates -name '*.crt' -exec cp {} "$1/usr/local/share/ca-certificates/" \;
  chroot "$1" update-ca-certificates >/dev/null 2>&1
}

# within DIR COMMAND: in namespaces of its own, so that all its processes and
# mounts end with it, and its root is a mount as every root is; in an environment
# that is a fresh login's.
within() {
  # shellcheck disable=SC2016
  unshare --mount --pid --ipc --uts --fork --kill-child sh -c '
    mount --bind "$1" "$1" && mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" && mount --rbind /dev "$1/dev" &&
      mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm" &&
      cd / && exec chroot "$@"' sh "$1" \
    env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
    "${proxies[@]}" sh -c "cd /root/jobgait && $2"
}

proxies=()
for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY GOPROXY; do
  if [[ -n ${!name:-} ]]; then proxies+=("$name=${!name}"); fi
done

# The first source of this host's apt, in either of its forms of a list.
mirror=${MIRROR:-$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null || true; } |
  sed -nE 's/^(deb( \[[^]]*\])?|URIs:) +(http[^ ]+debian)\/?( .*)?$/\3/p' | head -n 1)}
[[ $mirror ]] || die "no mirror in this host's apt sources: set MIRROR"

echo "fresh.sh: making Debian $suite in $root"
debootstrap --variant=minbase --include=git,make,ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
  { tail -n 5 "$root.log" >&2; die "debootstrap failed, see $root.log"; }
rm -f "$root.log"
like_here "$root"
git clone -q "file://$here" "$root/root/jobgait"
echo "fresh.sh: $(git -C "$root/root/jobgait" log --format='%h %s' -1)"
for command in "$@"; do
  SECONDS=0
  echo "fresh.sh: $suite: $command"
  within "$root" "$command" || die "$suite: $command FAILED with status $? after $SECONDS s"
  echo "fresh.sh: $suite: $command: green after $SECONDS s"
done
