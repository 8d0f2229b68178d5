#!/bin/sh
# Sees to what a build needs, Go and a C compiler for SQLite, and says in a line
# what it installs or fetches; nothing if both are there.
#
# A Go of go.mod's version or later is used as it is. An older one fetches the
# module golang.org/toolchain of the version below from the module proxy into
# the cache (cache.sh), and build/go leads there: the Makefile has build/go/bin
# first in the PATH. The go command checks what it got against the hashes below,
# as against go.sum, whatever GOSUMDB and GOFLAGS say. Go from 1.21 on would
# fetch one by itself, where GOTOOLCHAIN lets it, and of go.mod's first
# release only: one way for all is less, and gives all the same Go.
set -eu
cd "$(dirname "$0")/.."

# The one place that names it. `go mod download -json golang.org/toolchain@VERSION`
# prints the Sum of another, checked against the checksum database.
fetched=go1.26.8
case $(uname -sm) in
  'Linux x86_64') arch=amd64 sum=ZOmGe1OnfREDMIdb1Qi4G9JSuDPBLGExZMQ4nis1RXM= ;;
  'Linux aarch64') arch=arm64 sum=sYL/O6MqS68ML0kjsQ36WoYIpJqkw60TxizWUYUKQMc= ;;
  *) arch='' sum='' ;;
esac
gomod_sum=8wlg68NqwW7eMnI1aABk/C2pDYXj8mrMY4TyRfiLeS0= # of every toolchain's go.mod: one line

needed=$(sed -n 's/^go //p' go.mod)
by_hand="unpack Go $needed or later from go.dev/dl as /usr/local/go"

die() { echo "jobgait: $*" >&2; exit 1; }

# have prints the version of Go here, as it is where no go.mod asks for another.
have() { (tool=$(realpath -s "$(command -v "${GO:-go}")") && cd / && "$tool" env GOVERSION) 2>/dev/null | sed 's/^.*go//; s/ .*//'; }

enough() { printf '%s\n' "$needed" "$(have)" | sort -VC; }

# fetch TO: by a temporary directory and a rename, so that others who fetch at
# the same time, or look, see all of it or nothing.
fetch() {
  module=golang.org/toolchain version=v0.0.1-$fetched.linux-$arch
  mkdir -p "${1%/*}"
  work=$(mktemp -d "$1.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  echo "jobgait: Go $(have) here is older than $needed: fetching $fetched (70 MB) into $1"
  echo 'module fetch' >"$work/go.mod"
  echo "$module $version h1:$sum
$module $version/go.mod h1:$gomod_sum" >"$work/go.sum"
  (cd "$work" && GO111MODULE=on GOWORK=off GOTOOLCHAIN=local GOFLAGS=-modcacherw GOMODCACHE=$work/mod \
    go mod download "$module@$version") >"$work/log" 2>&1 ||
    die "$fetched was not fetched: $(grep -v '^go: downloading' "$work/log" | head -n 1); try again with a network or another GOPROXY than $(go env GOPROXY), or $by_hand"
  # What a module cannot hold: execute bits, and files called go.mod.
  find "$work/mod/$module@$version/bin" "$work/mod/$module@$version/pkg/tool" -type f -exec chmod a+x {} +
  find "$work/mod/$module@$version" -name _go.mod -execdir cp {} go.mod \;
  mv -T "$work/mod/$module@$version" "$1" 2>/dev/null || [ -x "$1/bin/go" ] || die "$1 is in the way: remove it"
}

see_to_go() {
  [ "${GO:-go}" = go ] || die "GO=$GO is ${1:+Go }${1:-no Go}, and $needed or later is needed"
  [ "$arch" ] || die "no Go $needed or later here: $by_hand"
  cache=$(packaging/cache.sh)
  if [ ! -x "$cache/$fetched-$arch/bin/go" ]; then
    if ! command -v go >/dev/null; then
      [ "$(id -u)" = 0 ] || die "no Go here; as root: apt-get install golang-go (any version will do); or $by_hand"
      packaging/distribution.sh golang-go
    fi
    if enough; then return; fi
    fetch "$cache/$fetched-$arch"
  fi
  mkdir -p build
  ln -s "$cache/$fetched-$arch" "build/go.$$"
  mv -T "build/go.$$" build/go
  PATH=$cache/$fetched-$arch/bin:$PATH
  enough || die "$(command -v go) says it is Go $(have): GOTOOLCHAIN is $(cd / && go env GOTOOLCHAIN)"
}

enough || see_to_go "$(have)"
command -v "${CC:-cc}" >/dev/null || packaging/distribution.sh gcc libc6-dev
