package perf

import (
	"errors"
	"jobgait/agent/rawcall"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// PhaseLimit is the time, in ns, in which all timers are started at their phases; those left after it start at
// once. Starting 128 CPUs takes 40 ms on an idle machine.
const PhaseLimit = 200_000_000

// spinNS is how long before its time WaitUntil stops sleeping and polls the clock: a sleep ends tens of
// microseconds late, and a timer's phase must be more exact.
const spinNS = 200_000

// WaitUntil returns at the time t of CLOCK_MONOTONIC (ns), or as soon after it as possible.
func WaitUntil(t int64) {
	if t-rawcall.Now() > 2*spinNS {
		ts := unix.NsecToTimespec(t - spinNS)
		for errors.Is(unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil), unix.EINTR) {
		}
	}
	for rawcall.Now() < t {
	}
}

// NextPhase returns the first time from now on that is phase after a multiple of period, all in ns.
func NextPhase(now, period, phase int64) int64 {
	t := now - now%period + phase%period
	if t < now {
		t += period
	}
	return t
}

// TimerPhase says when timers start: at PhaseNS after a multiple of PeriodNS, or at once if that is less than
// WindowNS ago. SlackNS is how late a start may be.
type TimerPhase struct{ PeriodNS, PhaseNS, WindowNS, SlackNS int64 }

// Start waits for the phase and calls start. If the call came more than SlackNS late, because the node is busy,
// it waits for the next phase and calls again, which sets the period again; otherwise the timer would keep the
// wrong phase. After the time late it starts at once.
func (p TimerPhase) Start(now func() int64, wait func(untilNS int64), late int64, start, again func() error) error {
	for do := start; ; do = again {
		begun := now()
		at := NextPhase(begun-p.WindowNS, p.PeriodNS, p.PhaseNS)
		if at > begun && at < late {
			wait(at)
		}
		if err := do(); err != nil {
			return err
		}
		if t := now(); t-at < p.SlackNS || t >= late {
			return nil
		}
	}
}

// SetPeriod sets the period of a timer event, in ns, and restarts it.
func SetPeriod(fd int, periodNS int64) error {
	period := uint64(periodNS)
	if _, _, err := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.PERF_EVENT_IOC_PERIOD,
		uintptr(unsafe.Pointer(&period))); err != 0 {
		return os.NewSyscallError("ioctl", err)
	}
	return nil
}
