package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
)

// program writes a script that lists its descriptors and waits.
func program(t *testing.T) (Spec, string) {
	t.Helper()
	dir := t.TempDir()
	path, seen := filepath.Join(dir, "agent"), filepath.Join(dir, "seen")
	script := fmt.Sprintf("#!/bin/sh\n/bin/ls -l /proc/self/fd >%[1]s.new\necho \"$*\" >>%[1]s.new\n/bin/mv %[1]s.new "+
		"%[1]s\nexec /bin/sleep 600\n", seen)
	if err := jobtest.WriteProgram(path, []byte(script)); err != nil {
		t.Fatal(err)
	}
	return Spec{Program: path, Args: []string{"--lock-fd", "3", "/run/dir"}, Log: filepath.Join(dir, "log")}, seen
}

func TestDetachHandsOnTheLockOnly(t *testing.T) {
	s, seen := program(t)
	lockPath := filepath.Join(t.TempDir(), "lock")
	lock, err := os.Create(lockPath)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	// What slurmd might have left open: a pipe that an exec keeps.
	var pipe [2]int
	if err := syscall.Pipe(pipe[:]); err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(pipe[0])
	pid, pidfd, err := Detach(s, lock)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(pidfd)
	info, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", pidfd))
	if err != nil || !strings.Contains(string(info), fmt.Sprintf("\nPid:\t%d\n", pid)) {
		t.Errorf("process %d, its pidfd is of\n%s%v", pid, info, err)
	}
	p, err := job.ProcessOf(pid)
	if err != nil {
		t.Fatal(err)
	}
	lock.Close()
	t.Cleanup(func() {
		if _, err := p.Stop(time.Second); err != nil {
			t.Error(err)
		}
	})
	jobtest.Until(t, "the program has said something", func() bool {
		_, err := os.Stat(seen)
		return err == nil
	})
	b, _ := os.ReadFile(seen)
	text := string(b)
	if strings.Contains(text, "pipe:") {
		t.Errorf("a pipe reached the program:\n%s", text)
	}
	if !strings.Contains(text, "3 -> "+lockPath+"\n") || !strings.HasSuffix(text, "--lock-fd 3 /run/dir\n") {
		t.Errorf("the lock did not reach the program:\n%s", text)
	}
	// Only this process holds the other end of the pipe: closing it ends the pipe, while the program lives.
	syscall.Close(pipe[1])
	if n, err := syscall.Read(pipe[0], make([]byte, 1)); n != 0 || err != nil || !p.Alive() {
		t.Errorf("read %d, %v; program alive: %v", n, err, p.Alive())
	}
	again, err := os.OpenFile(lockPath, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := syscall.Flock(int(again.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
		t.Errorf("lock while the program lives: %v", err)
	}
}

func TestDetachErrors(t *testing.T) {
	s, _ := program(t)
	missing := s
	missing.Program += "-missing"
	if _, _, err := Detach(missing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing program: %v", err)
	}
	// A log that is a link is not followed, and its program runs without.
	link, target := s, filepath.Join(t.TempDir(), "target")
	link.Log = target + ".link"
	if err := os.Symlink(target, link.Log); err != nil {
		t.Fatal(err)
	}
	pid, pidfd, err := Detach(link)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(pidfd)
	if _, err := os.Lstat(target); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the link was followed: %v", err)
	}
	if p, err := job.ProcessOf(pid); err != nil {
		t.Error(err)
	} else if _, err := p.Stop(time.Second); err != nil {
		t.Error(err)
	}
}

// What a program gets as input is neither among its arguments nor in its environment, which others can read.
func TestInputIsPrivate(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "program")
	text := "#!/bin/sh\n/bin/cat >" + dir + "/new; echo $# $* >" + dir + "/args; env >" + dir + "/env; /bin/mv " + dir +
		"/new " + dir + "/input\n"
	if err := jobtest.WriteProgram(script, []byte(text)); err != nil {
		t.Fatal(err)
	}
	secret := strings.Repeat("secret ", 10_000)
	if _, _, err := Detach(Spec{Program: script, Args: []string{"run"}, Log: filepath.Join(dir, "log"),
		Input: []byte(secret)}); err != nil {
		t.Fatal(err)
	}
	jobtest.Until(t, "the program has read its input", func() bool {
		got, err := os.ReadFile(filepath.Join(dir, "input"))
		return err == nil && string(got) == secret
	})
	for _, name := range []string{"args", "env"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || strings.Contains(string(got), "secret") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
