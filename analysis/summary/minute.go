package summary

import (
	"math"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

const (
	// minuteS is the length, in seconds, of the stretch that is kept at full resolution: an hour in 960 bins shows
	// no cycle of 6 s. minuteBins and minuteColumns limit its bins and columns: 12 KB of a record.
	minuteS       = 60.0
	minuteBins    = 480
	minuteColumns = 2
	// mostCycles is the most cycles that are kept, because more look like a solid block; leastCycles is the least
	// number, even if they take longer than a minute. seenCycles is the number of bins of the timeline in a cycle
	// at which it is visible there, so that nothing is kept.
	mostCycles  = 20
	leastCycles = 10
	seenCycles  = 24
)

// minuteOf returns a stretch of the set at the finest resolution that can be drawn, from the middle of the longest
// region of the main pattern or, without a pattern, of the run. The stretch has a minute, but at least leastCycles and
// at most mostCycles cycles of the pattern. It returns nil if the timeline shows as much.
func minuteOf(set series.Set, t Timeline, patterns []pattern.Pattern) *Timeline {
	lo, hi := set.StartS, set.StartS+float64(set.Len())*set.StepS
	span, names := minuteS, timelineColumns(set)
	if len(patterns) > 0 {
		p := patterns[0]
		if t.StepS*seenCycles <= p.PeriodS {
			return nil
		}
		if r, ok := longest(p.Regions); ok {
			lo, hi = max(lo, r.StartS), min(hi, r.EndS)
		}
		span, names = max(min(span, mostCycles*p.PeriodS), leastCycles*p.PeriodS), append([]string{p.ValuesColumn}, names...)
	}
	if span = min(span, hi-lo); !(span > 0) || !(set.StepS > 0) || t.StepS <= span/minuteBins {
		return nil
	}
	first := min(set.Len(), max(0, int(math.Round(((lo+hi-span)/2-set.StartS)/set.StepS))))
	last := min(set.Len(), first+max(2, int(math.Round(span/set.StepS))))
	if last-first < 2 {
		return nil
	}
	part := series.Set{StartS: set.StartS + float64(first)*set.StepS, StepS: set.StepS}
	for _, c := range set.Columns {
		c.Values = c.Values[min(first, len(c.Values)):min(last, len(c.Values))]
		part.Columns = append(part.Columns, c)
	}
	out := decimate(part, names, minuteBins)
	if out.Columns = out.Columns[:min(len(out.Columns), minuteColumns)]; len(out.Columns) == 0 {
		return nil
	}
	return &out
}

// longest returns the longest of the regions of a pattern; false if none exists.
func longest(all []periodicity.Region) (out periodicity.Region, ok bool) {
	for _, r := range all {
		if !ok || r.EndS-r.StartS > out.EndS-out.StartS {
			out, ok = r, true
		}
	}
	return out, ok
}
