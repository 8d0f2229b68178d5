package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"jobgait/agent/job/jobtest"
	"jobgait/agent/stack"
	groups "jobgait/analysis/stacks"
	stacks "jobgait/reports/stack"
)

// waits is a program that sleeps in one of its functions.
const waits = `#include <unistd.h>
__attribute__((noinline)) static void write_checkpoint(void) {
	for (;;)
		pause();
}
int main(void) {
	write_checkpoint();
	return 0;
}
`

func compiled(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "waits")
	if err := os.WriteFile(path+".c", []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gcc", "-O2", "-g", "-o", path, path+".c")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("no compiler: %v\n%s", err, out)
	}
	return path
}

// A run of `jobgait run` is found without an argument, by its number and by its process id, and a single process
// by its process id.
func TestStackOfARun(t *testing.T) {
	b := newBox(t)
	run := b.command("run", compiled(t, waits))
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = run.Process.Signal(syscall.SIGTERM)
		_ = run.Wait()
	}()
	var m stacks.MergedStacks
	said := ""
	jobtest.Until(t, "the stack of the newest run is read", func() bool {
		r := end(t, b.command("stack", "--json"))
		said = r.out + r.complaint
		return json.Unmarshal([]byte(r.out), &m) == nil && len(m.Groups) == 1 && strings.Contains(r.out, "write_checkpoint")
	})
	if m.Schema != stacks.Schema || m.JobID == nil || m.Tasks != 1 || m.Groups[0].State != groups.Sleeping {
		t.Errorf("%s", said)
	}
	names := []string{strconv.FormatInt(*m.JobID, 10), strconv.Itoa(run.Process.Pid), strconv.Itoa(m.Groups[0].PIDs[0])}
	for _, what := range names {
		r := end(t, b.command("stack", what))
		if want := "1 of 1 task is in write_checkpoint (waits.c:4), asleep in pause.\n"; !strings.HasPrefix(r.out, want) {
			t.Errorf("stack %s: %q %q, want %q", what, r.out, r.complaint, want)
		}
	}
}

// The step on all nodes has time to start and to list the job's processes beside reading their stacks, and the help
// states its limit.
func TestLimitOfTheStackStep(t *testing.T) {
	if rest := stepLimit - stack.ReadingLimit; rest <= maxListTime {
		t.Errorf("beside reading, the step has %v, of which listing the processes may take %v", rest, maxListTime)
	}
	if help := stackCommand(os.Getenv).Long; !strings.Contains(help, "\nsrun, within 70 seconds;") {
		t.Error(help)
	}
}

// Another user's process is refused with one line, and is not stopped.
func TestStackOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another account")
	}
	b := newBox(t)
	cmd := exec.Command(compiled(t, waits))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	call := b.command("stack", strconv.Itoa(cmd.Process.Pid))
	call.Dir, call.Env = "/", []string{"HOME=" + filepath.Join(t.TempDir(), "absent")}
	call.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	r := end(t, call)
	oneLine := strings.HasSuffix(r.complaint, "belongs to another user: name a job or process of yours\n") &&
		strings.Count(r.complaint, "\n") == 1
	if r.status.ExitStatus() != 1 || r.out != "" || !oneLine {
		t.Errorf("status %d, %q, %q", r.status.ExitStatus(), r.out, r.complaint)
	}
}
