package kernel

// endedThreadWait estimates how long threads that ended between two readings had waited for a CPU. Their CPU time is in
// the account of the job, their run_delay is lost. It assumes that they waited as long for each second of CPU time as
// the threads that were read: both compete for the same CPUs.
type endedThreadWait struct {
	// seenNS and waitedNS are the CPU time and the run_delay of the threads that were read, both since their start.
	seenNS, waitedNS uint64
	// unseenNS is the CPU time that was in no thread that was read, as far as its waiting was added.
	unseenNS uint64
}

// leastSeenNS is the CPU time of threads that were read below which no ratio is computed.
const leastSeenNS = 20_000_000

// add returns the waiting, in ns, of CPU time that was used since the last call and was in no thread that was read;
// totalNS is the CPU time of all processes of the job, in ns.
func (w *endedThreadWait) add(totalNS uint64) uint64 {
	if w.seenNS < leastSeenNS || totalNS <= w.seenNS || totalNS-w.seenNS <= w.unseenNS {
		return 0
	}
	more := totalNS - w.seenNS - w.unseenNS
	w.unseenNS += more
	return uint64(float64(more) * float64(w.waitedNS) / float64(w.seenNS))
}
