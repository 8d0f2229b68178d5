package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// command is COMMAND: started, waiting just before its exec.
type command struct {
	pid  int
	hold *os.File // one byte through it releases the command
}

// releaseVerb makes this program the waiting half of startStopped.
const releaseVerb = "__release"

// startStopped starts COMMAND in a process that waits before its exec, so that
// counters can be attached to all of it. It is not stopped by ptrace: a traced
// exec of a setuid program loses its privilege, and COMMAND must run as it does
// without us. It has our streams, directory, process group and every
// descriptor that we were started with; the pipe that holds it keeps its own
// number, since a number of our choice may be in use (make's job server).
func startStopped(self, path string, args, environ []string) (*command, error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return nil, fmt.Errorf("start %s: %w", args[0], err)
	}
	argv := append([]string{"jobgait", releaseVerb, strconv.Itoa(p[0]), path}, args...)
	syscall.ForkLock.Lock()
	_, err := unix.FcntlInt(uintptr(p[0]), unix.F_SETFD, 0)
	syscall.ForkLock.Unlock()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", args[0], err)
	}
	proc, err := os.StartProcess(self, argv, &os.ProcAttr{Env: environ, Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	_ = unix.Close(p[0])
	hold := os.NewFile(uintptr(p[1]), "hold")
	if err != nil {
		_ = hold.Close()
		return nil, fmt.Errorf("start %s: %w", args[0], err)
	}
	return &command{pid: proc.Pid, hold: hold}, nil
}

// release lets the command go on.
func (c *command) release() {
	_, _ = c.hold.Write([]byte{1}) // it may have been killed meanwhile
	_ = c.hold.Close()
}

// wait waits for the command's end and passes signals on to it.
func (c *command) wait(signals <-chan os.Signal) syscall.WaitStatus {
	ended := make(chan syscall.WaitStatus, 1)
	go func() {
		var w syscall.WaitStatus
		for {
			_, err := syscall.Wait4(c.pid, &w, 0, nil)
			if !errors.Is(err, syscall.EINTR) {
				ended <- w
				return
			}
		}
	}()
	for {
		select {
		case w := <-ended:
			return w
		case s := <-signals:
			if sig, ok := s.(syscall.Signal); ok && forwarded(s) {
				_ = unix.Kill(c.pid, sig) // it is our child and not waited for: the pid is its own
			}
		}
	}
}

// release is the waiting half: args are the descriptor to wait on, the path of
// the program and its arguments. It execs on one byte. If our other half died
// first there is none, and the command is not begun.
func release(environ, args []string, complain io.Writer) int {
	if len(args) < 3 {
		return 2
	}
	fd, err := strconv.Atoi(args[0])
	if err != nil {
		return 2
	}
	hold := os.NewFile(uintptr(fd), "hold")
	if hold == nil {
		return 2
	}
	var b [1]byte
	if n, _ := hold.Read(b[:]); n != 1 {
		return 1
	}
	_ = hold.Close()
	path, argv := args[1], args[2:]
	err = syscall.Exec(path, argv, environ)
	if errors.Is(err, syscall.ENOEXEC) { // a script without #!, as execvp does
		err = syscall.Exec("/bin/sh", append([]string{"sh", path}, argv[1:]...), environ)
	}
	fmt.Fprintf(complain, "jobgait: %s: %v\n", argv[0], err)
	if errors.Is(err, fs.ErrNotExist) {
		return notFound
	}
	return notExecutable
}

// What sh exits with for a command that cannot be run.
const (
	notExecutable = 126
	notFound      = 127
)

// resolve finds a command as sh does: along PATH, or as a path if it has a
// slash. Relative entries of PATH are meant, and honoured.
func resolve(name, path string) (file string, code int, err error) {
	found, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrDot) {
		err = nil
	}
	if err == nil {
		return found, 0, nil
	}
	if st, serr := os.Stat(name); strings.Contains(name, "/") && serr == nil {
		if st.IsDir() {
			return "", notExecutable, fmt.Errorf("%s: is a directory", name)
		}
		return "", notExecutable, fmt.Errorf("%s: permission denied", name)
	}
	for _, dir := range filepath.SplitList(path) {
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil && !st.IsDir() && !strings.Contains(name, "/") {
			return "", notExecutable, fmt.Errorf("%s: permission denied", name)
		}
	}
	return "", notFound, fmt.Errorf("%s: command not found", name)
}

// shellEnv is the caller's environment as COMMAND would have got it from the
// shell: a shell that sets _ has set it to us, and would have set it to path.
func shellEnv(environ []string, path string) []string {
	env := append([]string(nil), environ...)
	for i, kv := range env {
		if value, ok := strings.CutPrefix(kv, "_="); ok && filepath.Base(value) == filepath.Base(os.Args[0]) {
			if abs, err := filepath.Abs(path); err == nil {
				env[i] = "_=" + abs
			}
		}
	}
	return env
}
