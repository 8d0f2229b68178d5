package periodicity

import (
	"math"
	"slices"

	"jobgait/analysis/series"
)

// gapSamples is the least number of consecutive samples without any value that count as a gap: time of which
// nothing is known. In shorter stretches the last value is repeated.
const gapSamples = 64

// gap is a stretch that was replaced by one missing sample, so that the samples before and after it are not
// adjacent.
type gap struct {
	at      int // that sample, among those that are left
	removed int
}

// withoutGaps returns the set with each gap, gapSamples or more consecutive samples without any value, replaced by one
// missing sample, and the gaps. It returns the set unchanged if it has other axes, for which the agent recorded why it
// has no samples, or if fewer than minSamples would remain.
func withoutGaps(set series.Set) (series.Set, []gap) {
	if len(set.Also) > 0 || len(set.WallS) > 0 {
		return set, nil
	}
	var gaps []gap
	removed := 0
	for i, n := 0, set.Len(); i < n; {
		end := i
		for end < n && !anyValue(set, end) {
			end++
		}
		if end-i >= gapSamples {
			gaps = append(gaps, gap{at: i - removed, removed: end - i - 1})
			removed += end - i - 1
		}
		i = max(end, i+1)
	}
	if len(gaps) == 0 || set.Len()-removed < minSamples {
		return set, nil
	}
	columns := slices.Clone(set.Columns)
	for i := range columns {
		columns[i].Values = leaveOut(columns[i].Values, gaps)
	}
	set.Columns = columns
	return set, gaps
}

// anyValue reports whether any column has a value in a sample.
func anyValue(set series.Set, i int) bool {
	return slices.ContainsFunc(set.Columns, func(c series.Column) bool { return !math.IsNaN(float64(c.Values[i])) })
}

// leaveOut returns the values with each gap replaced by one missing sample.
func leaveOut(v series.Values, gaps []gap) series.Values {
	out := make(series.Values, 0, len(v))
	from := 0
	for _, g := range gaps {
		end := from + g.at - len(out)
		out = append(append(out, v[from:end]...), series.Missing())
		from = end + 1 + g.removed
	}
	return append(out, v[from:]...)
}

// restore converts the instances of a period to their places in the set with its gaps. Instances that contain a
// gap are left out, because their length is unknown.
func (p *Period) restore(set series.Set, gaps []gap) {
	var kept []Instance
	for _, in := range p.Instances {
		broken := slices.ContainsFunc(gaps, func(g gap) bool { return in.First <= g.at && g.at < in.First+in.Length })
		if broken {
			continue
		}
		moved := in
		for _, g := range gaps {
			if g.at < in.First {
				moved.First += g.removed
			}
		}
		kept = append(kept, moved)
	}
	p.Instances, p.Regions = kept, regions(set, kept)
}
