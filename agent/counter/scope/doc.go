// Package scope counts events of the job only, where the counters of a whole
// node are not ours to read or are not the job's. What to count comes in as a
// process or as a finder of the job's cgroup; readings of its CPU time to the
// nanosecond, its context switches, page faults and migrations, and where there
// is a PMU its instructions and cycles go out, each column with the rate at
// which it is read. See perf_event_open(2), on inherit and PERF_FLAG_PID_CGROUP.
//
// Cgroup is for root or CAP_PERFMON on a shared node: one group per CPU, read 50
// times a second or less. The events have no timer: that of a cgroup runs on the
// job's CPU time, so that its records are not on the clock of the wall. The
// cgroup of a job may come after its Prolog, and may come again; the columns are
// fixed before. Linux 6.1 and older answer ENOENT for a cgroup of v2 until some
// controller is enabled above it, which is tried again and said.
//
// Task is for the user's own command below `jobgait run`: events that every
// process and thread inherits which the command starts. Each event is alone,
// since groups that are inherited cannot be sampled before Linux 6.13. A reading
// costs one call per event, and one interrupt for every CPU that runs the
// command, while the kernel holds a lock that forks and exits of the command
// wait for: with many CPUs it is taken less often (Rate). Counts outlive the
// processes: those of a task that ends are added to the event it came from.
//
// What was found by test on Linux 6.18, and is not in the manual page:
//
//   - An event follows a thread, not a process. When another thread of the
//     process calls execve, the event dies with the thread that it was on. So
//     all threads are attached to.
//   - What a process uses after its events are taken away is in no count: since
//     Linux 6.16 that is before its memory is given back. A shell that runs
//     /bin/true 300 times lost 10.5 % of its CPU time so, a program with nine
//     children of 0.1 s each 0.5 %. It is made up for from the account of who
//     waited for them (ends.go): then the CPU time is that of rusage.
//   - The threads that wait with the command before its exec end with it, and
//     their events stand still from then on: they are hardly read any more.
//   - With exclude_kernel context switches and migrations open and read 0.
//
// Measured on two busy CPUs of a virtual machine, five runs of the benchmarks at a
// load of 2 to 20: a reading takes 2 to 9 us of the agent's CPU time in either
// scope, at most 0.04 % of a core at 50 Hz. A switch between threads of the job,
// 2.7 us, costs 140 to 550 ns more with a Task and 65 to 370 ns more with a Cgroup;
// between threads that were attached to one by one, not inherited, 2.4 us more. A
// fork and exit costs 3 to 5 us more for each inherited event.
//
// It refuses to give 0 for what was not counted: such a column is absent, with
// the reason. It does not follow a program that is setuid, which loses its
// events at its exec, and does not wait for anything.
package scope
