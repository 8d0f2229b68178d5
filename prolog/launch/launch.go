// Package launch starts the agent so that it outlives the Prolog. A program,
// its arguments and environment and the run's lock come in; a running process
// goes out. What was seen on real clusters decides how: slurmd waits until the
// hook's output pipe is closed by everybody, then kills the hook's process
// group. So the agent gets a session of its own, /dev/null and a log for its
// descriptors 0 to 2, the lock, and nothing else.
//
// It does not wait for the agent to be ready, only for it to exist.
package launch

import (
	"fmt"
	"os"
	"strconv"
	"syscall"

	"jobgait/agent/as"
	"jobgait/agent/job"
)

// Spec is what to start.
type Spec struct {
	Program string   // absolute path
	Args    []string // without the program's name
	Env     []string // the whole environment
	Log     string   // file for what it prints, made if need be
}

// lockFD is the descriptor that the lock has in the agent: the first after
// standard error.
const lockFD = 3

// Setsid starts the program in a session of its own and hands it the lock,
// adding "--lock-fd 3" before its arguments. The caller closes its own copy;
// the lock stays with the agent's.
func Setsid(s Spec, lock *os.File) (job.Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return job.Process{}, fmt.Errorf("start agent: %w", err)
	}
	defer null.Close()
	log, err := os.OpenFile(s.Log, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return job.Process{}, fmt.Errorf("start agent: %w", err)
	}
	defer log.Close()
	if err := as.CloseOnExec(); err != nil {
		return job.Process{}, fmt.Errorf("start agent: %w", err)
	}
	args := append([]string{s.Program, "--lock-fd", strconv.Itoa(lockFD)}, s.Args...)
	child, err := os.StartProcess(s.Program, args, &os.ProcAttr{
		Dir:   "/", // never keep a file system busy
		Env:   s.Env,
		Files: []*os.File{null, log, log, lock},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return job.Process{}, fmt.Errorf("start agent: %w", err)
	}
	pid := child.Pid
	// Nobody waits for it: init adopts it when we end. Until then it stays
	// a zombie if it ends, so its pid cannot belong to another yet.
	_ = child.Release()
	return job.Of(pid)
}
