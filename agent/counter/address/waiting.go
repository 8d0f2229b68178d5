package address

// waiting counts the samples of each thread by the purpose of the code.
type waiting map[int32]*threadSamples

type threadSamples [purposes]int

// Waited are the samples since it was last read: of threads that wait in MPI, of threads that wait in OpenMP, of all
// other threads, and of working code in any.
type Waited struct{ InMPI, InOpenMP, Others, Working int }

const (
	// mostThreads limits how many threads are distinguished.
	mostThreads = 1 << 14
	// leastWaiting is the share of a waiting thread's samples outside the kernel in libraries that wait: the others
	// are in the C library and the clock. A thread that yields its CPU in a loop is in the kernel for nine tenths
	// of its time. A third of the others are in MPI then (Open MPI), which are 10 samples in 2 s where it has a tenth
	// of a CPU: the share is low so that chance leaves some. mostWorking is the share of all samples that working
	// code may have.
	leastWaiting, mostWorking = 1.0 / 50, 1.0 / 200
)

// hit counts a sample. Threads for which there is no room are all one, 0.
func (w waiting) hit(thread int32, code purpose) {
	x := w[thread]
	if x == nil && len(w) >= mostThreads {
		thread = 0
		x = w[0]
	}
	if x == nil {
		x = &threadSamples{}
		w[thread] = x
	}
	x[code]++
}

// add adds a thread.
func (w *Waited) add(x *threadSamples) {
	all, waits := 0.0, x[communicates]+x[synchronizes]
	for _, n := range x {
		all += float64(n)
	}
	w.Working += x[works]
	switch {
	case waits == 0, float64(waits) < leastWaiting*(all-float64(x[system])), float64(x[works]) > mostWorking*all:
		w.Others += int(all)
	case x[communicates] >= x[synchronizes]:
		w.InMPI += int(all)
	default:
		w.InOpenMP += int(all)
	}
}

// Waits reports whether a page that was hit is of a library in which threads wait.
func (s *Sampler) Waits(page uint64) bool { return s.table.spins[page] }

// Waited returns the samples since the last call.
func (s *Sampler) Waited() (w Waited) {
	for _, x := range s.table.waiting {
		w.add(x)
	}
	clear(s.table.waiting)
	return w
}
