// Package jobevent counts events of the job only. It is for nodes whose counters may not be read as a whole, or
// do not belong to the job alone. What to count comes in as a process or as a finder of the job's cgroup;
// readings of its CPU time to the nanosecond, its context switches, page faults and migrations, and where there
// is a PMU its instructions and cycles go out, each column with the rate at which it is read. See
// perf_event_open(2), on inherit and PERF_FLAG_PID_CGROUP.
//
// Cgroup is for root or CAP_PERFMON on a shared node: one group per CPU, read at most 50 times a second. The
// events have no timer: that of a cgroup runs on the job's CPU time, so that its records are not on the clock
// of the wall. The cgroup of a job may come after its Prolog, and may come again; the columns are fixed before.
// Linux 6.1 and older answer ENOENT for a cgroup of v2 until some controller is enabled above it, so opening is
// repeated and a note says so.
//
// Task is for the user's own command below `jobgait run`: events that every
// process and thread inherits which the command starts, from its first thread,
// which is the one that execs. A reading costs one call per event, and one
// interrupt for every CPU that runs the command, while the kernel holds a lock
// that forks and exits of the command wait for: with many CPUs it is taken less
// often (Rate). Counts outlive the processes: those of a task that ends are added
// to the event it came from.
//
// What a process uses after its events are taken away is in no count: since Linux
// 6.16 that is before its memory is given back, 2 % of a program with some
// children, 10 % of a shell that starts /bin/true again and again. All of a
// command's CPU time is in its parent's account (package kernel, JobCPU).
//
// A reading takes 2 to 9 us of the agent's CPU time (two busy CPUs of a virtual
// machine); a switch between threads of the job, 2.7 us, costs 140 to 550 ns more
// with a Task and 65 to 370 more with a Cgroup, a fork and exit 3 to 5 us more for
// each inherited event (BenchmarkReadTask, BenchmarkSwitch, BenchmarkForkOfATask).
//
// It refuses to give 0 for what was not counted: such a column is absent, with
// the reason. With exclude_kernel context switches and migrations would read 0. It
// does not follow a program that is setuid, which loses its events at its exec.
package jobevent
