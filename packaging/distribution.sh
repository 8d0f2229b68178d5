#!/bin/sh
# distribution.sh PACKAGE...: installs those of the distribution's packages that are
# missing, after saying so; the one place of the tree that does. As root, else it says
# what root would type. Waits for another apt-get, as a new machine runs one, and asks
# for new lists only if those here do not do: to fetch them takes longer than the rest.
set -eu

missing=
for package; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing="$missing $package"
done
[ "$missing" ] || exit 0
if [ "$(id -u)" != 0 ]; then
  echo "jobgait: missing:$missing; as root: apt-get install --no-install-recommends$missing" >&2
  exit 1
fi
echo "jobgait: installing$missing from the distribution's packages"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # names of packages
install() { apt-get install -o DPkg::Lock::Timeout=600 -y -qq --no-install-recommends $missing; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install >"$log" 2>&1 || { apt-get update -qq && install; } >"$log" 2>&1 || {
  echo "jobgait: apt-get could not install$missing: $(tail -n 1 "$log")" >&2
  exit 1
}
