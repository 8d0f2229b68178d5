package job

import (
	"math"
	"slices"

	"jobgait/analysis/phase"
	"jobgait/analysis/quantity"
)

// leastCycleWait is the least share of a cycle for which waiting for files is printed.
const leastCycleWait = 0.05

// meanInCycles returns the mean of a column of the timeline over the cycles of the main pattern; NaN where it was not
// read or there is no pattern.
func (r Report) meanInCycles(name string) float64 {
	t := r.Rhythm.Timeline
	i := slices.IndexFunc(t.Columns, func(c Curve) bool { return c.Name == name })
	if i < 0 || !r.Rhythm.Periodic {
		return math.NaN()
	}
	sum, n := 0.0, 0
	for k, v := range t.Columns[i].Mean {
		at := t.StartS + (float64(k)+0.5)*t.StepS
		inLoop := slices.ContainsFunc(r.Rhythm.Phases, func(p RunPhase) bool {
			return p.Kind == phase.Loop && string(p.Pattern) == r.Rhythm.Patterns[0].ID && p.StartS <= at && at < p.EndS
		})
		if x := float64(v); inLoop && !math.IsNaN(x) {
			sum, n = sum+x, n+1
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

// filesWaitInCycle returns for which share of each cycle all tasks waited for files; false where that is unknown or
// below leastCycleWait.
func (r Report) filesWaitInCycle() (share float64, ok bool) {
	share = r.meanInCycles("cgroup_psi_io_full")
	return share, share >= leastCycleWait && share <= 1
}

// bytesOfCycle returns how many bytes a cycle reads from storage or writes to it; false where that is unknown or the
// rate is below leastFileRate.
func (r Report) bytesOfCycle() (bytes float64, ok bool) {
	for _, prefix := range []string{"cgroup", "proc"} {
		rate := r.meanInCycles(prefix+"_read_bytes") + r.meanInCycles(prefix+"_write_bytes")
		if rate >= leastFileRate {
			return rate * r.cyclePeriod(r.Rhythm.Patterns[0].ID), true
		}
	}
	return 0, false
}

// idleInCycle returns words on the part of a cycle in which no CPU was in use, with the reason as far as it is known.
func (r Report) idleInCycle(share float64) string {
	words := "no CPU in use for " + quantity.Share(share) + " of each cycle"
	if wait, ok := r.filesWaitInCycle(); ok {
		return words + ", waiting for files for " + quantity.Share(wait)
	}
	if bytes, ok := r.bytesOfCycle(); ok {
		return words + "; it reads or writes " + quantity.Amount(bytes, "B") + " in a cycle"
	}
	return words
}
