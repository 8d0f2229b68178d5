package league

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// ptraceSeize is the value of PTRACE_SEIZE in linux/ptrace.h. A process that copies stacks seizes each thread.
const ptraceSeize = 0x4206

// seizeCounter counts the threads that any process of this machine seizes, by a trace instance of its own (the kernel's
// Documentation/trace/ftrace.rst).
type seizeCounter struct{ dir string }

// newSeizeCounter begins to count. It returns an error without root, tracefs and the events of system calls.
func newSeizeCounter() (seizeCounter, error) {
	c := seizeCounter{filepath.Join("/sys/kernel/tracing/instances", fmt.Sprintf("jobgait-league-%d", os.Getpid()))}
	if err := os.Mkdir(c.dir, 0o755); err != nil {
		return seizeCounter{}, fmt.Errorf("stacks are not counted: %w (mount -t tracefs none /sys/kernel/tracing)", err)
	}
	event := filepath.Join(c.dir, "events/syscalls/sys_enter_ptrace")
	err := os.WriteFile(filepath.Join(event, "filter"), fmt.Appendf(nil, "request == %d", ptraceSeize), 0)
	if err == nil {
		err = os.WriteFile(filepath.Join(event, "enable"), []byte("1"), 0)
	}
	if err != nil {
		return seizeCounter{}, errors.Join(fmt.Errorf("stacks are not counted: %w", err), c.close())
	}
	return c, nil
}

// take returns how many threads were seized since the last call. The zero value returns an error.
func (c seizeCounter) take() (int, error) {
	if c.dir == "" {
		return 0, errors.New("not counted")
	}
	path := filepath.Join(c.dir, "trace")
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return bytes.Count(text, []byte("sys_ptrace(")), os.WriteFile(path, nil, 0)
}

func (c seizeCounter) close() error { return os.Remove(c.dir) }

// TestSeizeCounter seizes one thread; other tests may seize more.
func TestSeizeCounter(t *testing.T) {
	c, err := newSeizeCounter()
	if err != nil {
		t.Skip(err)
	}
	defer c.close()
	child := exec.Command("sleep", "600")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Process.Kill(); _ = child.Wait() }()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.PtraceSeize(child.Process.Pid); err != nil {
		t.Fatal(err)
	}
	if n, err := c.take(); n < 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
