#!/bin/sh
# Sees to what a build needs: Go (see README.md) and a C compiler for SQLite.
# Installs the compiler from the distribution's packages if it may, and says so.
set -eu
command -v "${GO:-go}" >/dev/null || {
  echo "jobgait: no Go here: version 1.26 or later from go.dev/dl, see README.md" >&2
  exit 1
}
command -v "${CC:-cc}" >/dev/null && exit 0
if [ "$(id -u)" != 0 ]; then
  echo "jobgait: no C compiler here; as root: apt-get install gcc libc6-dev" >&2
  exit 1
fi
echo "jobgait: installing gcc and libc6-dev from the distribution's packages"
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gcc libc6-dev
