package job

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Process identifies a process even if its pid is reused: StartTicks is its start in clock ticks since boot,
// field 22 of /proc/PID/stat.
type Process struct {
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"start_ticks"`
}

// Self returns the calling process.
func Self() (Process, error) { return ProcessOf(os.Getpid()) }

// ProcessOf returns the process that has this pid now; an error if it is gone.
func ProcessOf(pid int) (Process, error) {
	st, err := readStat("/proc", pid)
	if err != nil {
		return Process{}, fmt.Errorf("identify process %d: %w", pid, err)
	}
	return Process{PID: pid, StartTicks: st.start}, nil
}

// WriteProcess stores a process in a file, whole or not at all, 0600.
func (p Process) WriteProcess(path string) error { return writeJSON(path, p) }

// ReadProcess reads what WriteProcess stored.
func ReadProcess(path string) (Process, error) {
	var p Process
	if err := readJSON(path, &p); err != nil {
		return Process{}, err
	}
	if p.PID <= 0 {
		return Process{}, fmt.Errorf("read %s: the file is damaged: it holds the process id %d, want a positive number", path,
			p.PID)
	}
	return p, nil
}

// Alive reports whether this very process still runs. A zombie does not, unless other threads of it remain: a
// thread that waits for a file system that hangs outlives SIGKILL, and the process then shows the state of its
// first thread, which has ended.
func (p Process) Alive() bool {
	st, err := readStat("/proc", p.PID)
	if err != nil || st.start != p.StartTicks {
		return false
	}
	return st.state != 'Z' && st.state != 'X' || st.threads > 1
}

// killWait is how long Stop waits after SIGKILL: longer than any process that
// can die takes to, shorter than a hook has.
const killWait = 2 * time.Second

// Stop ends the process: SIGTERM, up to grace for it to end by itself, then
// SIGKILL. It returns whether SIGKILL was needed. A process that is gone, or
// whose pid now belongs to another, is no error and gets no signal.
func (p Process) Stop(grace time.Duration) (killed bool, err error) {
	h, err := p.open()
	if err != nil || h == nil {
		return false, err
	}
	defer h.close()
	if err := h.signal(unix.SIGTERM); err != nil {
		return false, ignoreGone(fmt.Errorf("terminate process %d: %w", p.PID, err))
	}
	if h.wait(grace) {
		return false, nil
	}
	if err := h.signal(unix.SIGKILL); err != nil {
		return false, ignoreGone(fmt.Errorf("kill process %d: %w", p.PID, err))
	}
	if !h.wait(killWait) {
		return true, fmt.Errorf("kill process %d: it still exists %v after SIGKILL: check for a file system that hangs",
			p.PID, killWait)
	}
	return true, nil
}

// handle is a process held by a pidfd; fd is -1 on kernels before 5.3, where
// the pid is checked before each use instead.
type handle struct {
	p  Process
	fd int
}

// open opens the process, nil if it is gone. It checks the identity after opening the pidfd, so the descriptor
// cannot be that of a later process with the same pid.
func (p Process) open() (*handle, error) {
	if p.PID <= 0 { // kill(0) and kill(-1) mean groups
		return nil, fmt.Errorf("invalid process id %d: want a positive number", p.PID)
	}
	fd, err := unix.PidfdOpen(p.PID, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return nil, nil
	case errors.Is(err, unix.ENOSYS):
		fd = -1
	case err != nil:
		return nil, fmt.Errorf("open process %d: %w", p.PID, err)
	}
	h := &handle{p, fd}
	if !p.Alive() {
		h.close()
		return nil, nil
	}
	return h, nil
}

// close closes the pidfd, if there is one.
func (h *handle) close() {
	if h.fd >= 0 {
		unix.Close(h.fd)
	}
}

// signal sends a signal to the process; unix.ESRCH if it is gone.
func (h *handle) signal(sig unix.Signal) error {
	if h.fd >= 0 {
		return unix.PidfdSendSignal(h.fd, sig, nil, 0)
	}
	if !h.p.Alive() {
		return unix.ESRCH
	}
	return unix.Kill(h.p.PID, sig)
}

// wait waits up to d and reports whether the process ended.
func (h *handle) wait(d time.Duration) bool {
	deadline := time.Now().Add(d)
	for {
		left := time.Until(deadline)
		if h.fd >= 0 {
			ms := int(max(0, left) / time.Millisecond)
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(h.fd), Events: unix.POLLIN}}, ms)
			if n > 0 {
				return true
			}
			if err == nil || !errors.Is(err, unix.EINTR) {
				return !h.p.Alive()
			}
		} else {
			if !h.p.Alive() {
				return true
			}
			time.Sleep(min(max(0, left), 10*time.Millisecond))
		}
		if left <= 0 {
			return !h.p.Alive()
		}
	}
}

// ignoreGone returns nil for unix.ESRCH, else the error.
func ignoreGone(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}

// ParentOf returns the pid of a process's parent, 0 for init.
func ParentOf(pid int) (int, error) {
	st, err := readStat("/proc", pid)
	return st.ppid, err
}
