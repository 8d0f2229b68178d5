# Our own programs, laid out as an installation below PREFIX.

bin=${JOBGAIT_BIN:-$root/build/bin}

# jobgait_built ends the script if something is not compiled yet.
jobgait_built() {
  local program
  for program in jobgait jobgait-agent jobgait-prolog jobgait-epilog; do
    [[ -x $bin/$program ]] || die "no $program in $bin: run make first"
  done
}

jobgait_install() {
  install -d -m 755 "$PREFIX"/{bin,lib,libexec/jobgait}
  install -m 755 "$bin"/jobgait{,-agent,-prolog,-epilog} "$PREFIX/libexec/jobgait/"
  ln -sfn ../libexec/jobgait/jobgait "$PREFIX/bin/jobgait"
  install -m 755 "$root"/configs/slurm/{prolog,epilog,mail} "$PREFIX/libexec/jobgait/"
  make -s -C "$root/spank" BUILD="$PREFIX/build" >"$PREFIX/log/spank.log" 2>&1 ||
    die "the SPANK plugin does not compile, see $PREFIX/log/spank.log"
  install -m 755 "$PREFIX/build/jobgait.so" "$PREFIX/lib/"
  install -d -m 700 "$PREFIX/spool"
  install -d -m 700 -o "$service_account" -g "$(id -gn "$service_account")" "$PREFIX/collect"
  jobgait_conf >"$PREFIX/etc/jobgait.toml"
  mail_install
}

# mail_install makes a program that says it is sendmail: each mail becomes a file.
mail_install() {
  install -d -m 1777 "$PREFIX/mail"
  cat >"$PREFIX/mail/sendmail" <<C
#!/bin/sh
{ echo "\$@"; cat; } >"\$(mktemp "$PREFIX/mail/XXXXXXXX")"
C
  chmod 755 "$PREFIX/mail/sendmail"
}

# jobgait_conf prints jobgait.toml: reports of runs however short, everything
# kept. No node is ever a job's alone, because all of them are one machine.
jobgait_conf() {
  cat <<C
[spool]
dir = "$PREFIX/spool"
keep = "all"

[collect]
dir = "$PREFIX/collect"
account = "$service_account"
wait_s = 20

[agent]
# 1 kHz of code addresses, for periods of 0.1 s in a virtual machine.
budget_pct = 2.5
live_dir = "$PREFIX/live"

[watch.exclusive]
main = false

[epilog]
worker_s = 90

[report]
min_elapsed_s = 0.0

[history]
path = "$PREFIX/history.db"
ingest = "here"

[slurm]
scontrol = "$(command -v scontrol)"
sacct = "$(command -v sacct)"

[mail]
sendmail = "$PREFIX/mail/sendmail"
wait_s = 1.0
C
}
