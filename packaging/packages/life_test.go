package packages

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// node runs a command on the node: this root below an overlay in memory, with
// processes of its own, and then prints what is in the overlay and not in the root. It
// is gone after that, with what it left running. The command is looked for where only
// the node has it: it never runs on this machine's own root.
const node = `set -e
at=$1
mount -t tmpfs -o size=512m tmpfs "$at"
mkdir "$at/upper" "$at/work" "$at/root"
mount -t overlay overlay -o lowerdir=/,upperdir="$at/upper",workdir="$at/work" "$at/root"
mount -t proc proc "$at/root/proc"
mount -t tmpfs tmpfs "$at/root/run"
mount --bind "$2" "$at/root/mnt"
chroot "$at/root" /bin/sh -c 'test -e /mnt/life.sh && exec sh /mnt/life.sh'
cd "$at/upper"
left=$(find . -mindepth 1 \( -path ./var/lib/dpkg -o -path ./var/cache -o -path ./var/log -o -path ./tmp -o -path ` +
	`'./etc/*-' -o -name .pwd.lock \) -prune -o -print |
	while read -r path; do [ -e "/$path" ] || [ -L "/$path" ] || echo "$path"; done)
echo "left:" $left
`

// life is what happens to the package; each line that it prints is wanted.
const life = `set -e
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
dpkg="dpkg --no-triggers --no-debsig --force-confdef --force-confold"
quiet() { "$@" >/tmp/said 2>&1 || { cat /tmp/said; exit 1; }; }
state() { dpkg-query -W -f '${db:Status-Status} ${Version}\n' jobgait 2>/dev/null || echo none; }
rm -rf /etc/slurm /etc/jobgait /var/spool/jobgait /var/lib/jobgait
if getent passwd jobgait >/dev/null; then userdel jobgait 2>/dev/null; fi

quiet $dpkg -i /mnt/1.deb
echo "installed: $(state)"
echo "account: $(id -nu jobgait), $(getent passwd jobgait | cut -d: -f7)"
echo "spool: $(stat -c '%a %U' /var/spool/jobgait), collect: $(stat -c '%a %U' /var/spool/jobgait/collect)"
echo "enabled: $(find /etc/systemd -name 'jobgait*' | wc -l)"
echo "hook: $(/usr/libexec/jobgait/prolog)"

echo '# the site' >>/etc/jobgait/jobgait.toml
/usr/libexec/jobgait/jobgait-agent sleep & agent=$!
until [ "$(readlink /proc/$agent/exe)" = /usr/libexec/jobgait/jobgait-agent ]; do :; done
mkdir -p /etc/slurm/prolog.d
echo '# Prolog=/usr/libexec/jobgait/prolog' >/etc/slurm/slurm.conf
echo 'Prolog=/usr/libexec/jobgait/prolog' | tee /etc/slurm/slurm.conf.bak >>/etc/slurm/slurm.conf
quiet $dpkg -i /mnt/2.deb
echo "upgraded: $(state), settings: $(tail -n 1 /etc/jobgait/jobgait.toml)"
echo "agent: $(kill -0 $agent && echo lives on), $(readlink /proc/$agent/exe | grep -o deleted)"

$dpkg -r jobgait >/tmp/said 2>&1 && echo "removed under Slurm"
grep -o 'not removed: [^ ]* names our hooks' /tmp/said
echo "still: $(state), hook: $(/usr/libexec/jobgait/prolog)"
sed -i '/^Prolog/d' /etc/slurm/slurm.conf
ln -s /usr/libexec/jobgait/epilog /etc/slurm/prolog.d/50-jobgait
$dpkg -r jobgait >/tmp/said 2>&1 && echo "removed under Slurm"
grep -o 'not removed: [^ ]* names our hooks' /tmp/said
rm -r /etc/slurm/prolog.d

systemctl --quiet enable jobgait-sweep.timer 2>/dev/null || true
quiet $dpkg -r jobgait
wait $agent || echo "agent: ended by signal $(($? - 128))"
echo "removed: $(state | cut -d' ' -f1), settings: $(tail -n 1 /etc/jobgait/jobgait.toml), enabled: $(find ` +
	`/etc/systemd -name 'jobgait*' | wc -l)"
mkdir -p /var/lib/jobgait /var/spool/jobgait/n1 /var/spool/jobgait/collect
echo x | tee /var/lib/jobgait/history.db >/var/spool/jobgait/n1/log
mount -t tmpfs tmpfs /var/spool/jobgait/collect
echo x >/var/spool/jobgait/collect/of-all
$dpkg -P jobgait >/tmp/said 2>&1
grep '^jobgait: ' /tmp/said
echo "of all: $(cat /var/spool/jobgait/collect/of-all)"
umount /var/spool/jobgait/collect
rmdir /var/spool/jobgait/collect /var/spool/jobgait
rm -r /etc/slurm
`

const lived = `installed: installed 1
account: jobgait, /usr/sbin/nologin
spool: 711 root, collect: 700 jobgait
enabled: 0
hook: jobgait-prolog 1
upgraded: installed 2, settings: # the site
agent: lives on, deleted
not removed: /etc/slurm/slurm.conf names our hooks
still: installed 2, hook: jobgait-prolog 1
not removed: /etc/slurm/prolog.d/50-jobgait names our hooks
agent: ended by signal 15
removed: config-files, settings: # the site, enabled: 0
jobgait: what lies on another file system stays
jobgait: purged with settings, spool and history of this node; the account jobgait stays
of all: x
left:
`

// testLife installs, upgrades, removes and purges a deb. The version after it brings
// other settings: dpkg would replace the site's if they were no conffile.
func testLife(t *testing.T, deb string) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make a node")
	}
	for _, program := range []string{"dpkg", "unshare", "chroot"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	for _, version := range []string{"1", "2"} {
		tree := filepath.Join(dir, "tree"+version)
		tool(t, "dpkg-deb", "-R", deb, tree)
		tool(t, "sed", "-i", "s/^Version: .*/Version: "+version+"/", tree+"/DEBIAN/control")
		tool(t, "sh", "-c", "echo '# of version "+version+"' >>"+tree+"/etc/jobgait/jobgait.toml")
		tool(t, "dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, filepath.Join(dir, version+".deb"))
	}
	if err := os.WriteFile(filepath.Join(dir, "life.sh"), []byte(life), 0o644); err != nil {
		t.Fatal(err)
	}
	at := t.TempDir()
	cmd := exec.Command("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", node, "sh", at, dir)
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"}
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "mount: ") && !strings.Contains(string(out), "installed: ") {
		t.Skipf("no overlay of / here: %s", out)
	}
	if err != nil || string(out) != lived {
		t.Errorf("%v\n%s\nwant\n%s", err, out, lived)
	}
}
