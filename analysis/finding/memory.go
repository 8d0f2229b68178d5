package finding

import (
	"fmt"
	"math"

	q "jobgait/analysis/quantity"
)

const (
	// nearMemory is the share of its memory above which a run is near the limit.
	nearMemory = 0.9
	// unusedMemory is the share below which most of it was not needed, of at least
	// leastMemory bytes: what lies below is a scheduler's default.
	unusedMemory, leastMemory = 0.25, 4e9
	// spare is the factor by which a request should exceed the peak.
	spare = 1.2
	// filesWait is the least share of the run at which waiting for files is reported.
	filesWait = 0.1
)

// memoryNearLimit finds runs whose memory nearly reached the limit.
func memoryNearLimit(r RunFacts) []Finding {
	m := r.Memory
	if m.Peak == nil || m.Requested == nil || *m.Requested <= 0 || *m.Peak < nearMemory**m.Requested ||
		len(outOfMemory(r)) > 0 {
		return nil
	}
	return single(fmt.Sprintf("Memory reached %s of %s that the run had.", q.Amount(*m.Peak, "B"),
		q.Amount(*m.Requested, "B")),
		map[string]any{"peak_bytes": *m.Peak, "requested_bytes": *m.Requested})
}

const (
	// largeGrowth is the growth in bytes from which a run that ended in order gets a warning, manyTimes the ratio of the
	// last to the first memory for that.
	largeGrowth, manyTimes = 1e8, 3.0
	// soonRuns is within how many lengths of the run its limit must be reached at the measured rate for a warning.
	soonRuns = 10.0
)

// memoryGrowing warns of memory that grew through all of the run where that may end a run: if a signal or lack of
// memory ended this one, if memory grew by largeGrowth and to manyTimes as much, or if at this rate the limit is
// reached within soonRuns lengths of the run.
func memoryGrowing(r RunFacts) []Finding {
	if r.Memory.Growth == nil || !r.growthThreatens() {
		return nil
	}
	return r.growth()
}

// memoryGrows reports memory that grew through all of the run and threatens no run yet.
func memoryGrows(r RunFacts) []Finding {
	if r.Memory.Growth == nil || r.growthThreatens() {
		return nil
	}
	return r.growth()
}

// growthThreatens reports whether the growth of memory is a warning.
func (r RunFacts) growthThreatens() bool {
	g := r.Memory.Growth
	if len(outOfMemory(r)) > 0 || !r.InOrder && r.ExitSignal != 0 {
		return true
	}
	if g.ToBytes >= manyTimes*g.FromBytes && g.ToBytes-g.FromBytes >= largeGrowth {
		return true
	}
	limit, _ := r.memoryLimit()
	return limit > 0 && r.Memory.limitAtS(limit) <= soonRuns*r.ElapsedS
}

// memoryLimit returns the memory at which a run whose memory grew is ended, in bytes, and its name: the request, the
// limit of the address space, or all memory of the node; 0 if none is known. It skips limits that the memory passed
// although the run did not lack memory: nothing enforced them.
func (r RunFacts) memoryLimit() (bytes float64, name string) {
	m, passed := r.Memory, 0.0
	if len(outOfMemory(r)) == 0 {
		passed = max(0, m.Growth.ToBytes)
	}
	for _, l := range []struct {
		bytes *float64
		name  string
	}{{m.Requested, "its limit of "}, {m.Mappable, "its limit (ulimit -v) of "}, {m.Node, "all memory of its node, "}} {
		if l.bytes != nil && *l.bytes > passed {
			return *l.bytes, l.name
		}
	}
	return 0, ""
}

// limitAtS returns when memory reaches a limit at the rate of its growth, in s since the run began.
func (m MemoryFacts) limitAtS(limit float64) float64 {
	g := m.Growth
	if !(g.BytesPerS > 0) {
		return math.Inf(1)
	}
	return g.ToS + max(0, limit-g.ToBytes)/g.BytesPerS
}

// growth returns the finding on memory that grew: from where to where, how fast, and when it reaches its limit.
func (r RunFacts) growth() []Finding {
	m := r.Memory
	g := m.Growth
	f := single(fmt.Sprintf("Memory grew through all of the run, from %s at %s to %s at %s: %s a second.",
		q.Amount(g.FromBytes, "B"), q.Duration(g.FromS), q.Amount(g.ToBytes, "B"), q.Duration(g.ToS),
		q.Amount(g.BytesPerS, "B")),
		map[string]any{"from_bytes": g.FromBytes, "to_bytes": g.ToBytes, "bytes_per_s": g.BytesPerS})
	if r.growthThreatens() && !r.InOrder {
		f[0].CostCoreS = r.costOf(1) // it may be why
	}
	limit, name := r.memoryLimit()
	at := m.limitAtS(limit)
	if limit <= 0 || math.IsInf(at, 0) || at > maxForecastS {
		return f
	}
	f[0].Evidence["limit_bytes"], f[0].Evidence["limit_at_s"] = limit, at
	switch {
	case len(outOfMemory(r)) > 0:
		f[0].Text += fmt.Sprintf(" So it reached %s%s.", name, q.Amount(limit, "B"))
	case r.InOrder:
		f[0].Text += fmt.Sprintf(" At this rate a longer run reaches %s%s, after %s.", name, q.Amount(limit, "B"),
			q.Duration(at))
	default:
		f[0].Text += fmt.Sprintf(" At this rate it would have reached %s%s, after %s.", name, q.Amount(limit, "B"),
			q.Duration(at))
	}
	return f
}

// maxForecastS is the longest time in s for which a growth is extrapolated: a month.
const maxForecastS = 30 * 86400.0

// memoryUnused finds runs of at least leastCoreS core seconds that requested leastMemory bytes or more and needed less
// than unusedMemory of that.
func memoryUnused(r RunFacts) []Finding {
	m := r.Memory
	if m.Peak == nil || m.Requested == nil || *m.Requested < leastMemory || *m.Peak >= unusedMemory**m.Requested ||
		r.coreS() < leastCoreS {
		return nil
	}
	f := single(fmt.Sprintf("The run needed %s of the %s of memory that it had.", q.Amount(*m.Peak, "B"),
		q.Amount(*m.Requested, "B")),
		map[string]any{"peak_bytes": *m.Peak, "requested_bytes": *m.Requested})
	if r.InOrder && r.NNodes == 1 && r.Batch {
		f[0].Action = action("Ask for less memory: sbatch --mem=%.0fM.", math.Ceil(spare**m.Peak/(1<<20)))
	}
	return f
}

// filesSlow finds runs whose tasks waited for files for at least filesWait of the elapsed time.
func filesSlow(r RunFacts) []Finding {
	w := r.FilesWaitS
	if w == nil || r.ElapsedS <= 0 || *w < filesWait*r.ElapsedS {
		return nil
	}
	f := single(fmt.Sprintf("Its tasks waited for files for %s, %s of the run.", q.Duration(*w),
		q.Share(min(1, *w/r.ElapsedS))),
		map[string]any{"waiting_s": *w, "elapsed_s": r.ElapsedS})
	f[0].CostCoreS = r.costOf(min(1, *w/r.ElapsedS))
	return f
}
