package address

// waiting counts the samples of each thread, and which of them were in libraries that
// wait for others with the CPU busy. It is for when somebody wants to know only: a look
// into a map for each sample.
type waiting map[int32]*waited

type waited struct{ all, waits int }

// mostThreads limits how many threads are distinguished.
const mostThreads = 1 << 14

// hit counts one. Threads for which there is no room are all one, 0.
func (w waiting) hit(thread int32, waits bool) {
	x := w[thread]
	if x == nil && len(w) >= mostThreads {
		thread = 0
		x = w[0]
	}
	if x == nil {
		x = &waited{}
		w[thread] = x
	}
	x.all++
	if waits {
		x.waits++
	}
}

// Waits tells whether a page that was hit is of a library in which is waited.
func (s *Sampler) Waits(page uint64) bool { return s.table.spins[page] }

// WatchWaiting makes the source tell waiting threads from others, or leave it.
func (s *Sampler) WatchWaiting(on bool) {
	switch {
	case !on:
		s.table.waiting = nil
	case s.table.waiting == nil:
		s.table.waiting = waiting{}
	}
}

// Waited returns how many samples since the last call were of threads that wait, and how
// many of others. A thread waits if half of its samples are in such libraries: the rest
// of a loop that looks whether a message came is in the C library, the clock and the
// kernel.
func (s *Sampler) Waited() (waits, others int) {
	for _, x := range s.table.waiting {
		if 2*x.waits >= x.all {
			waits += x.all
		} else {
			others += x.all
		}
	}
	clear(s.table.waiting)
	return waits, others
}
