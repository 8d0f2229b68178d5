// Package launch starts a program so that it outlives the hook that starts it: the agent
// of the Prolog, the worker of the Epilog. A program, its arguments and environment and
// open files come in; a running process goes out. What was seen on real clusters decides
// how: slurmd waits until the hook's output pipe is closed by everybody, then kills the
// hook's process group. So the program gets a session of its own, /dev/null and a log for
// its descriptors 0 to 2, the files behind them, and nothing else.
//
// It does not wait for the program to be ready, only for it to exist.
package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/job"
)

// Spec describes the program to start.
type Spec struct {
	Program string   // absolute path
	Args    []string // without the program's name
	Env     []string // the whole environment
	Log     string   // path of the file for its output, created if it does not exist
	Input   []byte   // its standard input; kept in memory, where no other process can read it
}

// Detach starts the program in a session of its own, with files as its descriptors from 3 on. If the log cannot
// be opened, the output goes to /dev/null. It returns the process, which is adopted by init once the caller
// ends, and its pidfd, -1 if the kernel does not support pidfds.
func Detach(s Spec, files ...*os.File) (pid, pidfd int, err error) {
	fail := func(err error) (int, int, error) { return 0, -1, fmt.Errorf("start %s: %w", s.Program, err) }
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return fail(err)
	}
	defer null.Close()
	in := null
	if len(s.Input) > 0 {
		if in, err = memoryFile(s.Input); err != nil {
			return fail(err)
		}
		defer in.Close()
	}
	log, err := job.OpenPlain(s.Log, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		log = null // a failed disk: the work matters more than its log
	} else {
		defer log.Close()
	}
	if err := as.CloseOnExec(); err != nil {
		return fail(err)
	}
	pidfd = -1
	p, err := os.StartProcess(s.Program, append([]string{s.Program}, s.Args...), &os.ProcAttr{
		Dir:   "/", // never keep a file system busy
		Env:   s.Env,
		Files: append([]*os.File{in, log, log}, files...),
		Sys:   &syscall.SysProcAttr{Setsid: true, PidFD: &pidfd},
	})
	if err != nil {
		return fail(err)
	}
	pid = p.Pid // Release takes it away
	return pid, pidfd, p.Release()
}

// memoryFile returns an anonymous file in memory with this content. Arguments and environment would be readable
// by others, and the disk may be full.
func memoryFile(text []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("input", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create the memory file for the program's input: %w", err)
	}
	f := os.NewFile(uintptr(fd), "input")
	_, err = f.Write(text)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
