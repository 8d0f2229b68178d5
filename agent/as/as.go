// Package as runs a part of this program with the rights of another account. An account, a verb and a request
// go in; answers come out. verbs.go has the table of these child processes and their protocol. A root process
// must not touch the files of a user or the shared directory of another account: that account controls the
// paths while root writes, and many shared file systems map root to an unprivileged user. A child process does
// the work. It has the account's uid, gid and groups, no environment, no inherited descriptors and no way to
// gain privileges.
//
// The child starts with the rights of its parent and changes to the account itself (BecomeAccount). A process
// that has the account from its first instruction could be stopped, traced and changed by that account before
// it protects itself. The account can only stop or kill the child.
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
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"jobgait/analysis/note"
)

// Account is the user and groups whose rights a child takes.
type Account struct {
	UID, GID uint32
	Groups   []uint32
}

// IsCurrent reports whether this process already has the account's user id, real and effective, so that no
// child is needed. It does not compare groups.
func (a Account) IsCurrent() bool { return int(a.UID) == os.Getuid() && int(a.UID) == os.Geteuid() }

// run starts a child for a verb with the account's arguments, passes input to it and writes its output to out
// as it arrives, at most limit bytes; more is an error. The error of a child that fails is what it wrote to standard
// error. When ctx ends, run kills the child and does not wait for it, because the child may be stuck in the kernel;
// input may still be read and out written then.
func (c Child) run(ctx context.Context, verb string, input io.Reader, limit int, out io.Writer) error {
	if c.MayStart != nil {
		if err := c.MayStart(); err != nil {
			return err
		}
	}
	cmd := exec.Command(c.Program, append([]string{verb}, c.Account.Args()...)...)
	cmd.Dir = "/"
	cmd.Env = []string{}
	cmd.Stdin = input
	var complaint bytes.Buffer
	cmd.Stderr = &limitedWriter{w: &complaint, remaining: 4096}
	bounded := &limitedWriter{w: out, remaining: limit}
	cmd.Stdout = bounded
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	runtime.LockOSThread() // a bound child ends with the thread that started it
	defer runtime.UnlockOSThread()
	err := CloseOnExec()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("start the child process %s: %w", verb, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if bounded.exceeded {
			return fmt.Errorf("the child process %s wrote more than %d bytes: %w", verb, limit, errOutputTooLarge)
		}
		if err != nil {
			text := strings.TrimPrefix(note.Clean(complaint.String(), 300), filepath.Base(c.Program)+": ")
			if text != "" {
				return errors.New(text)
			}
			return fmt.Errorf("the child process %s failed without a message: %w: if it was killed, see dmesg", verb, err)
		}
		return nil
	case <-ctx.Done():
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it leads a session: what it started goes too
		if c.OnAbandoned != nil {
			c.OnAbandoned(cmd.Process.Pid)
		}
		return fmt.Errorf("the child process %s exceeded its time limit (%w): check for a file system that hangs",
			verb, ctx.Err())
	}
}

// Start starts a child for a verb that answers requests until its input ends: it reads requests from in and
// writes answers to out. Its errors go to /dev/null. The caller closes in and out and ends the process.
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

// errOutputTooLarge is returned for a child that writes more than its limit.
var errOutputTooLarge = errors.New("its answer is too long and is discarded")

// limitedWriter writes to w until remaining bytes are written, then fails.
type limitedWriter struct {
	w         io.Writer
	remaining int
	exceeded  bool
}

// Write writes b to the underlying writer, or fails with errOutputTooLarge if it does not fit.
func (l *limitedWriter) Write(b []byte) (int, error) {
	if len(b) > l.remaining {
		l.exceeded = true
		return 0, errOutputTooLarge
	}
	l.remaining -= len(b)
	return l.w.Write(b)
}

// CloseOnExec sets close-on-exec on all descriptors above 2. So an agent or worker does not hold a pipe that
// slurmd left open, and no descriptor of root reaches a child with a user's rights. Go sets it on the files
// that it opens.
func CloseOnExec() error {
	err := unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC)
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EINVAL):
		return fmt.Errorf("set close-on-exec on inherited file descriptors: %w: programs that this one starts inherit them",
			err)
	}
	// Linux before 5.11.
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("list the inherited file descriptors: %w: programs that this one starts inherit them", err)
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}
