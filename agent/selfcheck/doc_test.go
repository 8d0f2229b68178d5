// Package selfcheck measures what sampling costs a job, in benchmarks: it is where the
// prices are from that the agent assumes (agent/budget.go). A busy
// loop of fixed work, pinned to one CPU, runs in pairs with the counters on and
// off, in random order. The kernel's perf events come in; the cost of one record
// and the slowdown go out, with 95 % intervals.
//
// At 200 Hz a record every 5 ms is lost in the noise of 2 s of measuring, so the
// timer is amplified to some thousands a second and the cost divided by the
// records that were written. What is really shipped, counters and code addresses
// at their own rates, can be measured as it is beside it, longer: there most chunks
// have no record, and each half is judged by how much longer its mean chunk took
// than its quiet ones.
//
// The work is cut into chunks of 0.2 ms. Of each half the chunks that took 1.5
// times the median or more are left out: there another program ran,
// or the hypervisor. Wall time is what is judged; the thread's own CPU time is
// given beside it, but kernels that account interrupts apart do not see there
// what an interrupt took. Differences of pairs are joined by the Hodges-Lehmann
// estimate with the interval of the signed-rank test: order is random, so they
// are symmetric, and a quarter of them may be wild.
//
// It refuses to name a cost whose interval holds 0: then it says how much it can
// be at most.
package selfcheck
