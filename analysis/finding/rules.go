package finding

// evidence is the kind of data on which a finding is based.
type evidence int

const (
	onCounts  evidence = iota // counters and limits, which hold without samples
	onSamples                 // phases, iterations and busy CPUs
	onEnd                     // how the run ended, which comes first
	onNothing                 // it makes samples doubtful
)

// Rule is a line of the table: what earns a finding, in words for people.
type Rule struct {
	Code  string
	Level Level
	When  string
	rests evidence
	find  func(RunFacts) []Finding
	// advice returns what a user can do where the finding has no action; nil where that is unknown.
	advice func(RunFacts) string
}

// always returns an advice that does not depend on the run.
func always(text string) func(RunFacts) string { return func(RunFacts) string { return text } }

// nextStep returns what a user can do about a finding of the rule: its action, else the rule's advice; "" without
// either.
func (u Rule) nextStep(r RunFacts, f Finding) string {
	switch {
	case f.Action != nil:
		return *f.Action
	case u.advice != nil:
		return u.advice(r)
	}
	return ""
}

// Rules returns the table, in the order in which findings about the end and findings of equal cost are printed. All
// errors are about the end and precede the other rules about it.
func Rules() []Rule {
	return []Rule{
		{"hung", Error,
			"the run was ended from outside, and its processes had done nothing before: no cycle for at least " +
				"five of the longest usual intervals and 10 s, or nothing but waiting in MPI or OpenMP for at least " +
				"five of the longest usual stretches and 30 s",
			onEnd, hung, adviceOnHang},
		{"idle_since", Error,
			"without a known period, the run's processes were busy for a minute or more, and up to its end, which was not " +
				"in order, none ran for five minutes or more; or something outside ended it after a quarter of the run and " +
				"10 s in which none used or wanted a CPU",
			onEnd, idleSinceAndEnded, adviceOnHang},
		{"out_of_memory", Error,
			"the kernel or the scheduler ended processes of the run for want of memory",
			onEnd, outOfMemory, adviceOnMemory},
		{"time_limit", Error,
			"the scheduler ended the run at its time limit",
			onEnd, timeLimit, adviceOnHang},
		{"ended_by_signal", Error,
			"a signal ended the run, neither for memory nor at its time limit",
			onEnd, endedBySignal, adviceOnSignal},
		{"failed", Error,
			"the run ended with an exit code or a state that means failure, without a signal",
			onEnd, failed, always("Read the error messages of the program: jobgait records none.")},
		{"failed_in_phase", Error,
			"the run failed, and the samples show where in its structure it stopped",
			onEnd, failedInPhase, nil},
		{"idle_since", Warning,
			"without a known period, the run's processes were busy for a minute or more, and up to its end, which was in " +
				"order, none ran for five minutes or more",
			onEnd, idleSince, adviceOnHang},
		{"time_limit_near", Warning,
			"the run completed after 95 % of its time limit or more",
			onCounts, timeLimitNear, always("Ask for more time, as the next run may not end within it (sbatch --time).")},
		{"crowded", Warning,
			"the run waited for 5 % or more of the CPUs that it was allowed, for at least a second in all, while " +
				"others used at least half as many CPUs on its nodes, and it had no more tasks than CPUs",
			onCounts, crowded, adviceOnOtherWork},
		{"oversubscribed", Warning,
			"tasks of the run waited for a CPU, for at least a second in all and for 10 % or more of its busy " +
				"CPUs, and more of them were ready to run than it had CPUs, or it had 90 % of its CPUs, or no other " +
				"program ran there",
			onCounts, oversubscribed, adviceOnTasks},
		{"throttled", Warning,
			"a CPU limit of its control group stopped it for 5 % of its CPUs or more",
			onCounts, throttled, always("Raise the CPU limit of its control group, or start fewer tasks.")},
		{"stolen", Warning,
			"the host of a virtual machine took 5 % of its CPUs or more",
			onCounts, stolen, always("Use a virtual machine whose host has free CPUs.")},
		{"cpus_idle", Info,
			"a quarter or more of its CPUs were neither busy nor waited for, and the cause is not files, an idle " +
				"node or a hang, nor threads with unequal work (uneven_threads, even if that is silent), nor other work " +
				"unless all tasks slept for a quarter of the run",
			onCounts, cpusIdle, adviceOnIdleCPUs},
		{"uneven_threads", Info,
			"the busiest thread of its main program computed for half as long again as the mean of its threads, or longer, " +
				"and for 30 % of the run or more, while a tenth of its CPUs or more were neither busy nor waited for",
			onCounts, unevenThreads, always("Divide the work equally among the threads or processes of the program.")},
		{"node_idle", Warning,
			"a node kept less than 2 % of its CPUs busy, while half of the nodes kept half of theirs",
			onCounts, nodeIdle, always("Ask for fewer nodes, or start tasks on all of them.")},
		{"memory_near_limit", Warning,
			"its own memory, without page cache, reached 90 % of what it requested; it was not ended for that",
			onCounts, memoryNearLimit, always("Ask for more memory before a larger run (sbatch --mem).")},
		{"memory_growing", Warning,
			"its memory grew during the whole run, by a quarter and 16 MB or more, and a signal ended the run, or it would " +
				"reach its limit within ten times its length, or memory grew to three times as much and by 100 MB",
			onCounts, memoryGrowing, always("Before a longer run, find what keeps growing in memory.")},
		{"memory_growing", Info,
			"its memory grew during the whole run, by a quarter and 16 MB or more",
			onCounts, memoryGrows, always("Before a longer run, find what keeps growing in memory.")},
		{"memory_unused", Info,
			"its memory stayed below a quarter of what it requested, 4 GB or more, in a run of one core hour or " +
				"more",
			onCounts, memoryUnused, always("Ask for less memory (sbatch --mem).")},
		{"files_slow", Warning,
			"its tasks waited for files during 10 % of the run or more",
			onCounts, filesSlow, always("Read and write less often and in larger blocks, or use a local disk.")},
		{"gpu_not_held", Warning,
			"in a run of five seconds or more, none of its processes opened a GPU that it was given",
			onCounts, gpuNotHeld, always("Make the program use the GPU, or ask for none.")},
		{"gpu_no_kernel", Warning,
			"a GPU was held for five seconds or more, and according to its driver kernels ran on it for at most " +
				"1 % of that time",
			onCounts, gpuNoKernel, always("Make the program use the GPU, or ask for none.")},
		{"gpu_idle_stretch", Info,
			"on a GPU that the run used, no kernel ran for ten successive minutes and a tenth of the run, or for " +
				"ten seconds and three tenths of the run",
			onCounts, gpuIdleStretch, always("See what its CPUs do while the GPU is idle: type `jobgait stack` while it runs.")},
		{"gpu_slowed", Info,
			"a power cap or heat slowed a GPU for a tenth of the time or more",
			onCounts, gpuSlowed, always("Report the GPU's limit of power or heat to the administrators.")},
		{"gpu_idle_share", Info,
			"the GPUs were idle for 20 % of each cycle or more, or half of the time",
			onSamples, gpuIdleShare, always("See what its CPUs do while the GPU is idle: type `jobgait stack` while it runs.")},
		{"waiting_in_mpi", Warning,
			"15 % of its CPU time or more went to libraries of MPI that poll for messages",
			onSamples, waitingInMPI, always("See which ranks wait for which: type `jobgait stack` while it runs.")},
		{"openmp_waiting", Warning,
			"15 % of its CPU time or more went to the runtime of OpenMP, which waits at barriers with busy CPUs",
			onSamples, openmpWaiting, always("Give its threads equal work, or use fewer threads.")},
		{"communication_share", Info,
			"20 % of its CPU time or more went to communication libraries, most of it not waiting",
			onSamples, communicationShare, always("Use fewer ranks, or send fewer and larger messages.")},
		{"kernel_share", Info,
			"20 % of its CPU time or more went to the kernel",
			onSamples, kernelShare, always("See which system calls it makes: strace -f -c COMMAND.")},
		{"odd_node", Warning,
			"a node differs from the others of the run in busy CPUs, period or iteration",
			onSamples, oddNode, always("Run it on other nodes, to see whether the node or its part of the work is at fault.")},
		{"imbalance", Info,
			"the busiest node was at least 10 % above the mean, and no single node is the odd one",
			onSamples, imbalance, always("Give its nodes equal work.")},
		{"slower_than_usual", Warning,
			"earlier runs of the same shape were faster by more than their scatter",
			onCounts, slower, always("See since when and by how much: jobgait changes.")},
		{"faster", Info,
			"the run saved 10 % and one core hour compared with earlier runs of the same shape",
			onCounts, faster, nil},
		{"drifting", Warning,
			"iterations became 5 % longer or more in the course of the run, and that cost 2 % of its time or more",
			onSamples, drifting, always("Find what grows with the cycles: compare memory, files and code of its first and " +
				"last cycles.")},
		{"drifting", Warning,
			"runs of the same shape became gradually slower: a line explains them better than steps",
			onCounts, creeping, always("See since when and by how much: jobgait changes.")},
		{"start_up_long", Info,
			"the time before the first cycle that was recognized, unless its tasks mostly waited for CPUs then",
			onSamples, startUpLong, always("See what it does at its start: type `jobgait stack` in that time.")},
		{"parts_differ", Info,
			"a run without cycles whose first part differed from the rest in code or busy CPUs, if it took 10 % of the run " +
				"and as much CPU time as an info must cost, or more; this has no cost",
			onSamples, partsDiffer, always("To shorten the run, begin with the longest of its parts: PARTS names their code.")},
		{"checkpoints_cost", Info,
			"pauses between iterations that return at regular distances",
			onSamples, checkpointsCost, always("Write checkpoints less often, if more work may be lost.")},
		{"too_many_nodes", Info,
			"each node did less than half of the work that it does in measured runs on fewer nodes",
			onCounts, tooManyNodes, nil},
		{"not_sampled", Warning,
			"there are no samples of the run",
			onNothing, notSampled, always("See why nothing was sampled: jobgait doctor.")},
		{"partly_sampled", Warning,
			"samples do not cover the whole run or all of its nodes",
			onNothing, partlySampled, nil},
		{"no_period", Info,
			"no repetition was found; this has no cost",
			onSamples, noPeriod, nil},
	}
}

// SaysHowItEnded reports whether the findings of a code only say how the run ended: with which signal, exit code or
// state, and where in its structure.
func SaysHowItEnded(code string) bool {
	switch code {
	case "ended_by_signal", "failed", "failed_in_phase":
		return true
	}
	return false
}
