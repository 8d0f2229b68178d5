package rawcall

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Now returns CLOCK_MONOTONIC in nanoseconds.
func Now() int64 { return clock(unix.CLOCK_MONOTONIC) }

// SinceBoot returns CLOCK_BOOTTIME in nanoseconds, the clock of the start times in /proc.
func SinceBoot() int64 { return clock(unix.CLOCK_BOOTTIME) }

// CPU returns the CPU time of this process in nanoseconds.
func CPU() int64 { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

// clock returns the time of a clock in ns. These clocks exist on every Linux, so the call cannot fail.
func clock(id uintptr) int64 {
	var ts unix.Timespec
	_, _, _ = unix.RawSyscall(unix.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&ts)), 0)
	return ts.Nano()
}
