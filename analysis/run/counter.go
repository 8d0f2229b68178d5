package run

// Counter is the total of one cumulative counter over the run.
type Counter struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Scope string  `json:"scope"`
	Total float64 `json:"total"` // while there were samples
	// Before is what the run had counted when its first sample was taken.
	Before float64 `json:"before,omitempty"`
	// Share is the part of the sampled time that Total covers; 0 means all of it.
	Share float64 `json:"share,omitempty"`
}

// Part returns the part of the sampled time that Total covers, 0 < part <= 1.
func (c Counter) Part() float64 {
	if c.Share > 0 && c.Share < 1 {
		return c.Share
	}
	return 1
}

// MemoryPeak is the counter of the largest memory that the job's processes had at
// once: a count that only grows, so that no decimation lowers it.
const MemoryPeak = "proc_mem_peak"

// MemoryMost is the counter of the largest resident memory of one process, files that it
// mapped included, as wait4 returns it. It covers commands that ended before they were sampled.
const MemoryMost = "proc_rss_max"

// CPUWait is the counter of the time for which tasks were runnable and did not run, in ns.
const CPUWait = "proc_wait"

// CPUWaitShare returns the estimated share of the time, 0 to 1, for which a run waited for a CPU, from the mean numbers
// of its tasks that ran and that waited, as if both were constant: time with tasks of both kinds is divided in
// proportion to these numbers. It returns 0 without any task.
func CPUWaitShare(running, waiting float64) float64 {
	ready := running + waiting
	if !(ready > 0) {
		return 0
	}
	return min(1, ready) * waiting / ready
}

// StorageWait is the counter of the time for which tasks waited for storage, in ns, estimated from their states.
const StorageWait = "proc_storage_wait"

// CPUWaitS returns for how long tasks of the run wanted a CPU and did not run, in seconds over all tasks: because
// others ran, because a CPU limit stopped them, or because the hypervisor ran another machine. It returns nil if the
// first was not counted for the whole run.
func CPUWaitS(counters []Counter) *float64 {
	var waited, throttled, stolen float64
	known := false
	for _, c := range counters {
		if c.Scope != "job" {
			continue
		}
		switch c.Name {
		case CPUWait:
			known = c.Part() == 1
			waited = c.Total
		case "cgroup_throttled":
			throttled = c.Total
		case "stolen_cpu":
			stolen = c.Total
		}
	}
	if !known {
		return nil
	}
	s := (max(waited, throttled) + stolen) / 1e9 // most kernels count throttled tasks as waiting
	return &s
}
