package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// maxAnswer bounds what a program says, and maxFile what is read of a file: a
// slurm.conf of ten thousand nodes has some hundred KB.
const (
	maxAnswer = 1 << 20
	maxFile   = 4 << 20
)

// answer runs a program with nothing in its environment but env, and returns what
// it printed, on either stream. The error of one that failed is its last line.
func answer(ctx context.Context, limit time.Duration, env []string, program string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = "/", append([]string{"LC_ALL=C", "TZ=UTC"}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out := &limited{left: maxAnswer}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	said := out.Bytes()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return said, fmt.Errorf("no answer within %v", limit)
	case errors.As(err, &exit): // its last line says what came of the others
		last := bytes.TrimSpace(said)
		return said, fmt.Errorf("%w: %s", err, last[bytes.LastIndexByte(last, '\n')+1:])
	}
	return said, err
}

// limited keeps the first bytes that are written to it.
type limited struct {
	bytes.Buffer
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	keep := b[:min(len(b), l.left)]
	l.left -= len(keep)
	_, _ = l.Buffer.Write(keep)
	return len(b), nil
}

// read returns the text of a plain file.
func read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "read", Path: path, Err: errors.Join(err, errors.New("not a file"))}
	}
	return io.ReadAll(io.LimitReader(f, maxFile))
}
