package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/job/jobtest"
)

// tracerVerb makes the test program a user that attacks the children of a process.
const tracerVerb = "--trace-children-of"

// trace attacks the children of a process with the rights of their user throughout their lives: it stops them if
// the kernel permits, traces them and reads them. It prints what it obtained, and after each round over the
// children their number.
func trace(parent string) {
	say := bufio.NewWriter(os.Stdout)
	for {
		lists, _ := filepath.Glob("/proc/" + parent + "/task/*/children")
		seen := 0
		for _, list := range lists {
			text, _ := os.ReadFile(list)
			for _, f := range strings.Fields(string(text)) {
				pid, _ := strconv.Atoi(f)
				if pid == os.Getpid() {
					continue
				}
				seen++
				if got := attack(pid); len(got) > 0 {
					fmt.Fprintln(say, pid, got)
					_ = say.Flush()
					_ = unix.Kill(pid, unix.SIGKILL)
					_, _ = unix.Wait4(pid, nil, unix.WALL, nil) // the parent of the traced child waits for the tracer
				}
			}
		}
		fmt.Fprintln(say, seen, "seen")
		if say.Flush() != nil {
			return
		}
	}
}

// attack tries everything that would let its caller into a process.
func attack(pid int) (got []string) {
	stopped := unix.Kill(pid, unix.SIGSTOP) == nil // what runs as him he may stop: more time to look
	proc := "/proc/" + strconv.Itoa(pid) + "/"
	for range 2 {
		if _, _, e := unix.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(pid), 0, 0, 0, 0); e == 0 {
			got = append(got, "is traced")
		}
		for _, file := range []string{"mem", "environ", "maps", "auxv"} {
			if f, err := os.Open(proc + file); err == nil {
				if n, err := f.Read(make([]byte, 64)); n > 0 || file == "mem" && errors.Is(err, unix.EIO) {
					got = append(got, "shows "+file)
				}
				_ = f.Close()
			}
		}
		if _, err := os.Readlink(proc + "fd/0"); err == nil {
			got = append(got, "shows its descriptors")
		}
	}
	if stopped && len(got) == 0 {
		_ = unix.Kill(pid, unix.SIGCONT)
	}
	return got
}

// attacked runs work while a process of the account nobody attacks the children of this process, and returns
// what the attack obtained. Work receives the number of children seen.
func attacked(t *testing.T, work func(seen *atomic.Int64)) (got []string) {
	t.Helper()
	self := filepath.Join(t.TempDir(), "tracer") // where the account nobody can execute it
	must(t, jobtest.CopyTestProgram(self))
	for dir := filepath.Dir(self); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o755))
	}
	cmd := exec.Command(self, tracerVerb, strconv.Itoa(os.Getpid()), "x")
	cmd.Dir, cmd.Env = "/", []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: accountUID, Gid: accountUID},
		Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	must(t, errors.Join(err, cmd.Start()))
	var seen atomic.Int64
	begun, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		once := sync.OnceFunc(func() { close(begun) })
		for lines := bufio.NewScanner(out); lines.Scan(); {
			who, what, _ := strings.Cut(lines.Text(), " ")
			if what != "seen" {
				got = append(got, lines.Text())
				continue
			}
			n, _ := strconv.Atoi(who)
			seen.Add(int64(n))
			once()
		}
	}()
	<-begun
	work(&seen)
	_ = cmd.Process.Kill()
	<-ended
	_ = cmd.Wait()
	return got
}

// The account whose rights a child has can at no moment of its life stop it and look
// into it, read it or trace it.
func TestChildCannotBeTraced(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another account")
	}
	self, err := os.Executable()
	must(t, err)
	account := as.Account{UID: accountUID, GID: accountUID, Groups: []uint32{accountUID}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got := attacked(t, func(seen *atomic.Int64) {
		var all sync.WaitGroup
		for verb := range accountChildren() {
			all.Go(func() {
				// On a machine that is full he may come too late for the first.
				for n := 0; n < jobtest.Rounds(2) || seen.Load() == 0 && ctx.Err() == nil; n++ {
					// what it answers is not the point
					_, _ = as.Ask[any](ctx, as.Child{Program: self, Account: account}, verb, struct{}{})
				}
			})
		}
		all.Wait()
	})
	if len(got) > 0 {
		t.Errorf("%.1000q", got)
	}
}

// And one that has the account from its first instruction on is: the attack is one.
func TestChildOfTheOldKindIsTraced(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become another account")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	got := attacked(t, func(*atomic.Int64) {
		cmd := exec.CommandContext(ctx, "/bin/cat") // which waits until he kills it
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: accountUID, Gid: accountUID}}
		_, err := cmd.StdinPipe()
		must(t, errors.Join(err, cmd.Start()))
		_ = cmd.Wait()
	})
	if len(got) == 0 {
		t.Error("it was not")
	}
}
