package summary

import "math"

// A mean number of busy CPUs is reported only if a source counted the job's CPU time over the whole run. Code
// addresses are switched off where they cost too much: a job that used 61 s of CPU time had 0.56 s of them, all
// from its first second.

// mostOfRun is the least share of the run that a clock must cover to represent all of it.
const mostOfRun = 0.95

// busyCPUs returns the mean number of CPUs that the job kept busy while it was not suspended: by the kernel's clocks if
// they were read, else by samples if they cover the run, else by /proc; nil without any of these.
func (r NodeRecord) busyCPUs() *float64 {
	ran := r.sampledS() - r.SuspendedS
	mean, ok := r.cpuSeconds()
	if mean /= ran; ok && ran > 0 {
		return &mean
	}
	if mean, ok = r.timelineCPUs(); ok {
		return &mean
	}
	mean, ok = r.clockSeconds("proc_cpu")
	if mean /= ran; ok && ran > 0 {
		return &mean
	}
	return nil
}

// cpuSeconds returns the CPU time of the job on this node in seconds, as the kernel counted it: by the clocks
// of the command's tasks, else by the job's cgroup; false if neither was read. Samples of code addresses do not
// include the kernel for ordinary users: a program that makes many system calls showed 0.51 s of its 2.12 s.
func (r NodeRecord) cpuSeconds() (seconds float64, ok bool) {
	if seconds, ok = r.clockSeconds("task_clock"); !ok {
		seconds, ok = r.clockSeconds("cgroup_cpu")
	}
	return seconds, ok
}

// clockSeconds returns the CPU time, in seconds, that the named clock of the job counted over the run. ok is false if
// it was not read or counted nothing.
func (r NodeRecord) clockSeconds(name string) (seconds float64, ok bool) {
	for _, c := range r.Counters {
		if c.Name == name && c.Scope == "job" && c.Unit == "ns" && c.Total > 0 {
			return c.Total / 1e9, true
		}
	}
	return 0, false
}

// timelineCPUs returns the mean number of busy CPUs in the timeline, false if samples cover only a part of the
// run. Suspensions are sampled too, as zero.
func (r NodeRecord) timelineCPUs() (cpus float64, ok bool) {
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

// sampledS returns for how long the node was sampled, in seconds.
func (r NodeRecord) sampledS() float64 {
	if r.Quality.RateHz <= 0 {
		return 0
	}
	return float64(r.Quality.Samples) / r.Quality.RateHz
}
