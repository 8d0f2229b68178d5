package job

import (
	"slices"

	"jobgait/analysis/finding"
	"jobgait/analysis/series"
)

const (
	// growthParts is in how many parts of the run memory is compared, grownParts in how many of the steps between them
	// it must have grown.
	growthParts, grownParts = 10, 8
	// growthFactor is the least ratio of the last part to the first.
	growthFactor = 3.0
)

// memoryGrowth is how memory grew through all of a run on one node; nil where it did not, or is not known.
func (r Report) memoryGrowth() *finding.MemoryGrowth {
	t := r.Rhythm.Timeline
	i := slices.IndexFunc(t.Columns, func(c Curve) bool {
		return isMemory(c.Name) && string(c.Scope) == string(series.JobScope)
	})
	if i < 0 || r.Nodes.Total > 1 || len(t.Columns[i].Mean) < growthParts {
		return nil
	}
	_, means, _ := series.Parts(floats(t.Columns[i].Mean), growthParts)
	grown := 0
	for k := 1; k < len(means); k++ {
		if means[k] > means[k-1] {
			grown++
		}
	}
	first, last := means[0], means[len(means)-1]
	if grown < grownParts || !(first > 0) || last < growthFactor*first {
		return nil
	}
	span := float64(len(t.Columns[i].Mean)) * t.StepS
	at := func(part float64) float64 { return t.StartS + span*(part+0.5)/growthParts }
	g := finding.MemoryGrowth{FromBytes: first, ToBytes: last, FromS: at(0), ToS: at(growthParts - 1)}
	g.BytesPerS = (g.ToBytes - g.FromBytes) / (g.ToS - g.FromS)
	return &g
}
