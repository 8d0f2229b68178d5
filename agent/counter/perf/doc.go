// Package perf counts on every CPU with groups of perf events whose leader is a
// timer: cpu-clock with a sample period of one step of the grid, so that the
// kernel writes a record of all counts into a ring in shared memory every 5 ms,
// on time even when the node is overloaded, and the agent wakes once a second.
// The machine's description below /proc and /sys comes in; readings and a list
// of what is counted, and of what is not and why, go out. See
// perf_event_open(2), and the kernel's admin-guide/perf-security.
//
// The probe of available events opens and reads them and never relies on names: each candidate is opened alone,
// then all as one group, and the group counts for 20 ms. Events that do not fit are dropped in a fixed order:
// branch misses, cache misses, reference cycles.
//
// Found by tests, and not in the manual page:
//
//   - All members of a group need the same clock, else EINVAL. CLOCK_MONOTONIC
//     is the one that is safe in an NMI and comparable between CPUs.
//   - The leader is opened disabled, the siblings are added, and the group is
//     enabled as a group. A sibling added to a running leader may stay 0 for
//     ever, without an error.
//   - LOST = 0 does not mean complete: a late timer skips periods silently, and
//     an idle virtual CPU may write nothing at all. So every drain also reads
//     every group once, and gaps are known from the times.
//   - Counting cpu-clock or task-clock of a whole CPU gives wall time, not busy
//     time: the leader's own count is not a column.
//
// What it costs, measured on two virtual CPUs under load: 2.6 us of CPU time for
// a sample of the node at 200 Hz up to the file, 0.018 (0.011 to 0.021, 6 pairs)
// of what perf stat -a -I 10 takes for one of the same events; draining 128 CPUs
// in memory at 200 Hz 0.27 % of a core with the grid (0.25 to 0.45, 60 drains at a
// load of 10), and 0.12 % more for the interrupts that read their groups.
//
// It never scales silently: each drain reports for how long a group should have run, and did. It does not count
// what costs the job too much or is not available: Sources and Notes say so, and the column then stays constant
// with a share of 0.
package perf
