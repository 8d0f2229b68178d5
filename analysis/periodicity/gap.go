package periodicity

import (
	"math"
	"slices"

	"jobgait/analysis/series"
)

// gapSamples is the number of samples in a row without any value from which on they are a gap:
// time that nothing is known of. In shorter ones the last value is held.
const gapSamples = 64

// gap is a stretch that was left out, but for one missing sample that stands for it, so that
// what is before and after it are no neighbors.
type gap struct {
	at      int // that sample, among those that are left
	removed int
}

// withoutGaps returns the set without its gaps. Sets with other axes keep theirs: the agent
// knows why it has no samples.
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

// leaveOut returns the values without the gaps.
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

// restore puts the instances of a period back to where they are in the set with its gaps. An
// instance that a gap broke is left out: how long it took is not known.
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
