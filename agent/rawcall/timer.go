package rawcall

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Timer wakes one goroutine at a time of CLOCK_MONOTONIC, or when another goroutine calls Fire. It is a timerfd
// that the runtime polls, not a Go timer, for which the monitor thread would wake twice each time.
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
		return nil, fmt.Errorf("create the agent's timer: %w", err)
	}
	t := &Timer{file: os.NewFile(uintptr(fd), "timer"), fd: fd}
	t.take = t.readExpirations // once: a method value each time would be an allocation
	if t.conn, err = t.file.SyscallConn(); err != nil {
		return nil, fmt.Errorf("internal error, please report it: open the agent's timer for waiting: %w", err)
	}
	return t, nil
}

// Set makes the timer expire at a time (CLOCK_MONOTONIC ns); at once if that is past.
func (t *Timer) Set(at int64) {
	at = max(at, 1) // 0 would be never
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(at)}
	_, _, _ = unix.RawSyscall6(unix.SYS_TIMERFD_SETTIME, uintptr(t.fd), unix.TFD_TIMER_ABSTIME,
		uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
}

// Fire makes the timer expire now. Any goroutine may call it, after storing why; the waiting goroutine must
// check that between Set and Wait.
func (t *Timer) Fire() { t.Set(1) }

// Wait returns when the timer has expired since it was last set.
func (t *Timer) Wait() error {
	if err := t.conn.Read(t.take); err != nil {
		return fmt.Errorf("internal error, please report it: wait for the agent's timer: %w", err)
	}
	return nil
}

// readExpirations reads the number of expirations; it returns false if the timer has not expired.
func (t *Timer) readExpirations(fd uintptr) bool {
	_, _, e := unix.RawSyscall(unix.SYS_READ, fd, uintptr(unsafe.Pointer(&t.buf[0])), uintptr(len(t.buf)))
	return e != unix.EAGAIN && e != unix.EINTR
}
