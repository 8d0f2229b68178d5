package address

// waiting counts the samples of each thread by the purpose of the code.
type waiting map[int32]*threadSamples

// threadSamples are the samples of a thread since the last reading, and before, fading.
type threadSamples struct {
	now  [purposes]int
	past [purposes]float64
}

// WaitingTasks are the samples since it was last read: of threads that wait in MPI, of threads that wait in OpenMP, of
// all other threads, and of working code in any.
type WaitingTasks struct{ InMPI, InOpenMP, Others, Working int }

const (
	// maxThreads limits the number of threads that are counted separately.
	maxThreads = 1 << 14
	// leastWaiting is the share of a waiting thread's samples outside the kernel in libraries that wait, and
	// fewestWaiting their number: the others are in the C library and the clock. A thread that yields its CPU in a
	// loop is in the kernel for nine tenths of its time, and at a tenth of a CPU has few others: those of the past
	// count too, each reading fading times as much as the next. mostWorking is the share of the new samples that
	// working code may have.
	leastWaiting, fewestWaiting, fading = 1.0 / 50, 0.5, 0.6
	mostWorking                         = 1.0 / 200
)

// hit counts a sample of a thread, by the purpose of its code. Beyond maxThreads, new threads are counted
// together as thread 0.
func (w waiting) hit(thread int32, code purpose) {
	x := w[thread]
	if x == nil && len(w) >= maxThreads {
		thread = 0
		x = w[0]
	}
	if x == nil {
		x = &threadSamples{}
		w[thread] = x
	}
	x.now[code]++
}

// add adds all new samples of a thread to one of InMPI, InOpenMP and Others. A thread waits if at most the share
// mostWorking of its new samples is in working code, and at least fewestWaiting of its new and faded past samples, and
// the share leastWaiting of those outside the kernel (without past ones in working code), are in libraries that wait.
// It waits in MPI or in OpenMP, whichever has more samples. New samples in working code are added to Working too.
func (w *WaitingTasks) add(x *threadSamples) {
	all, outside := 0, 0.0
	for code, n := range x.now {
		all += n
		if purpose(code) != system {
			outside += float64(n) + x.past[code]
		}
	}
	mpi, openmp := float64(x.now[communicates])+x.past[communicates], float64(x.now[synchronizes])+x.past[synchronizes]
	w.Working += x.now[works]
	working := float64(x.now[works]) > mostWorking*float64(all)
	// Code that worked in the past says nothing of now: it is left out of what is outside the kernel.
	switch waits := mpi + openmp; {
	case working || waits < max(fewestWaiting, leastWaiting*(outside-x.past[works])):
		w.Others += all
	case mpi >= openmp:
		w.InMPI += all
	default:
		w.InOpenMP += all
	}
}

// fade adds the new samples to the past ones, multiplies the sums by fading and clears the new ones. It returns false
// if the sum over all purposes is below fewestWaiting, so that the thread can be forgotten.
func (x *threadSamples) fade() bool {
	left := 0.0
	for code, n := range x.now {
		x.past[code] = fading * (x.past[code] + float64(n))
		left += x.past[code]
	}
	x.now = [purposes]int{}
	return left >= fewestWaiting
}

// IsWaitingPage reports whether a page that was hit is of a library in which threads wait.
func (s *Sampler) IsWaitingPage(page uint64) bool { return s.table.waitingPages[page] }

// UsesMPI reports whether a process of the job has mapped a library below MPI.
func (s *Sampler) UsesMPI() bool { return s.table.usesMPI }

// TakeWaitSamples returns the samples since the last call, divided by whether their threads wait and where. It then
// adds them, fading, to the past samples of their threads.
func (s *Sampler) TakeWaitSamples() (w WaitingTasks) {
	for thread, x := range s.table.waiting {
		w.add(x)
		if !x.fade() {
			delete(s.table.waiting, thread)
		}
	}
	return w
}
