package periodicity

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/series"
)

// period turns the instances of a known period into the result; ok is false if
// they are too few, cover too little, or are too irregular to be reported.
func (k *known) period(set series.Set, column string, par Params) (Period, bool) {
	n := len(k.in)
	if n < par.MinInstances {
		return Period{}, false
	}
	slices.SortFunc(k.in, func(x, y Instance) int { return cmp.Compare(x.First, y.First) })
	lens := make([]float64, n)
	covered := 0
	for i, in := range k.in {
		lens[i] = float64(in.Length)
		covered += in.Length
	}
	mean, sd := robust.Mean(lens)
	_, lo, hi := robust.MeanInterval(lens, 0.95)
	found := regions(set, k.in)
	// Both ends of a region are known to half a sample: equal lengths are not
	// an exact mean.
	grid := float64(len(found)) / float64(n)
	lo, hi = min(lo, mean-grid), max(hi, mean+grid)
	p := Period{
		Column:        column,
		PeriodS:       mean * set.StepS,
		LoS:           lo * set.StepS,
		HiS:           hi * set.StepS,
		PeriodSamples: mean,
		PeriodCV:      cv(mean, sd),
		Coverage:      float64(covered) / float64(set.Len()),
		Instances:     k.in,
		Regions:       found,
	}
	explained := min(1, max(0, 1-distance(k.units)/par.MaxDistance))
	regular := max(0, 1-p.PeriodCV)
	support := 1 - math.Exp(-float64(n)/10)
	p.Confidence = explained * regular * support
	ok := p.Coverage >= par.MinCoverage && p.Confidence >= par.MinConfidence && !scattered(p, k.t.periods)
	return p, ok
}

// scattered says of a period in more than three places that it is held for
// fewer than five units at a time on average: that is how the chance matches
// look that a long profile of random spikes has somewhere.
func scattered(p Period, periods int) bool {
	n := len(p.Regions)
	return n > 3 && len(p.Instances) < 5*periods*n
}

// cv is the coefficient of variation of the lengths without what rounding to
// whole samples adds: both ends of an instance are rounded, each to within half
// a sample (variance 1/12).
func cv(mean, sd float64) float64 {
	return math.Sqrt(max(0, sd*sd-1.0/6)) / mean
}

// regions joins instances that follow each other.
func regions(set series.Set, in []Instance) []Region {
	var out []Region
	end := -1
	for _, i := range in {
		if i.First == end {
			out[len(out)-1].Count++
		} else {
			out = append(out, Region{StartS: set.StartS + float64(i.First)*set.StepS, Count: 1})
		}
		end = i.First + i.Length
		out[len(out)-1].EndS = set.StartS + float64(end)*set.StepS
	}
	return out
}
