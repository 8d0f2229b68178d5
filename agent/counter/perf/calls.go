package perf

import "jobgait/agent/rawcall"

// calls are the system calls on events, and the clock. Tests put a machine of
// their own in place.
type calls struct {
	open  Opener
	read  func(fd int, b []byte) (int, error)
	ioctl func(fd int, request uint, arg int) error
	mmap  func(fd, pages int) (*Ring, error)
	now   func() int64
	wait  func(untilNS int64)
	// period sets that of a timer, which begins anew.
	period func(fd int, ns int64) error
}

func kernelCalls(open Opener) calls {
	return calls{open: open, read: rawcall.Read, ioctl: Ioctl, mmap: MapRing, now: rawcall.Now, wait: WaitUntil, period: SetPeriod}
}
