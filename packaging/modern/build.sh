#!/usr/bin/env bash
# build.sh: what the README does in a node's image, done in the image of the virtual
# cluster, at the speed of this machine.
#
#   build.sh CACHE TREE OUT <COMMANDS
#
# Runs COMMANDS in a copy of the source TREE below the root file system in CACHE, with
# Go in PATH, and writes what they added or changed as the archive OUT. The image
# itself stays as it is: everything lands in an overlay. Needs root.
set -euo pipefail
export LC_ALL=C

tree_files() {
  git -C "$1" ls-files -z --cached --others --exclude-standard 2>/dev/null ||
    (cd "$1" && find . -path ./build -prune -o -type f -print0)
}

build() {
  local cache=$1 tree=$2 out=$3 go=${GO:-go} work
  mount --make-rprivate /
  work=$(mktemp -d "$cache/build.XXXXXX")
  # Within the namespace of these mounts the directory root is still mounted.
  trap "umount -R '$work/root'; rm -rf '$work/upper' '$work/work'; rmdir '$work/root' '$work'" EXIT
  mkdir "$work"/{upper,work,root}
  mount -t overlay overlay -o "lowerdir=$cache/root,upperdir=$work/upper,workdir=$work/work" "$work/root"
  mkdir -p "$work"/root/root/{jobgait,.cache/go-build,go/pkg/mod} "$work/root/usr/local/go" "$cache/gocache" "$("$go" env GOMODCACHE)"
  mount -t proc proc "$work/root/proc"
  mount --bind "$("$go" env GOROOT)" "$work/root/usr/local/go"
  mount --bind "$("$go" env GOMODCACHE)" "$work/root/root/go/pkg/mod"
  mount --bind "$cache/gocache" "$work/root/root/.cache/go-build"
  cp /etc/resolv.conf "$work/root/etc/resolv.conf" # should a module be missing
  tree_files "$tree" | tar -C "$tree" --null --ignore-failed-read -T - -c | tar -C "$work/root/root/jobgait" --no-same-owner -x
  env -i PATH=/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root USER=root LC_ALL=C GOPROXY="$("$go" env GOPROXY)" \
    chroot "$work/root" bash -exc 'umask 022; cd /root/jobgait; . /dev/stdin'
  tar -C "$work/upper" -cf "$out" --numeric-owner --exclude=./etc/resolv.conf --exclude=./tmp --exclude=./root/go --exclude=./root/.cache --exclude=./usr/local/go --exclude=./root/jobgait/build .
}

if [[ ${4:-} == inside ]]; then build "$@"; exit; fi
[[ $# == 3 ]] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }
exec unshare --mount --fork --kill-child "$0" "$@" inside
