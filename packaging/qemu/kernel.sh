#!/usr/bin/env bash
# kernel.sh: gets Debian's arm64 kernel and prints the path of its image.
#
# The package behind linux-image-arm64 is found and downloaded by apt, which
# checks signatures and hashes, with lists, cache and package database of its
# own below the cache: this machine's are not touched and learn no foreign
# architecture. It needs no root. A kernel that is there is used as it is, so
# that without a network the tests go on working; remove the directory to get a
# newer one.
#
# In the cache (packaging/cache.sh) it takes 35 MB, and 210 MB while this works.
set -uo pipefail
export LC_ALL=C

die() { echo "kernel.sh: $*" >&2; exit 1; }

# A file of settings for apt: of this machine's only how to reach the network
# (proxies), none of its hooks, which would work on its real cache.
private_settings() {
  local root=$1 etc
  etc=$(apt-config shell etc Dir::Etc/d) && eval "$etc" || return 1
  apt-config dump | grep -E '^Acquire::(http|https|ftp|Retries|Check|Max)' || true
  cat <<END
Dir::Etc "$etc";
Dir::Etc::parts "$root/none";
Dir::Etc::main "$root/none";
Dir::State "$root/state";
Dir::State::status "$root/status";
Dir::Cache "$root/cache";
Dir::Log "$root/log";
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Get::List-Cleanup "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
END
}

# download PACKAGE ROOT: the .deb lies in ROOT then.
download() {
  local root=$2 real
  mkdir -p "$root"/{none,state/lists/partial,cache/archives/partial,log} && : >"$root/status" || return 1
  private_settings "$root" >"$root/apt.conf" || return 1
  export APT_CONFIG=$root/apt.conf
  apt-get update -qq >"$root/update.log" 2>&1 || true # some other repository may be down, or have no arm64
  real=$(apt-cache depends --no-recommends --no-suggests "$1" | sed -n 's/^ *Depends: \(linux-image-[0-9].*\)$/\1/p' | head -n 1)
  [[ -n $real ]] || { tail -n 5 "$root/update.log" >&2; echo "kernel.sh: apt knows no $1 for arm64" >&2; return 1; }
  (cd "$root" && apt-get download -qq "$real" >&2) || return 1
}

cache=$("$(dirname "$0")/../cache.sh") || exit 1
image=$cache/linux-arm64/vmlinuz
if [[ ! -s $image ]]; then
  for tool in apt-get apt-cache apt-config dpkg-deb; do
    command -v "$tool" >/dev/null || die "no $tool here: the kernel is Debian's"
  done
  mkdir -p "$cache/linux-arm64" || die "no place for the kernel"
  work=$(mktemp -d "$cache/linux-arm64/new.XXXXXX") || exit 1
  trap 'rm -rf "$work"' EXIT
  echo "jobgait: fetching Debian's arm64 kernel (60 MB) into $cache/linux-arm64" >&2
  download linux-image-arm64 "$work" || die "no arm64 kernel from this machine's package sources"
  dpkg-deb --fsys-tarfile "$work"/linux-image-*.deb | tar -x -C "$work" --wildcards './boot/vmlinuz-*' || exit 1
  mv "$work"/boot/vmlinuz-* "$image.new.$$" && mv "$image.new.$$" "$image" || exit 1
fi
echo "$image"
