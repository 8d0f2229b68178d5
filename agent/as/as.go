// Package as runs a part of this program with the rights of another account. An account, a verb and a request
// go in; answers come out. verbs.go has the table of all child processes and their protocol. A root process
// must not touch the files of a user or the shared directory of another account: that account controls the
// paths while root writes, and many shared file systems map root to an unprivileged user. A child process does
// the work. It has the account's uid, gid and groups, no environment, no inherited descriptors and no way to
// gain privileges.
//
// The child starts with the rights of its parent and takes the account itself (Take). A process that has the
// account from its first instruction could be stopped, traced and changed by that account before it protects
// itself. The account can only stop or kill the child.
//
// The parent does not trust the child: it bounds the output, and it kills a child that hangs on a dead file
// system without waiting for it.
package as

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"jobgait/analysis/note"
)

// Account is whose rights a child has.
type Account struct {
	UID, GID uint32
	Groups   []uint32
}

// Current is whether the account is that of this process, so that no child is
// needed.
func (a Account) Current() bool { return int(a.UID) == os.Getuid() && int(a.UID) == os.Geteuid() }

// run starts a verb of the program as the account, gives it input and writes its output to out as it comes, limit bytes
// at most. When ctx ends the child is killed and not waited for: one that is stuck in the kernel cannot be. input may
// still be read and out written to then.
func (c Child) run(ctx context.Context, verb string, input io.Reader, limit int, out io.Writer) error {
	cmd := exec.Command(c.Program, append([]string{verb}, c.Account.Args()...)...)
	cmd.Dir = "/"
	cmd.Env = []string{}
	cmd.Stdin = input
	var complaint bytes.Buffer
	cmd.Stderr = &limited{w: &complaint, left: 4096}
	bounded := &limited{w: out, left: limit}
	cmd.Stdout = bounded
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	runtime.LockOSThread() // a bound child ends with the thread that started it
	defer runtime.UnlockOSThread()
	err := CloseOnExec()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if bounded.exceeded {
			return errTooMuch
		}
		if err != nil {
			return fmt.Errorf("%w: %s", err, note.Clean(complaint.String(), 300))
		}
		return nil
	case <-ctx.Done():
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it leads a session: what it started goes too
		if c.Left != nil {
			c.Left(cmd.Process.Pid)
		}
		return fmt.Errorf("abandoned because a file system hangs: %w", ctx.Err())
	}
}

// Start starts a verb of the program that answers until its input ends: questions come to it from in, answers go to
// out.
func (c Child) Start(verb string, in, out *os.File) (*os.Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = null.Close() }()
	if err := CloseOnExec(); err != nil {
		return nil, err
	}
	return os.StartProcess(c.Program, append([]string{c.Program, verb}, c.Account.Args()...),
		&os.ProcAttr{Dir: "/", Env: []string{},
			Files: []*os.File{in, out, null}, Sys: &syscall.SysProcAttr{Setsid: true}})
}

// errTooMuch ends a child that writes without end.
var errTooMuch = errors.New("too much output")

// limited passes bytes on until left are used up, then fails.
type limited struct {
	w        io.Writer
	left     int
	exceeded bool
}

func (l *limited) Write(b []byte) (int, error) {
	if len(b) > l.left {
		l.exceeded = true
		return 0, errTooMuch
	}
	l.left -= len(b)
	return l.w.Write(b)
}

// CloseOnExec marks every descriptor above 2 as not to be inherited: a pipe that
// slurmd left open must not be held by an agent or worker, and nothing of root's
// must reach a child with a user's rights. Go opens its own that way already.
func CloseOnExec() error {
	err := unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC)
	if !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EINVAL) {
		return err
	}
	// Linux before 5.11.
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}
