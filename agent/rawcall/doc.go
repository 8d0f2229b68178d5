// Package rawcall makes the short system calls of the agent's loop without
// telling Go's scheduler. Paths and descriptors come in, bytes and times go out.
// See proc(5), timerfd_create(2) and the runtime's sysmon.
//
// An ordinary call wakes the runtime's monitor thread, which then looks every
// 20 us, for as long as anything runs, whether the call hangs. In a program that
// works 0.2 ms and sleeps 0.1 s that thread is a third of all its CPU time: the
// agent was switched 150 times a second, 4 times for each time it woke, and
// with these calls 20 times. Go's own timers wake it too, so the agent sleeps on
// a Timer of the kernel's. os.ReadFile makes seven calls where three do.
//
// It is for calls that do not block: on files of proc, sys and cgroups, clocks, and perf events. No other
// goroutine runs during such a call, so it must not be used on files of a disk or a network.
package rawcall
