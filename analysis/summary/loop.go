package summary

import (
	"math"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
)

// Loop describes the iterations of one pattern, apart from their shape. It does not grow with their number.
type Loop struct {
	Pattern string `json:"pattern"`
	// Significance is by how much the period exceeds what the same search finds in permutations of the profile, in
	// their standard deviations.
	Significance float64 `json:"significance"`
	// Children are shorter periods inside the iterations.
	Children []periodicity.ChildPeriod `json:"children,omitempty"`
	// Activity is the iteration in a column that separates work from waiting, nil without such a column.
	Activity *Activity `json:"activity,omitempty"`
	// Drift describes how the length of iterations changed, nil for too few of them.
	Drift *Drift `json:"drift,omitempty"`
	// Boundaries are the beginnings, in seconds, of consecutive iterations in the middle of the run, by which
	// nodes are compared.
	Boundaries []float64 `json:"boundaries_s,omitempty"`
	// Examples are iterations as they were sampled, of the main pattern only.
	Examples []Example `json:"examples,omitempty"`
}

// Activity is one iteration in a column in which low means little work. The
// column of the pattern itself may be a page of code, and there low only means
// that the work is elsewhere.
type Activity struct {
	Column string        `json:"column"`
	Unit   string        `json:"unit"`
	Values series.Values `json:"values"`
	// Low are the stretches at a low level.
	Low []pattern.LowRegion `json:"low,omitempty"`
}

// activityColumns returns the columns that distinguish work from waiting, the best first.
func activityColumns() []string { return []string{"ipc", busyColumn, "proc_cpu"} }

// Limits for the patterns whose activity is recorded, and for its points: the comparison of nodes uses 256. A
// record has the beginnings of at most maxBoundaries iterations, however long the run was.
const (
	maxActivities  = 3
	activityPoints = 256
	maxBoundaries  = 128
)

// loopsOf returns the loops of all periods. periods and patterns are in the same order; points is the most lengths that
// the drift of a loop keeps.
func loopsOf(set series.Set, periods []periodicity.Period, patterns []pattern.Pattern, points int) []Loop {
	out := make([]Loop, len(periods))
	acts := activities(set, periods[:min(len(periods), maxActivities)])
	for i, q := range periods {
		out[i] = Loop{Pattern: patterns[i].ID, Significance: quantity.OrZero(q.Significance),
			Boundaries: boundaries(q, set, maxBoundaries)}
		for _, c := range q.Children {
			out[i].Children = append(out[i].Children,
				periodicity.ChildPeriod{PeriodS: quantity.OrZero(c.PeriodS), Count: c.Count,
					Confidence: quantity.OrZero(c.Confidence)})
		}
		if i < len(acts) {
			out[i].Activity = acts[i]
		}
	}
	for i := range out {
		q, like := withOtherLengths(i, periods, out)
		out[i].Drift = driftOf(q, like, set, points)
	}
	if len(out) > 0 {
		out[0].Examples = examplesOf(periods[0], set, patterns[0].ValuesColumn)
	}
	return out
}

// activities returns the shapes of the periods in the first column that distinguishes work from waiting and
// has values. A period without a complete shape gets nil.
func activities(set series.Set, periods []periodicity.Period) []*Activity {
	out := make([]*Activity, len(periods))
	for _, name := range activityColumns() {
		c, ok := set.Column(name)
		if !ok || len(periods) == 0 {
			continue
		}
		only := set
		only.Columns = []series.Column{c}
		for i, q := range pattern.RepresentAt(only, periods, activityPoints) {
			if q.ValuesColumn == name && isComplete(q.Values) {
				out[i] = &Activity{Column: name, Unit: q.ValuesUnit, Values: q.Values, Low: finiteLow(q.Low)}
			}
		}
		if out[0] != nil {
			return out
		}
	}
	return out
}

// isComplete reports whether a shape has a value at every point.
func isComplete(v series.Values) bool {
	for _, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			return false
		}
	}
	return len(v) > 0
}

// boundaries returns the beginnings of at most n consecutive iterations around
// the middle one. Every node keeps those of the same part of the run.
func boundaries(q periodicity.Period, set series.Set, n int) []float64 {
	from := max(0, (len(q.Instances)-n)/2)
	in := q.Instances[from:min(len(q.Instances), from+n)]
	out := make([]float64, len(in))
	for i, x := range in {
		out[i] = math.Round((set.StartS+float64(x.First)*set.StepS)*1e6) / 1e6
	}
	return out
}

// finiteLow replaces NaN and infinity in low stretches by 0, in place, for JSON, and returns low.
func finiteLow(low []pattern.LowRegion) []pattern.LowRegion {
	for i := range low {
		l := &low[i]
		for _, v := range []*float64{&l.OffsetS, &l.DurationS, &l.DurationSDS, &l.Share, &l.Repeatability, &l.SecondsPerHour,
			&l.Level, &l.Above} {
			*v = quantity.OrZero(*v)
		}
	}
	return low
}
