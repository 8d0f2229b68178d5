package note

// What the counters of a node say with a warning.
const (
	Unmeasured Code = "not_measured" // of what the run used something was not measured
	HybridCPUs Code = "hybrid_cpus"  // two kinds of cores: instructions and cycles are sums over both
	// a counter was given up while the job ran: it cost too much, or others held the PMU
	CountShed   Code = "counter_dropped"
	CPUsChanged Code = "cpus_changed"  // CPUs went offline or came back while the job ran
	SmallRings  Code = "small_rings"   // the kernel allowed less memory for records than four seconds need
	ReadFailed  Code = "read_failed"   // some readings of a slow counter failed
	NeverRead   Code = "never_read"    // a slow counter was announced and never came
	NoJobCgroup Code = "no_job_cgroup" // the job has no cgroup that perf events know: its own events were not counted
)
