package periodicity

import (
	"slices"

	"jobgait/analysis/series"
)

// A job leaves CPUs idle for one of two reasons: its tasks wait for something else, such as a timer, a file or a
// device, or they want a CPU and do not get it. In the second case a period of the
// number of busy CPUs comes from other programs, a CPU quota or the hypervisor. In the first it comes from the job.
const (
	// leastIdle is the least idle share of a job's CPUs that can be the job's rhythm. Interrupts take less.
	leastIdle = 0.05
	// mostWaited is the largest share of the idle time that waiting for a CPU may explain if the idleness is to count as
	// the job's own. Up to a half, the job's own pauses last in total at least as long as the waiting. On a virtual
	// machine whose host takes 3 % of the CPUs, tasks of a loop that idles for a tenth wait for a third of that.
	mostWaited = 0.5
)

// idlesVoluntarily reports whether the job left CPUs idle of its own accord: at least leastIdle of its CPUs' time was
// idle, and waiting for a CPU explains at most mostWaited of that. It returns false if the wait was not measured.
func (p Params) idlesVoluntarily(set series.Set) bool {
	if p.CPUWaitS == nil {
		return false
	}
	set.Columns = slices.Clone(set.Columns)
	for i := range set.Columns {
		set.Columns[i].Waits = false // a CPU that waits busily is not idle
	}
	clock, ok := set.Clock()
	had := clock.Busy() * float64(set.Len()) * set.StepS
	idle := had - clock.Total()
	return ok && idle >= leastIdle*had && *p.CPUWaitS <= mostWaited*idle
}

// isCrowded reports whether a job that used usedS seconds of CPU time in spanS seconds of wall time got fewer CPUs than
// it wanted: less than freeShare of those that it usually has busy. It returns false for a job that idles voluntarily.
func (p Params) isCrowded(clock series.Clock, usedS, spanS float64) bool {
	return !p.voluntaryIdle && usedS < freeShare*clock.Busy()*spanS
}
