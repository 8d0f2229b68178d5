// Package as runs a part of this program as another account: an account, a
// verb and bytes come in, bytes go out. It exists because a root process must
// not touch a user's files or a shared directory of another account: paths
// there are under that account's control while we write, and root is nobody on
// many shared file systems. The work is done by a child that starts with the
// account's uid, gid and groups, no environment, no inherited descriptors and
// no way to gain privileges.
//
// It refuses to believe the child: output is bounded, and a child that hangs on
// a dead file system is killed and left behind, never waited for.
package as

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
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

// Run starts program with args as the account, gives it input and returns its
// output, which must not be longer than limit bytes: whoever has the account can
// make the child say anything. When ctx ends the child is killed and not waited for: one that is
// stuck in the kernel cannot be.
func (a Account) Run(ctx context.Context, program string, args []string, input []byte, limit int) ([]byte, error) {
	var output bytes.Buffer
	if err := a.RunTo(ctx, program, args, input, limit, &output); err != nil {
		return nil, err
	}
	return output.Bytes(), nil
}

// RunTo does the same and writes the output to out as it comes. When ctx ends out may
// still be written to.
func (a Account) RunTo(ctx context.Context, program string, args []string, input []byte, limit int, out io.Writer) error {
	cmd := exec.Command(program, args...)
	cmd.Dir = "/"
	cmd.Env = []string{}
	cmd.Stdin = bytes.NewReader(input)
	var complaint bytes.Buffer
	cmd.Stderr = &limited{w: &complaint, left: 4096}
	cmd.Stdout = &limited{w: out, left: limit}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if !a.Current() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.UID, Gid: a.GID, Groups: a.Groups}
	}
	if err := job.CloseOnExec(); err != nil {
		return fmt.Errorf("start %s as uid %d: %w", args[0], a.UID, err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s as uid %d: %w", args[0], a.UID, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s as uid %d: %w: %s", args[0], a.UID, err, note.Clean(complaint.String(), 300))
		}
		return nil
	case <-ctx.Done():
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it leads a session: what it started goes too
		return fmt.Errorf("%s as uid %d was given up, a file system hangs: %w", args[0], a.UID, ctx.Err())
	}
}

// Confine is the first thing a child does: it can gain no privilege, write no
// file larger than 256 MB, and leaves no core.
func Confine() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up gaining privileges: %w", err)
	}
	// Other processes of the account have no business in here.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("keep others out: %w", err)
	}
	unix.Umask(0o022)
	for what, limit := range map[int]uint64{unix.RLIMIT_FSIZE: 256 << 20, unix.RLIMIT_CORE: 0} {
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: limit, Max: limit}); err != nil {
			return fmt.Errorf("limit the child: %w", err)
		}
	}
	return nil
}

// errTooMuch ends a child that writes without end.
var errTooMuch = errors.New("too much output")

// limited passes bytes on until left are used up, then fails.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	if len(b) > l.left {
		return 0, errTooMuch
	}
	l.left -= len(b)
	return l.w.Write(b)
}
