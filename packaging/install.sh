#!/usr/bin/env bash
# install.sh: puts jobgait below a prefix, or takes it away again.
#
#   install.sh install BUILD PREFIX   BUILD has the built programs in bin/, manual
#                                     pages and completions in share/
#   install.sh remove PREFIX
#
# DESTDIR goes before every path that is written, none that is written into a file.
# Below PREFIX:
#   libexec/jobgait/            programs, and for slurm.conf two hooks and the MailProg
#   bin/jobgait                 a link to the one that users call
#   lib/systemd/system/         units: nothing runs before they are enabled
#   share/man/                  manual pages; completions of three shells beside it
#   share/doc/jobgait/          settings and examples, with the paths of this PREFIX
# Nothing outside PREFIX is written: /etc/jobgait, the account and the directories
# are the administrator's. Each program is replaced in one step, so that hooks may
# run meanwhile, and agents that run keep theirs. The packages have what this
# installs (packages.sh), so this is the one list.
set -euo pipefail
umask 022

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
programs=(jobgait jobgait-agent jobgait-prolog jobgait-epilog)
# The reader of NVIDIA's GPUs, where it was built.
optional=(jobgait-nvml)
hooks=(prolog epilog mail)
units=(jobgait-sweep.service jobgait-sweep.timer jobgait-ingest.service jobgait-ingest.timer
  jobgait-prune.service jobgait-prune.timer)
pages=(man1/jobgait.1 man5/jobgait.toml.5 man5/jobgait-history.5 man7/jobgait-report.7
  man8/jobgait-agent.8 man8/jobgait-prolog.8 man8/jobgait-epilog.8)
completions=(bash-completion/completions/jobgait zsh/site-functions/_jobgait fish/vendor_completions.d/jobgait.fish)
# sysusers.d and tmpfiles.d lie among the examples: below lib/ they would take
# effect at the next boot, also on one machine, which needs neither.
examples=(jobgait.toml slurm/slurm.conf.example slurm/plugstack.conf.example sysusers.d/jobgait.conf tmpfiles.d/jobgait.conf)

die() { echo "install.sh: $*" >&2; exit 1; }

# put MODE FROM TO: a copy, by rename.
put() {
  install -D -m "$1" "$2" "$3.new"
  mv -f "$3.new" "$3"
}

# put_example FROM TO: a copy that names this prefix.
put_example() {
  mkdir -p "$(dirname "$2")"
  sed -e "s|/usr/libexec/jobgait|$prefix/libexec/jobgait|g" \
      -e "s|/usr/share/doc/jobgait|$prefix/share/doc/jobgait|g" "$1" >"$2.new"
  chmod 644 "$2.new"
  mv -f "$2.new" "$2"
}

# put_page FROM TO: packed, without a time in it.
put_page() {
  put_example "$1" "$2"
  gzip -9nf "$2"
}

do_install() {
  local bin=$1/bin share=$1/share f
  for f in "${programs[@]}"; do put 755 "$bin/$f" "$to/libexec/jobgait/$f"; done
  for f in "${optional[@]}"; do
    if [[ -e $bin/$f ]]; then put 755 "$bin/$f" "$to/libexec/jobgait/$f"; fi
  done
  for f in "${hooks[@]}"; do put 755 "$root/configs/slurm/$f" "$to/libexec/jobgait/$f"; done
  mkdir -p "$to/bin"
  ln -sfn ../libexec/jobgait/jobgait "$to/bin/jobgait"
  for f in "${units[@]}"; do put_example "$root/configs/systemd/$f" "$to/lib/systemd/system/$f"; done
  for f in "${pages[@]}"; do put_page "$share/man/$f" "$to/share/man/$f"; done
  for f in "${completions[@]}"; do put 644 "$share/$f" "$to/share/$f"; done
  for f in "${examples[@]}"; do put_example "$root/configs/$f" "$to/share/doc/jobgait/${f#slurm/}"; done
  put_example "$root/README.md" "$to/share/doc/jobgait/README.md"
}

# Only what install put there, and directories that are empty then.
do_remove() {
  local f
  for f in "${programs[@]}" "${optional[@]}" "${hooks[@]}"; do rm -f "$to/libexec/jobgait/$f"; done
  if [[ $(readlink "$to/bin/jobgait") == ../libexec/jobgait/jobgait ]]; then rm -f "$to/bin/jobgait"; fi
  for f in "${units[@]}"; do rm -f "$to/lib/systemd/system/$f"; done
  for f in "${pages[@]}"; do rm -f "$to/share/man/$f.gz"; done
  for f in "${completions[@]}"; do rm -f "$to/share/$f"; done
  rm -rf "$to/share/doc/jobgait"
  rmdir --ignore-fail-on-non-empty "$to/libexec/jobgait" 2>/dev/null || true
}

verb=${1:-}
case $verb:$# in
  install:3) prefix=$3 ;;
  remove:2) prefix=$2 ;;
  *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
esac
[[ $prefix == /* ]] || die "PREFIX=$prefix is not an absolute path"
prefix=${prefix%/}
to=${DESTDIR:-}$prefix
if [[ $verb == install ]]; then do_install "$2"; else do_remove; fi
