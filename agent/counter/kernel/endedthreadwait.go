package kernel

// endedThreadWait estimates how long threads that ended between two readings had waited for a CPU. Their CPU time is in
// the account of the job, their run_delay is lost. It assumes that they waited as long for each second of CPU time as
// the threads that were read: both compete for the same CPUs. The estimate is limited to what is possible: a thread
// runs and waits for no longer than the time between the readings.
type endedThreadWait struct {
	// seenNS and waitedNS are the CPU time and the run_delay of the threads that were read, both since their start.
	seenNS, waitedNS uint64
	// unseenNS is the CPU time that was in no thread that was read, as far as its waiting was added.
	unseenNS uint64
	// sinceNS is the time between the last two readings of all threads. began and ended are the numbers of threads
	// that were read only at the later and only at the earlier of them. newNS is the CPU time and run_delay of those
	// that began.
	sinceNS, newNS uint64
	began, ended   int
}

// leastSeenNS is the CPU time of threads that were read below which no ratio is computed.
const leastSeenNS = 20_000_000

// beginPass begins a reading of all threads, sinceNS after the last one.
func (w *endedThreadWait) beginPass(sinceNS int64) {
	w.sinceNS, w.newNS, w.began, w.ended = uint64(max(0, sinceNS)), 0, 0, 0
}

// see adds what a thread has used since the last reading, or since its start if it was not read before.
func (w *endedThreadWait) see(used threadTimes, isNew bool) {
	w.seenNS += used.ranNS
	w.waitedNS += used.waitedNS
	if isNew {
		w.began++
		w.newNS += min(used.ranNS+used.waitedNS, w.sinceNS) // it may have begun before the last reading
	}
}

// add estimates how long, in ns, threads waited that were never read. Their CPU time since the last call is totalNS,
// that of all processes of the job, less that of the threads that were read and less what earlier calls covered. The
// estimate is this time multiplied by the ratio of waiting to CPU time of the threads that were read, and is limited
// by the time between the readings for each thread that began or ended, and at least one. It is 0 while less than
// leastSeenNS of CPU time was read.
func (w *endedThreadWait) add(totalNS uint64) uint64 {
	if w.seenNS < leastSeenNS || totalNS <= w.seenNS || totalNS-w.seenNS <= w.unseenNS {
		return 0
	}
	more := totalNS - w.seenNS - w.unseenNS
	w.unseenNS += more
	possible := float64(max(1, w.began, w.ended))*float64(w.sinceNS) - float64(w.newNS) - float64(more)
	return uint64(max(0, min(possible, float64(more)*float64(w.waitedNS)/float64(w.seenNS))))
}
