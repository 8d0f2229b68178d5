package rawcall

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Timer wakes one goroutine at a time of CLOCK_MONOTONIC, or as soon as another
// one rings. It is a timer of the kernel's that the runtime polls: no timer of
// Go's, for which the monitor thread would wake each time, twice. One thread
// sleeps, and is switched to once.
type Timer struct {
	file *os.File
	conn syscall.RawConn
	fd   int
	take func(uintptr) bool
	buf  [8]byte
}

// NewTimer returns a timer that is not set.
func NewTimer() (*Timer, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("make timer: %w", err)
	}
	t := &Timer{file: os.NewFile(uintptr(fd), "timer"), fd: fd}
	t.take = t.taken // once: a method value each time would be an allocation
	if t.conn, err = t.file.SyscallConn(); err != nil {
		return nil, fmt.Errorf("make timer: %w", err)
	}
	return t, nil
}

// Set makes the timer go off at a time; at once, if that is past.
func (t *Timer) Set(at int64) {
	at = max(at, 1) // 0 would be never
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(at)}
	_, _, _ = unix.RawSyscall6(unix.SYS_TIMERFD_SETTIME, uintptr(t.fd), unix.TFD_TIMER_ABSTIME,
		uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
}

// Ring makes it go off now. It may be called from any goroutine: what the one
// that waits is to find must be stored before, and looked for between Set and
// Wait.
func (t *Timer) Ring() { t.Set(1) }

// Wait returns when the timer has gone off since it was last set.
func (t *Timer) Wait() error {
	if err := t.conn.Read(t.take); err != nil {
		return fmt.Errorf("wait for timer: %w", err)
	}
	return nil
}

// taken reads how often it went off, and is false if it did not.
func (t *Timer) taken(fd uintptr) bool {
	_, _, e := unix.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&t.buf[0])), uintptr(len(t.buf)))
	return e != unix.EAGAIN && e != unix.EINTR
}
