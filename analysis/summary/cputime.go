package summary

import "math"

// A mean number of busy CPUs is reported only if a source counted the job's CPU time over the whole run. Code
// addresses are switched off where they cost too much: a job that used 61 s of CPU time had 0.56 s of them, all
// from its first second.

// mostOfRun is the part of the run that a clock must cover to speak for all of it.
const mostOfRun = 0.95

// busyCPUs is how many CPUs the job kept busy on average while it was not
// suspended: by the kernel's own clocks where they were read, else by samples where
// there are some of the whole run, else by /proc; nil if none of them was seen.
func (r NodeRecord) busyCPUs() *float64 {
	ran := r.sampledS() - r.SuspendedS
	mean, ok := r.exactCPU()
	if mean /= ran; ok && ran > 0 {
		return &mean
	}
	if mean, ok = r.shownCPUs(); ok {
		return &mean
	}
	mean, ok = r.counted("proc_cpu")
	if mean /= ran; ok && ran > 0 {
		return &mean
	}
	return nil
}

// exactCPU returns the CPU time of the job on this node as the kernel counted
// it to the nanosecond, best first: the clocks of the command's tasks, else the
// job's cgroup. False where neither was read. Samples of code addresses miss
// what the kernel does for an ordinary user: a program that lives in system
// calls showed 0.51 s of its 2.12 s.
func (r NodeRecord) exactCPU() (seconds float64, ok bool) {
	if seconds, ok = r.counted("task_clock"); !ok {
		seconds, ok = r.counted("cgroup_cpu")
	}
	return seconds, ok
}

// counted returns the CPU time that a clock of the job counted over the run.
func (r NodeRecord) counted(name string) (seconds float64, ok bool) {
	for _, c := range r.Counters {
		if c.Name == name && c.Scope == "job" && c.Unit == "ns" && c.Total > 0 {
			return c.Total / 1e9, true
		}
	}
	return 0, false
}

// shownCPUs is the mean of the timeline, false where samples are of a part of the
// run only. In a suspension there are samples, of nothing.
func (r NodeRecord) shownCPUs() (cpus float64, ok bool) {
	for _, c := range r.Counters {
		if c.Name == "cpu_time" && c.Part() < mostOfRun {
			return 0, false
		}
	}
	for _, c := range r.Timeline.Columns {
		if c.Name != busyColumn {
			continue
		}
		sum, n := 0.0, 0.0
		for _, v := range c.Mean {
			if !math.IsNaN(float64(v)) {
				sum += float64(v)
				n++
			}
		}
		if r.Timeline.StepS > 0 {
			n -= r.SuspendedS / r.Timeline.StepS
		}
		if n > 0 {
			return sum / n, true
		}
	}
	return 0, false
}

// sampledS is for how long the node was sampled, in seconds.
func (r NodeRecord) sampledS() float64 {
	if r.Quality.RateHz <= 0 {
		return 0
	}
	return float64(r.Quality.Samples) / r.Quality.RateHz
}
