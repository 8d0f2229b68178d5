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

	"jobgait/agent/as"
)

// maxOutput limits the output of a program, maxFile what is read of a file, in bytes. A slurm.conf of ten
// thousand nodes has some hundred KB.
const (
	maxOutput = 1 << 20
	maxFile   = 4 << 20
)

// runCommand runs a program with only env and a fixed locale and time zone in its environment, for at most
// limit, and returns its output, both streams together. The error of a failed program contains its last line.
func runCommand(ctx context.Context, limit time.Duration, env []string, program string, args ...string) ([]byte,
	error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = "/", append([]string{"LC_ALL=C", "TZ=UTC"}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out := &as.LimitedBuffer{Remaining: maxOutput}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	said := out.Bytes()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return said, fmt.Errorf("%s gave no answer within %v: run it by hand", program, limit)
	case errors.As(err, &exit): // its last line says what came of the others
		last := bytes.TrimSpace(said)
		return said, fmt.Errorf("run %s: %w: %s", program, err, last[bytes.LastIndexByte(last, '\n')+1:])
	}
	return said, err
}

// readPlainFile returns the first maxFile bytes of a regular file. It never blocks on a pipe.
func readPlainFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		err = errors.Join(err, errors.New("want a regular file, not a directory or device"))
		return nil, &os.PathError{Op: "read", Path: path, Err: err}
	}
	return io.ReadAll(io.LimitReader(f, maxFile))
}
