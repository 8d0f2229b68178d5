package checks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"jobgait/agent/job/jobtest"
)

// shell runs a command in the root of the tree with a strict umask, as a careful
// administrator has it.
func shell(t *testing.T, command string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", "umask 077; "+command)
	cmd.Dir = root(t)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}

// stubs are programs that say their name, and empty pages and completions.
func stubs(t *testing.T, says string) string {
	t.Helper()
	build := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(build, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), jobtest.WriteProgram(path, []byte(text))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"jobgait", "jobgait-agent", "jobgait-prolog", "jobgait-epilog", "jobgait-nvml"} {
		put("bin/"+name, "#!/bin/sh\necho "+name+" "+says+"\n")
	}
	for _, name := range texts {
		put("share/"+name, "")
	}
	return build
}

// texts are what packaging/man writes.
var texts = strings.Fields(`man/man1/jobgait.1 man/man5/jobgait.toml.5 man/man5/jobgait-history.5
	man/man7/jobgait-report.7 man/man8/jobgait-agent.8 man/man8/jobgait-prolog.8 man/man8/jobgait-epilog.8
	bash-completion/completions/jobgait zsh/site-functions/_jobgait fish/vendor_completions.d/jobgait.fish`)

// files are those below dir, with their modes.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && !e.IsDir() {
			list = append(list, fmt.Sprintf("%04o %s", info.Mode().Perm(), strings.TrimPrefix(path, dir+"/")))
		}
		if err == nil && e.IsDir() && info.Mode().Perm() != 0o755 {
			t.Errorf("%s has mode %04o", path, info.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Checks the installed files and their modes, and that an upgrade and a removal do not touch other files.
func TestInstallUpgradeRemove(t *testing.T) {
	dest := t.TempDir()
	if err := os.Chmod(dest, 0o755); err != nil {
		t.Fatal(err)
	}
	install := "DESTDIR=" + dest + " packaging/install.sh "
	shell(t, install+"install "+stubs(t, "1")+" /opt/jobgait")
	got := files(t, dest)
	slices.Sort(got)
	want := strings.Fields(`0644_opt/jobgait/lib/systemd/system/jobgait-ingest.service
		0644_opt/jobgait/lib/systemd/system/jobgait-ingest.timer
		0644_opt/jobgait/lib/systemd/system/jobgait-prune.service 0644_opt/jobgait/lib/systemd/system/jobgait-prune.timer
		0644_opt/jobgait/lib/systemd/system/jobgait-sweep.service 0644_opt/jobgait/lib/systemd/system/jobgait-sweep.timer
		0644_opt/jobgait/share/doc/jobgait/README.md 0644_opt/jobgait/share/doc/jobgait/jobgait.toml
		0644_opt/jobgait/share/doc/jobgait/plugstack.conf.example 0644_opt/jobgait/share/doc/jobgait/slurm.conf.example
		0644_opt/jobgait/share/doc/jobgait/sysusers.d/jobgait.conf 0644_opt/jobgait/share/doc/jobgait/tmpfiles.d/jobgait.conf
		0755_opt/jobgait/libexec/jobgait/epilog 0755_opt/jobgait/libexec/jobgait/jobgait
		0755_opt/jobgait/libexec/jobgait/jobgait-agent
		0755_opt/jobgait/libexec/jobgait/jobgait-epilog 0755_opt/jobgait/libexec/jobgait/jobgait-prolog
		0755_opt/jobgait/libexec/jobgait/mail 0755_opt/jobgait/libexec/jobgait/prolog
		0755_opt/jobgait/libexec/jobgait/jobgait-nvml
		0777_opt/jobgait/bin/jobgait`)
	for i := range want {
		want[i] = strings.Replace(want[i], "_", " ", 1)
	}
	for _, name := range texts {
		if strings.HasPrefix(name, "man/") {
			name += ".gz"
		}
		want = append(want, "0644 opt/jobgait/share/"+name)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("installed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	at := filepath.Join(dest, "opt/jobgait")
	foreign := []string{at + "/etc/jobgait.toml", at + "/libexec/jobgait/site-hook"}
	for _, path := range foreign {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("# the site's\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	shell(t, install+"install "+stubs(t, "2")+" /opt/jobgait")
	for _, call := range []string{"bin/jobgait", "libexec/jobgait/prolog", "libexec/jobgait/epilog"} {
		if out := shell(t, filepath.Join(at, call)); !strings.HasSuffix(out, " 2\n") {
			t.Errorf("%s after the upgrade says %q", call, out)
		}
	}
	shell(t, install+"remove /opt/jobgait")
	if left := files(t, dest); !slices.Equal(left,
		[]string{"0644 opt/jobgait/etc/jobgait.toml", "0644 opt/jobgait/libexec/jobgait/site-hook"}) {
		t.Errorf("after the removal there is %v", left)
	}
}

// Every path in what is installed is that of the prefix, and systemd takes the units.
func TestInstalledPaths(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "jobgait")
	shell(t, "packaging/install.sh install "+stubs(t, "1")+" "+prefix)
	for _, f := range files(t, prefix) {
		_, path, _ := strings.Cut(f, " ")
		if strings.HasPrefix(path, "libexec/") || path == "bin/jobgait" {
			continue // the hooks look into /usr/libexec as well
		}
		text, err := os.ReadFile(filepath.Join(prefix, path))
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range []string{"/usr/libexec", "/usr/share"} {
			if strings.Contains(string(text), other) {
				t.Errorf("%s names %s", path, other)
			}
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze: the units were not verified")
	}
	units, err := filepath.Glob(prefix + "/lib/systemd/system/*")
	if err != nil || len(units) != 6 {
		t.Fatalf("%v, %v", units, err)
	}
	out, err := exec.Command(analyze, append([]string{"verify", "--man=no"}, units...)...).CombinedOutput()
	if err != nil || strings.Contains(string(out), "jobgait") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

// The shipped account and directories, as systemd makes them.
func TestAccountAndDirectories(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make accounts and give directories away")
	}
	for _, tool := range []string{"systemd-sysusers", "systemd-tmpfiles"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	at := t.TempDir()
	if err := os.Mkdir(at+"/etc", 0o755); err != nil { // a separate directory: nothing on this machine is changed
		t.Fatal(err)
	}
	shell(t, "systemd-sysusers --root="+at+" $PWD/configs/sysusers.d/jobgait.conf")
	shell(t, "systemd-tmpfiles --create --root="+at+" $PWD/configs/tmpfiles.d/jobgait.conf")
	passwd, err := os.ReadFile(at + "/etc/passwd")
	if err != nil {
		t.Fatal(err)
	}
	account := strings.Split(strings.TrimSpace(string(passwd)), ":")
	if len(account) != 7 || account[0] != "jobgait" || account[6] != "/usr/sbin/nologin" {
		t.Fatalf("account %q", passwd)
	}
	for path, want := range map[string]string{"/var/spool/jobgait": "0711 0", "/var/spool/jobgait/collect": "0700 " +
		account[2]} {
		info, err := os.Stat(at + path)
		if err != nil {
			t.Fatal(err)
		}
		uid := strconv.Itoa(int(info.Sys().(*syscall.Stat_t).Uid))
		if got := fmt.Sprintf("%04o %s", info.Mode().Perm(), uid); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// Installing the SPANK plugin does not replace a plugstack.conf that names the
// site's own plugins.
func TestPlugstackStays(t *testing.T) {
	dir := t.TempDir()
	conf := dir + "/conf/plugstack.conf"
	command := fmt.Sprintf("make -s -C spank -o %[1]s/build/jobgait.so BUILD=%[1]s/build PLUGINDIR=%[1]s/lib "+
		"CONFDIR=%[1]s/conf install", dir)
	if err := os.Mkdir(dir+"/build", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/build/jobgait.so", nil, 0o755); err != nil {
		t.Fatal(err)
	}
	line := "optional " + dir + "/lib/jobgait.so\n"
	for range 2 {
		shell(t, command)
		if b, err := os.ReadFile(conf); string(b) != line {
			t.Errorf("%q, %v", b, err)
		}
	}
	site := "required /usr/lib/slurm/site.so\n"
	if err := os.WriteFile(conf, []byte(site), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := shell(t, command); !strings.Contains(out, line) {
		t.Errorf("it does not say which line is missing: %q", out)
	}
	if b, _ := os.ReadFile(conf); string(b) != site {
		t.Errorf("the site's plugstack.conf is now %q", b)
	}
}
