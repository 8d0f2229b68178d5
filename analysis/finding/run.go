package finding

// RunFacts holds the facts about a run that the rules use. nil means not measured or no limit; CPUs are means
// over the run, for all nodes together.
type RunFacts struct {
	ElapsedS float64
	NNodes   int
	// State is the scheduler's state, "" without one. Ended is the end in words, InOrder whether the run ended
	// without a known failure. Stopped is where in its structure a failed run stopped, "" if unknown.
	State      string
	ExitSignal int
	Ended      string
	InOrder    bool
	Stopped    string
	LimitS     *float64
	// Batch reports that a scheduler ran the job, from which other resources can be requested. Tasks is the number
	// of its tasks, Threads the value of OMP_NUM_THREADS; 0 means unknown.
	Batch          bool
	Tasks, Threads int
	// SilentS is for how long the run's processes did nothing, but what Doing says, before it ended; 0 if it was at
	// work. No cycle ended in that time; with NoLoop there was none before. Idle is whether all slept, without a loop.
	SilentS      float64
	Doing        string
	NoLoop, Idle bool
	// TrailingIdleS is for how long the run's processes neither used nor wanted a CPU before it ended, where no stall was
	// noticed while it ran; 0 if unknown. ExitCode is the code with which it ended by itself.
	TrailingIdleS float64
	ExitCode      int
	// Stacks says in one line in which functions its tasks were when it had stalled, "" where that was not read.
	Stacks string

	CPU    CPU
	Memory MemoryFacts
	// CPUWaitS, FilesWaitS and AsleepS are the seconds of the elapsed time in which its tasks waited for a CPU, waited
	// for files, or did neither and did not run (summary.TimeDivision).
	CPUWaitS, FilesWaitS, AsleepS *float64
	// AsleepFor says what sleeping tasks waited for, as in "in sleep calls"; "" where that was not recorded.
	AsleepFor string
	// ThreadWork is how CPU time divides among the threads of its main program, nil if that is unknown.
	ThreadWork *ThreadWork

	// GPUs are those that were read, GPUsNotHeld the nodes on which no process held one.
	GPUs        []GPU
	GPUsNotHeld []string
	GPUIdle     *GPUIdle

	// Nodes are those that reported.
	Nodes        []NodeFacts
	ImbalancePct *float64

	Others []Comparison
	Drift  *CycleDrift
	// StartUpS and CheckpointS are the time in such phases; 0 without a period. StartUpWaitS is for how much of the
	// former its tasks waited for a CPU.
	StartUpS, StartUpWaitS, CheckpointS float64
	Checkpoints                         int
	Scaling                             *Scaling
	Code                                *CodeShares

	Sampled  bool
	Doubt    []string // sentences on samples that do not cover the run
	Periodic bool
	NoPeriod string // why no period was found
	// PartsS holds the lengths in s of the two or three parts of a run without cycles that differ; empty without such.
	PartsS []float64
	// Course is a sentence on whether a run without cycles looks alike throughout, "" if that is unknown.
	Course string
}

// ThreadWork holds the CPU time of the busiest thread of a program and the sum of all its threads, in s.
type ThreadWork struct {
	Program          string
	Threads          int
	BusiestS, TotalS float64
}

// CPU holds the mean numbers of CPUs that a run was given, used and did not get. Others is the number that
// other jobs used on its nodes.
type CPU struct{ Allocated, Busy, Waiting, Throttled, Stolen, Others *float64 }

// MemoryFacts is anonymous and shared memory in bytes, page cache apart. Mappable is the most memory that one
// process might map.
type MemoryFacts struct {
	Peak, Requested, Mappable, OOMKills *float64
	// Node is the memory of its node, nil if it is unknown or the run has several nodes.
	Node *float64
	// Growth is how it grew through all of the run, nil where it did not.
	Growth *MemoryGrowth
}

// MemoryGrowth is memory that grew through all of a run: from one mean to another, and when these were, in seconds
// since the run began.
type MemoryGrowth struct{ FromBytes, FromS, ToBytes, ToS, BytesPerS float64 }

// NodeFacts is one node of the run; Odd says in words how it differs from the others.
type NodeFacts struct {
	Name string
	Busy *float64
	Odd  []string
}

// Comparison compares this run with earlier ones: a sentence, and by how many percent this run takes longer.
// Command is the command for details, "" if none exists.
type Comparison struct {
	Text      string
	EffectPct float64
	// Creeps reports that runs became slower gradually, so that no run is the first slow one.
	Creeps  bool
	Shift   *Shift
	Command string
	// UsualCPUWait is the share of the elapsed time, 0 to 1, for which the earlier runs waited for a CPU: their median;
	// nil where that is unknown. SlowerCPUWait is that of the runs since the change.
	UsualCPUWait, SlowerCPUWait *float64
}

// Shift is a change of a level: what was measured, its means in seconds before and since, the jobs at both
// sides of the change, or at both ends where it creeps, how many runs there were since and what they took more
// in node hours.
type Shift struct {
	What              string
	FromS, ToS        float64
	LastJob, FirstJob string
	Runs              int
	NodeHours         float64
}

// CycleDrift describes how iterations became longer during the run: a sentence, the change in percent, and its
// cost in seconds.
type CycleDrift struct {
	Text      string
	ChangePct float64
	CostS     float64
}

// Scaling compares the time of one step on this number of nodes with that on fewer.
type Scaling struct {
	Nodes, Fewer      int
	StepS, FewerStepS float64
}

// coreS returns the core seconds that the run was given; 0 if unknown.
func (r RunFacts) coreS() float64 {
	if r.CPU.Allocated == nil {
		return 0
	}
	return *r.CPU.Allocated * r.ElapsedS
}

// cpuWaitShare returns the share of the elapsed time, 0 to 1, in which its tasks waited for a CPU; false if unknown.
func (r RunFacts) cpuWaitShare() (share float64, ok bool) {
	if r.CPUWaitS == nil || r.ElapsedS <= 0 {
		return 0, false
	}
	return min(1, *r.CPUWaitS/r.ElapsedS), true
}

// costOf returns a share of the run in core seconds, nil if the number of CPUs is unknown.
func (r RunFacts) costOf(part float64) *float64 {
	if r.coreS() <= 0 {
		return nil
	}
	cost := part * r.coreS()
	return &cost
}
