// Package as runs a part of this program as another account: an account, a
// verb and bytes come in, bytes go out. It exists because a root process must
// not touch a user's files or a shared directory of another account: paths
// there are under that account's control while we write, and root is nobody on
// many shared file systems. The work is done by a child with the account's uid, gid
// and groups, no environment, no inherited descriptors and no way to gain privileges.
//
// The child takes the account itself (Take): it is started as we are, since one that
// has the account from its first instruction on can be stopped, traced and changed by
// it before it has shut the door. What the account can do to ours is stop and kill it.
//
// It refuses to believe the child: output is bounded, and a child that hangs on
// a dead file system is killed and left behind, never waited for.
package as

import (
	"bytes"
	"context"
	"encoding/json"
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

// Ask has a verb of program answer a question as the account, both in JSON; the rest is
// as Run has it. Verbs that are asked are of Answer.
func Ask[A any](ctx context.Context, a Account, program, verb string, question any, limit int) (answer A, err error) {
	input, err := json.Marshal(question)
	if err != nil {
		return answer, fmt.Errorf("ask %s: %w", verb, err)
	}
	output, err := a.Run(ctx, program, verb, input, limit)
	if err != nil {
		return answer, err
	}
	if err := json.Unmarshal(output, &answer); err != nil {
		return answer, fmt.Errorf("%s as uid %d: its answer: %w", verb, a.UID, err)
	}
	return answer, nil
}

// Answer is the child of Ask, with its arguments: a question on in, the answer on out.
func Answer[Q, A any](args []string, in io.Reader, out io.Writer, answer func(Q) A) error {
	if err := Confine(args); err != nil {
		return err
	}
	var q Q
	if err := json.NewDecoder(in).Decode(&q); err != nil {
		return fmt.Errorf("read the question: %w", err)
	}
	return json.NewEncoder(out).Encode(answer(q))
}

// Run starts a verb of program as the account, gives it input and returns its output,
// which must not be longer than limit bytes: whoever has the account can make the
// child say anything. When ctx ends the child is killed and not waited for: one that
// is stuck in the kernel cannot be.
func (a Account) Run(ctx context.Context, program, verb string, input []byte, limit int) ([]byte, error) {
	var output bytes.Buffer
	if err := a.RunTo(ctx, program, verb, input, limit, &output); err != nil {
		return nil, err
	}
	return output.Bytes(), nil
}

// RunTo does the same and writes the output to out as it comes. When ctx ends out may
// still be written to.
func (a Account) RunTo(ctx context.Context, program, verb string, input []byte, limit int, out io.Writer) error {
	return a.RunFrom(ctx, program, verb, bytes.NewReader(input), limit, out)
}

// RunFrom does the same with input that is read as the child takes it; when ctx ends it
// may still be read.
func (a Account) RunFrom(ctx context.Context, program, verb string, input io.Reader, limit int, out io.Writer) error {
	cmd := exec.Command(program, append([]string{verb}, a.Args()...)...)
	cmd.Dir = "/"
	cmd.Env = []string{}
	cmd.Stdin = input
	var complaint bytes.Buffer
	cmd.Stderr = &limited{w: &complaint, left: 4096}
	cmd.Stdout = &limited{w: out, left: limit}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	runtime.LockOSThread() // a child that is bound ends with the thread that started it
	defer runtime.UnlockOSThread()
	err := CloseOnExec()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("start %s for uid %d: %w", verb, a.UID, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s as uid %d: %w: %s", verb, a.UID, err, note.Clean(complaint.String(), 300))
		}
		return nil
	case <-ctx.Done():
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it leads a session: what it started goes too
		return fmt.Errorf("%s as uid %d was given up, a file system hangs: %w", verb, a.UID, ctx.Err())
	}
}

// Start starts a verb of program for the account that talks as long as its starter
// does: questions come to it from in, answers go to out.
func (a Account) Start(program, verb string, in, out *os.File) (*os.Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = null.Close() }()
	if err := CloseOnExec(); err != nil {
		return nil, err
	}
	return os.StartProcess(program, append([]string{program, verb}, a.Args()...), &os.ProcAttr{Dir: "/", Env: []string{},
		Files: []*os.File{in, out, null}, Sys: &syscall.SysProcAttr{Setsid: true}})
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
