package note

// Notes on the counters of a node.
const (
	Unmeasured Code = "not_measured" // something that the run used was not measured
	HybridCPUs Code = "hybrid_cpus"  // two kinds of cores: instructions and cycles are sums over both
	// a counter was dropped while the job ran: it cost too much, or others used the PMU
	CountShed   Code = "counter_dropped"
	CPUsChanged Code = "cpus_changed"  // CPUs went offline or came back while the job ran
	SmallRings  Code = "small_rings"   // the kernel granted less memory for records than four seconds need
	ReadFailed  Code = "read_failed"   // some readings of a slow counter failed
	NeverRead   Code = "never_read"    // a slow counter was announced but never read
	NoJobCgroup Code = "no_job_cgroup" // the job has no cgroup that perf events support: its own events were not counted
)
