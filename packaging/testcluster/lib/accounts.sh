# Two job users and the service account of the collection directory. Accounts
# that we make carry our comment; only those are removed again.

job_users=(jgalice jgbob)
service_account=jobgait-test
comment='jobgait test cluster'

make_accounts() {
  local user
  for user in "${job_users[@]}"; do
    make_account "$user" --home-dir "$PREFIX/home/$user" --no-create-home --shell /bin/bash
    install -d -m 755 "$PREFIX/home"
    install -d -m 755 -o "$user" -g "$(id -gn "$user")" "$PREFIX/home/$user"
  done
  make_account "$service_account" --system --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin
}

# make_account NAME OPTION...: one left behind by a killed `up` of ours is made
# anew, as its home is gone.
make_account() {
  local name=$1
  shift
  if ours "$name"; then userdel "$name" >/dev/null 2>&1; fi
  id "$name" >/dev/null 2>&1 && return 0
  useradd --comment "$comment" "$@" "$name" || die "cannot make account $name"
}

# ours NAME: whether the account exists and was made here.
ours() { [[ $(getent passwd "$1" | cut -d: -f5) == "$comment" ]]; }

# account_processes: prints the pids of our accounts' processes.
account_processes() {
  local user
  for user in "${job_users[@]}" "$service_account"; do
    ours "$user" && ps -o pid= -U "$user"
  done
  return 0
}

remove_accounts() {
  local user
  for user in "${job_users[@]}" "$service_account"; do
    if ours "$user"; then userdel "$user" || die "cannot remove account $user"; fi
  done
}
