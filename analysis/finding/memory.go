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

// largeGrowth is the growth in bytes that is reported of runs that ended in order.
const largeGrowth = 1e9

// memoryGrowing returns a finding on memory that grew through all of the run. It returns nil for a run that
// ended in order, unless the growth is at least largeGrowth or the memory reached half of the limit: the
// requested memory, else the limit of the address space.
func memoryGrowing(r RunFacts) []Finding {
	m := r.Memory
	g := m.Growth
	if g == nil {
		return nil
	}
	limit := m.Requested
	if limit == nil {
		limit = m.Mappable
	}
	if r.InOrder && g.ToBytes-g.FromBytes < largeGrowth && (limit == nil || g.ToBytes < *limit/2) {
		return nil
	}
	f := single(fmt.Sprintf("Memory grew through all of the run, from %s at %s to %s at %s: %s a second.",
		q.Amount(g.FromBytes, "B"), q.Duration(g.FromS), q.Amount(g.ToBytes, "B"), q.Duration(g.ToS),
		q.Amount(g.BytesPerS, "B")),
		map[string]any{"from_bytes": g.FromBytes, "to_bytes": g.ToBytes, "bytes_per_s": g.BytesPerS})
	if !r.InOrder { // when it would have reached its limit means nothing any more
		f[0].CostCoreS = r.costOf(1) // it may be why
		return f
	}
	if limit != nil && *limit > g.ToBytes && g.BytesPerS > 0 {
		at := g.ToS + (*limit-g.ToBytes)/g.BytesPerS
		f[0].Evidence["limit_bytes"], f[0].Evidence["limit_at_s"] = *limit, at
		f[0].Text += fmt.Sprintf(" At this rate a longer run reaches its limit of %s after %s.", q.Amount(*limit, "B"),
			q.Duration(at))
	}
	return f
}

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
