# What the scripts of the packages do on a node. Nothing is enabled here: which
# timer runs where is the administrator's to say. In images, where no systemd runs,
# they do the same; on systems without it they do what they can.
set -e

account() {
	getent passwd jobgait >/dev/null && return
	if command -v systemd-sysusers >/dev/null; then
		systemd-sysusers jobgait.conf
	else
		useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin jobgait
	fi
}

directories() {
	if command -v systemd-tmpfiles >/dev/null; then
		systemd-tmpfiles --create jobgait.conf
	else
		install -d -m 0711 /var/spool/jobgait
		install -d -m 0700 -o jobgait /var/spool/jobgait/collect
	fi
}

reload() {
	if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
}

# installed: also after an upgrade, which leaves agents and hooks alone. Files were
# replaced by rename, so what runs keeps its own.
installed() {
	account
	directories
	reload
}

# hooks_named prints a file of Slurm's configuration that calls our hooks, also one
# that a link in a directory of hooks leads to. Comments and backups do not count.
hooks_named() {
	for dir in /etc/slurm /etc/slurm-llnl /usr/local/etc/slurm /opt/slurm/etc /run/slurm/conf; do
		[ -d "$dir" ] || continue
		find "$dir" -maxdepth 2 \( -type f -o -type l \) ! -name '*~' ! -name '*.bak' ! -name '*.old' ! -name '*.orig' \
			! -name '*.example' ! -name '*.dpkg-*' ! -name '*.rpm*' -exec grep -IlsE -D skip -d skip '^[^#]*/usr/libexec/jobgait' {} +
	done | head -n 1
}

# refuse_while_named ends a removal that would cost nodes: Slurm drains each node
# whose Prolog is missing and holds its jobs. A warning is read when that has
# happened, and a hook that is left behind belongs to nobody; so the package stays,
# as the kernel that runs does. JOBGAIT_REMOVE=yes is for whoever knows better.
refuse_while_named() {
	named=$(hooks_named)
	if [ -z "$named" ] || [ "${JOBGAIT_REMOVE:-}" = yes ]; then return; fi
	echo "jobgait: not removed: $named names our hooks, and Slurm would drain this node; take them out, scontrol reconfigure, and try again (or set JOBGAIT_REMOVE=yes)" >&2
	exit 1
}

# stop_agents ends those that hooks of this system started and no Epilog will end.
# They seal their profiles, which stay in the spool.
stop_agents() {
	for exe in /proc/[0-9]*/exe; do
		pid=${exe#/proc/}
		pid=${pid%/exe}
		case $(readlink "$exe" 2>/dev/null) in
			/usr/libexec/jobgait/jobgait-agent*) ;;
			*) continue ;;
		esac
		# Not those of users (jobgait run), nor of the host if this is an image in the making.
		if [ "/proc/$pid/root" -ef / ] && [ "$(stat -c %u "/proc/$pid" 2>/dev/null)" = 0 ]; then
			kill -TERM "$pid" 2>/dev/null || true
		fi
	done
}

removing() {
	refuse_while_named
	if command -v systemctl >/dev/null; then
		now=
		if [ -d /run/systemd/system ]; then now=--now; fi
		systemctl --quiet disable $now jobgait-sweep.timer jobgait-ingest.timer jobgait-prune.timer || true
		if [ "$now" ]; then systemctl stop jobgait-sweep.service jobgait-ingest.service jobgait-prune.service || true; fi
	fi
	stop_agents
}
