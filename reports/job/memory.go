package job

import (
	"math"
	"slices"

	"jobgait/analysis/finding"
	"jobgait/analysis/series"
)

const (
	// growthParts is in how many parts of the run memory is compared: in each it must be larger than in the one before.
	// It is read once a second.
	growthParts = 6
	// growthFactor is the least ratio of the last part to the first.
	growthFactor = 1.25
	// leastGrowth is the least growth in bytes: libraries and buffers that a program loads late are smaller.
	leastGrowth = 16e6
)

// ownMemory reports whether a curve is the memory of a job on one node.
func (r Report) ownMemory(c Curve) bool {
	return isMemory(c.Name) && string(c.Scope) == string(series.JobScope) && r.Nodes.Total <= 1
}

// memoryOverTime returns the job's memory over a run on one node, as in the timeline; nil where it was not read.
func (r Report) memoryOverTime() []float64 {
	t := r.Rhythm.Timeline
	i := slices.IndexFunc(t.Columns, r.ownMemory)
	if i < 0 || len(t.Columns[i].Mean) < growthParts {
		return nil
	}
	return floats(t.Columns[i].Mean)
}

// memoryGrowth returns how the job's memory grew through all of a run on one node. It returns nil for several
// nodes, if less than half of the timeline has readings, or unless the mean of each of growthParts parts
// exceeds the one before and the last is growthFactor times the first and leastGrowth more.
func (r Report) memoryGrowth() *finding.MemoryGrowth {
	t, values := r.Rhythm.Timeline, r.memoryOverTime()
	if values == nil {
		return nil
	}
	from, to := 0, len(values) // the last reading may be a second before the end
	for from < to && math.IsNaN(values[from]) {
		from++
	}
	for from < to && math.IsNaN(values[to-1]) {
		to--
	}
	if to-from < len(values)/2 || to-from < growthParts {
		return nil
	}
	_, means, _ := series.Parts(values[from:to], growthParts)
	for k := 1; k < len(means); k++ {
		if !(means[k] > means[k-1]) {
			return nil
		}
	}
	first, last := means[0], means[len(means)-1]
	if !(first > 0) || last < growthFactor*first || last-first < leastGrowth {
		return nil
	}
	at := func(part float64) float64 {
		return t.StartS + (float64(from)+float64(to-from)*(part+0.5)/growthParts)*t.StepS
	}
	g := finding.MemoryGrowth{FromBytes: first, ToBytes: last, FromS: at(0), ToS: at(growthParts - 1)}
	g.BytesPerS = (g.ToBytes - g.FromBytes) / (g.ToS - g.FromS)
	return &g
}
