package perf

import (
	"errors"
	"jobgait/agent/rawcall"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// PhaseLimit is how long timers may be started at their phases; those that are left then start at once. On 128
// CPUs it takes 40 ms on an idle machine.
const PhaseLimit = 200_000_000

// spin is how long before its time WaitUntil stops sleeping: a sleep ends tens
// of microseconds late, and a timer's phase should be better than that.
const spin = 200_000

// WaitUntil returns at a time of CLOCK_MONOTONIC, or as soon after as the
// machine allows.
func WaitUntil(t int64) {
	if t-rawcall.Now() > 2*spin {
		ts := unix.NsecToTimespec(t - spin)
		for errors.Is(unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil), unix.EINTR) {
		}
	}
	for rawcall.Now() < t {
	}
}

// NextPhase returns the first time from now on that is phase after a multiple
// of period.
func NextPhase(now, period, phase int64) int64 {
	t := now - now%period + phase%period
	if t < now {
		t += period
	}
	return t
}

// TimerPhase is when timers of a period are to be set going: WindowNS after a phase
// that is near enough to begin at once, and SlackNS how late one may be.
type TimerPhase struct{ PeriodNS, PhaseNS, WindowNS, SlackNS int64 }

// Set sets a timer going at its phase, as long as there is time for that. On a
// busy node we may be kept from running between waking up and the call, and the
// timer would keep the wrong phase for good: then its period is set again.
func (p TimerPhase) Set(now func() int64, wait func(untilNS int64), late int64, start, again func() error) error {
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

// SetPeriod sets and restarts the period of a timer.
func SetPeriod(fd int, periodNS int64) error {
	period := uint64(periodNS)
	if _, _, err := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.PERF_EVENT_IOC_PERIOD,
		uintptr(unsafe.Pointer(&period))); err != 0 {
		return os.NewSyscallError("ioctl", err)
	}
	return nil
}
