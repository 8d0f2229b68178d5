# The directory in which everything lies. A marker file says that it is ours, so
# that `down` never removes anything else.

# new_prefix DIR: sets PREFIX to DIR, made if missing, or to a new directory.
# Job users must be able to walk to it.
new_prefix() {
  local dir=$1 base
  if [[ -z $dir ]]; then
    for base in /tmp /var/tmp; do
      walkable "$base" && dir=$(mktemp -d "$base/jobgait.XXXXXX") && break
    done
    [[ $dir ]] || die "neither /tmp nor /var/tmp can be used"
  fi
  mkdir -p "$dir" || die "cannot make $dir"
  PREFIX=$(cd "$dir" && pwd -P)
  if ! marked && [[ $(ls -A "$PREFIX") ]]; then die "$PREFIX is not empty"; fi
  chmod 755 "$PREFIX"
  walkable "$PREFIX" || die "job users cannot reach $PREFIX: some directory above it is not o+x"
  : >"$PREFIX/.jobgait-testcluster"
  mkdir -p "$(dirname "$last")" && echo "$PREFIX" >"$last"
}

# find_prefix DIR: sets PREFIX to DIR, or to the one that was started last.
find_prefix() {
  local dir=$1
  if [[ -z $dir ]]; then
    [[ -r $last ]] && dir=$(<"$last")
    [[ $dir ]] || die "no PREFIX given, and none was started from here"
  fi
  PREFIX=$(cd "$dir" 2>/dev/null && pwd -P) || PREFIX=$dir
}

# walkable DIR: whether everybody may search DIR and what is above it.
walkable() {
  local dir=$1
  while :; do
    [[ -d $dir ]] && (($(stat -c %a "$dir") & 1)) || return 1
    [[ $dir == / ]] && return 0
    dir=$(dirname "$dir")
  done
}

marked() { [[ -f $PREFIX/.jobgait-testcluster ]]; }

# remove_prefix: what a test has mounted there goes first.
remove_prefix() {
  local at
  while at=$(awk -v p="$PREFIX/" 'index($5, p) == 1 { print $5; exit }' /proc/self/mountinfo) && [[ $at ]]; do
    umount -l "$(printf '%b' "${at//\\0/\\00}")" || die "cannot unmount $at"
  done
  rm -rf --one-file-system "${PREFIX:?}"
  if [[ -r $last && $(<"$last") == "$PREFIX" ]]; then rm -f "$last"; fi
}

# seconds_since T: tenths of seconds since T, an EPOCHREALTIME.
seconds_since() {
  local now=$EPOCHREALTIME
  local tenths=$(((${now/./} - ${1/./}) / 100000))
  echo "$((tenths / 10)).$((tenths % 10))"
}
