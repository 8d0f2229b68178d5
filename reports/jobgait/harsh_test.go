package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"jobgait/agent/job"
	"jobgait/agent/profile"
)

func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
}

// The spool becomes full while the command runs: the report says so and exists, the exit status is that of the
// command, no agent stays, and the samples up to then are used.
func TestDiskFillsUp(t *testing.T) {
	t.Parallel()
	needRoot(t)
	b := newBox(t)
	small := t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=512k"); err != nil {
		t.Skipf("no small disk available: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(small, syscall.MNT_DETACH) })
	b.env = append(b.env, "XDG_STATE_HOME="+small)
	busy := "end=$((SECONDS+3)); while ((SECONDS < end)); do :; done;"
	fill := fmt.Sprintf("head -c 1M /dev/zero 2>/dev/null > %s/fill;", small)
	r := end(t, b.command("run", "--", "bash", "-c", busy+fill+busy+"exit 6"))
	if r.status.ExitStatus() != 6 || r.complaint != "" {
		t.Errorf("%v: %q", r.status, r.complaint)
	}
	if text := b.report(); !strings.Contains(text, "no space left") {
		t.Errorf("the report does not say that the spool was full:\n%s", text)
	}
	dir := job.RunDir(filepath.Join(small, "jobgait", host(t), "local_"+host(t)+"-1.r0"))
	if p, err := profile.Read(dir.ProfilePath()); err != nil || len(p.Blocks) == 0 {
		t.Errorf("profile: %v, %+v", err, p)
	}
	if p, err := job.ReadProcess(dir.PIDPath()); err != nil || p.Alive() {
		t.Errorf("the agent is left: %+v %v", p, err)
	}
}

// An ordinary user gets a report from what the kernel permits users to see.
func TestOrdinaryUser(t *testing.T) {
	t.Parallel()
	needRoot(t)
	b := newBox(t)
	home := filepath.Dir(b.work)
	for _, dir := range []string{b.work, home} {
		if err := os.Chown(dir, 65534, 65534); err != nil {
			t.Fatal(err)
		}
	}
	// The programs may lie where only root gets to.
	programs := filepath.Join(home, "programs")
	if out, err := exec.Command("cp", "-r", bin(t), programs).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	cmd := exec.Command(filepath.Join(programs, "jobgait"), "run", "--", "bash", "-c",
		"end=$((SECONDS+3)); while ((SECONDS < end)); do :; done; id -u")
	cmd.Dir, cmd.Env = b.work, b.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	r := end(t, cmd)
	if r.status != 0 || r.out != "65534\n" || r.complaint != "" {
		t.Fatalf("%v: %q %q", r.status, r.out, r.complaint)
	}
	text := b.report()
	info, err := os.Stat(filepath.Join(b.work, "jobgait-1.txt"))
	if err != nil || info.Sys().(*syscall.Stat_t).Uid != 65534 {
		t.Errorf("owner: %v %v", info, err)
	}
	// Which of the two depends on kernel.perf_event_paranoid of this machine.
	if !strings.Contains(text, "the command and what it started") && !strings.Contains(text, "perf_event_paranoid") {
		t.Errorf("the report does not say what was allowed:\n%s", text)
	}
}

// An address space that is too small for Go's runtime does not prevent COMMAND from running.
func TestSmallAddressSpace(t *testing.T) {
	for _, c := range []struct{ flags, out string }{{"", "ran"}, {"--", "ran"}, {"--name n -o . --label=a=b --", "ran"}} {
		b := newBox(t)
		cmd := exec.Command("bash", "-c", "ulimit -v 300000; exec "+filepath.Join(bin(t), "jobgait")+" run "+c.flags+
			" echo ran -- -- x")
		cmd.Dir, cmd.Env = b.work, b.env
		r := end(t, cmd)
		if strings.TrimSpace(r.out) != c.out+" -- -- x" || r.status.ExitStatus() != 0 ||
			strings.Count(r.complaint, "\n") != 1 {
			t.Errorf("%q: %v, %q, %q", c.flags, r.status, r.out, r.complaint)
		}
	}
	b := newBox(t)
	cmd := exec.Command("bash", "-c", "ulimit -v 300000; exec "+filepath.Join(bin(t), "jobgait")+" run -- no-such-command")
	cmd.Dir, cmd.Env = b.work, b.env
	if r := end(t, cmd); r.status.ExitStatus() != notFound {
		t.Errorf("%v, %q", r.status, r.complaint)
	}
}
