package periodicity

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/series"
)

// minCoverage is the smallest share of the profile that one period has to cover, all of
// its regions together (the paper's 5 %).
const minCoverage = 0.05

// shortestPeriod is the length in samples below which no period is reported: it may be an alias
// of a shorter one.
const shortestPeriod = 2.5

// period converts a tracked period to the result; it returns false if the instances are too few, cover too
// little, or are too irregular to be reported.
func (k *trackedPeriod) period(set series.Set, column string) (Period, bool) {
	in := k.instances()
	n := len(in)
	if n < minInstances {
		return Period{}, false
	}
	lens := make([]float64, n)
	covered := 0
	for i, in := range in {
		lens[i] = float64(in.Length)
		covered += in.Length
	}
	mean, sd := robust.Mean(lens)
	p := Period{
		Column: column,
		Timing: Timing{
			PeriodCV: lengthCV(mean, sd),
			Coverage: float64(covered) / float64(set.Len()),
		},
		Instances: in,
		Regions:   regions(set, in),
	}
	length := k.length()
	p.setTypicalLength(set, in, length)
	p.Parts = Parts{
		Explained: min(1, max(0, 1-k.meanDistance()/maxDistance)),
		Regular:   max(0, 1-p.PeriodCV),
		Support:   (1 - math.Exp(-float64(n)/10)) * (1 - math.Exp(-p.Coverage/0.1)),
		Agreed:    1,
		Resolved:  1,
	}
	p.Confidence = p.Parts.product()
	for i := range lens {
		lens[i] *= set.StepS
	}
	p.Kind, p.Axis = Equal, series.Wall
	p.setLengths(lens)
	p.Significance = k.z
	for _, c := range k.children {
		p.Children = append(p.Children,
			ChildPeriod{PeriodS: c.lag * set.StepS, Count: int(c.perUnit * float64(n)), Confidence: c.confidence})
	}
	ok := length >= shortestPeriod && p.Coverage >= minCoverage && !isScattered(p, k.t.periods)
	return p, ok
}

// setTypicalLength sets the period to length, the typical length of its instances in samples, and its interval: that of
// the mean of the instances, moved to length, and at least as wide as whole samples make it.
func (p *Period) setTypicalLength(set series.Set, in []Instance, length float64) {
	lens := make([]float64, len(in))
	for i, x := range in {
		lens[i] = float64(x.Length)
	}
	mean, lo, hi := robust.MeanInterval(lens, 0.95)
	// Both ends of a region are known to half a sample: equal lengths are not
	// an exact mean.
	grid := float64(len(regions(set, in))) / float64(len(in))
	lo, hi = length+min(lo-mean, -grid), length+max(hi-mean, grid)
	p.PeriodS, p.PeriodLoS, p.PeriodHiS = length*set.StepS, lo*set.StepS, hi*set.StepS
	p.PeriodSamples = length
}

// lengthGroup is a number of instances that follow each other, and their mean length in samples.
type lengthGroup struct {
	count int
	mean  float64
}

// groupsOf divides instances into groups of at most groupSize that follow each other.
func groupsOf(in []Instance) (groups []lengthGroup) {
	for i := 0; i < len(in); {
		from := i
		for i++; i < len(in) && i-from < groupSize && in[i].First == in[i-1].First+in[i-1].Length; i++ {
		}
		last := in[i-1]
		groups = append(groups, lengthGroup{i - from, float64(last.First+last.Length-in[from].First) / float64(i-from)})
	}
	return groups
}

// typicalLength returns the typical length of an instance in samples: the median, weighted by instances, of the mean
// lengths of the groups. The mean of all would be that of the start-up and of the checkpoints too; the median
// of single ones, a whole number of samples.
func typicalLength(g []lengthGroup) float64 {
	slices.SortFunc(g, func(x, y lengthGroup) int { return cmp.Compare(x.mean, y.mean) })
	n := 0
	for _, x := range g {
		n += x.count
	}
	for i, at := 0, 0; i < len(g); i++ {
		if at += g[i].count; 2*at == n && i+1 < len(g) {
			return (g[i].mean + g[i+1].mean) / 2
		} else if 2*at >= n {
			return g[i].mean
		}
	}
	return 0
}

// length returns the typical length of an instance in samples.
func (k *trackedPeriod) length() float64 {
	groups := make([]lengthGroup, len(k.groups))
	for i, g := range k.groups {
		groups[i] = lengthGroup{len(g.in), g.length()}
	}
	return typicalLength(groups)
}

// isScattered reports whether a period occurs in more than three places with fewer than five units in each on
// average, like chance matches in a long profile of random spikes.
func isScattered(p Period, periods int) bool {
	n := len(p.Regions)
	return n > 3 && len(p.Instances) < 5*periods*n
}

// lengthCV returns the coefficient of variation of lengths with this mean and standard deviation in samples, without
// what rounding to whole samples adds: both ends of an instance are rounded to within half a sample (variance 1/12).
func lengthCV(mean, sd float64) float64 {
	return math.Sqrt(max(0, sd*sd-1.0/6)) / mean
}

// regions returns the regions of consecutive instances, in seconds.
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
