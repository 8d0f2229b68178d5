package stack

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek/peektest"
)

// isFree reports whether a process is neither traced nor stopped, or is gone.
func isFree(pid int) bool {
	_, tracer, ok := ownerAndTracer("/proc", pid)
	return !ok || tracer == 0 && stateOf("/proc", pid) != "t"
}

// unreadCopier starts a copier below a shell, sends it these processes, and waits until the pipe for its answers is
// full, which nobody reads. It returns the shell.
func unreadCopier(t *testing.T, pids ...int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	question := fmt.Sprintf(`{"pids":%s,"uid":%d,"for_ms":60000}`, jsonList(pids), os.Getuid())
	cmd := exec.Command("/bin/sh", "-c", `"$@"; exit`, "sh", self, as.CopyStacks)
	cmd.Args = append(cmd.Args, as.Self().Args()...)
	cmd.Stdin, cmd.Stdout = strings.NewReader(question), in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = out.Close() // ends the copier
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	_ = in.Close()
	jobtest.Until(t, "the pipe is full", func() bool {
		n, err := unix.IoctlGetInt(int(out.Fd()), unix.TIOCINQ)
		return err == nil && n > 1<<15
	})
	return cmd
}

// A thread that stops late, while the copier waits for the reader of its answers, does not stay stopped.
func TestThreadThatStopsLateIsLetGo(t *testing.T) {
	dir := t.TempDir()
	free, asked := peektest.MountHangingAndNotify(t, dir)
	pid := start(t, "/bin/cat", filepath.Join(dir, "file"))
	<-asked
	unreadCopier(t, append([]int{pid}, slices.Repeat(sleepers(t, 1), MaxProcesses-1)...)...)
	free()
	jobtest.Until(t, "the thread goes on", func() bool { return isFree(pid) })
}

// The copier ends with its parent, whatever it waits for.
func TestCopierEndsWithItsParent(t *testing.T) {
	shell := unreadCopier(t, slices.Repeat(sleepers(t, 1), MaxProcesses)...)
	own := func(pid int) bool { return pid == shell.Process.Pid }
	children := slices.DeleteFunc(Descendants("/proc", shell.Process.Pid), own)
	if len(children) != 1 {
		t.Fatalf("children of the shell: %v", children)
	}
	if err := shell.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	jobtest.Until(t, "the copier has ended", func() bool {
		return ended(children[0]) || errors.Is(unix.Kill(children[0], 0), unix.ESRCH)
	})
}

// A thread that turns out to be of another user or process after it was seized is let go.
func TestForeignThreadIsLetGo(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pid, self := start(t, "/bin/sleep", "1000"), uint32(os.Getuid())
	for name, c := range map[string]struct {
		uid uint32
		of  int
	}{"another user": {self + 1, pid}, "another process": {self, os.Getpid()}} {
		copying := copier{proc: "/proc", uid: c.uid, buffer: make([]byte, StackBytes), kill: func() {}}
		got := ThreadCopy{PID: c.of, TID: pid}
		copying.copyThread(&got)
		if got.Trouble != Foreign || len(got.Stack) > 0 {
			t.Errorf("%s: %q, %d bytes", name, got.Trouble, len(got.Stack))
		}
		jobtest.Until(t, "the thread of "+name+" is let go", func() bool {
			copying.releaseLate()
			return isFree(pid)
		})
	}
}
