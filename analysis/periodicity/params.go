package periodicity

// Params sets the requirements of the detector. Its other parameters are constants beside their use; the
// figures in the package comment were measured with them.
type Params struct {
	// NodeScope permits columns that count the whole node when no column of
	// the job has a period. Set it for exclusive nodes only: on a shared one
	// the period of a neighbour's daemon would be reported as the job's.
	NodeScope bool
	// CPUWaitS is how long the job's tasks wanted a CPU and did not run, in seconds, summed over the tasks; nil if
	// that was not measured.
	CPUWaitS *float64
	// voluntaryIdle is set by Detect if the job left CPUs idle by itself, so that the busy CPUs have its rhythm.
	voluntaryIdle bool
	// surrogates is the number of block permutations of the profile that a
	// candidate has to beat, every one of them. A column without a period
	// mostly loses to one of the first few, so a large number is cheap and
	// leaves room for the some twenty columns that are tried.
	surrogates int
	// window is the number of points of one autocorrelation, at every level
	// of decimation.
	window int
	// chunk is the number of samples that are in memory at once. A period
	// has to be shorter than a third of it (1.4 h at 5 ms).
	chunk int
}

// Default returns the parameters for profiles of a few seconds to days at 5 ms.
func Default() Params { return Params{surrogates: 24, window: 1536, chunk: 1 << 20} }

// Confident is the confidence at which a period is reported without reservation. In the real profiles behind
// the package comment no wrong one reached it.
const Confident = 0.8
