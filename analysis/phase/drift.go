package phase

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/periodicity"
)

// Drift says how the iterations of one period changed during the run.
type Drift struct {
	// SlopePctPerHour is by how much iterations became longer, in percent of
	// the period per hour (Theil and Sen), with its 95 % interval; NaN below
	// minDrift iterations.
	SlopePctPerHour, Lo, Hi float64
	// Steps are the places at which the length changed at once.
	Steps []Step
	// Slow lists the iterations that are much longer than their neighbours, at most maxSlow, longest first;
	// SlowCount is the number of all of them.
	Slow      []SlowCycle
	SlowCount int
}

// Step is one change of the length of iterations.
type Step struct {
	Iteration int     `json:"-"`          // the first of the new length
	TS        float64 `json:"t_s"`        // when it began
	EffectPct float64 `json:"effect_pct"` // of the length before; positive is slower
	BeforeS   float64 `json:"before_s"`
	AfterS    float64 `json:"after_s"`
}

// SlowCycle is an iteration that took longer than the median by five MADs.
type SlowCycle struct {
	Iteration int     `json:"-"` // place among the instances, from 0
	StartS    float64 `json:"start_s"`
	LengthS   float64 `json:"length_s"`
	ExcessS   float64 `json:"excess_s"` // over the median of its neighbourhood
}

const (
	// minDrift is the number of iterations below which no slope is given.
	minDrift = 10
	// driftBlocks bounds the number of points of the slope: 20,000 pairs.
	driftBlocks = 200
	// maxSlow is the most slow iterations that are listed.
	maxSlow = 100
	// slowMADs is the least distance of a slow iteration above the median, in median absolute deviations.
	slowMADs = 5
	// slowNear is the number of iterations over which that median is taken: fewer than a run has, so that a run
	// that slows down is compared locally.
	slowNear = 101
)

// DriftOf returns how the length of the iterations of p changed during the run. With fewer than minDrift iterations it
// has no slope (NaN) and no steps. startS and stepS are StartS and StepS of the series.Set in which p was found.
func DriftOf(p periodicity.Period, startS, stepS float64) Drift {
	n := len(p.Instances)
	d := Drift{SlopePctPerHour: math.NaN(), Lo: math.NaN(), Hi: math.NaN()}
	if n == 0 || !(stepS > 0) || !(p.PeriodS > 0) {
		return d
	}
	t, length := make([]float64, n), make([]float64, n)
	for i, in := range p.Instances {
		t[i] = startS + (float64(in.First)+float64(in.Length)/2)*stepS
		length[i] = float64(in.Length) * stepS
	}
	resolutionS := stepS
	if len(p.LengthsS) == n {
		length, resolutionS = p.LengthsS, p.LengthErrorS
	}
	if n >= minDrift {
		d.setSlope(t, length, p.PeriodS, resolutionS)
		d.Steps = steps(length, resolutionS)
		for i, s := range d.Steps {
			d.Steps[i].TS = startS + float64(p.Instances[s.Iteration].First)*stepS
		}
	}
	d.setSlow(p.Instances, length, startS, stepS, resolutionS)
	return d
}

// setSlope sets the slope of the cycle length over time and its 95 % interval, from the middle means of at most
// driftBlocks blocks of consecutive cycles. t is the middle and length the length of each cycle, in seconds. Lengths
// are known to resolutionS; the interval is at least as wide as that error of one mean makes it.
func (d *Drift) setSlope(t, length []float64, periodS, resolutionS float64) {
	n := len(t)
	k := (n + driftBlocks - 1) / driftBlocks
	var x, y []float64
	for a := 0; a+k <= n; a += k {
		m, _ := robust.Mean(t[a : a+k])
		x, y = append(x, m/3600), append(y, middleMean(length[a:a+k])/periodS*100)
	}
	slope, lo, hi := robust.TheilSen(x, y, 0.95)
	// Lengths are known to resolutionS: a slope cannot be known better than to that of one mean over the whole run.
	grid := 100 * resolutionS / periodS / float64(k) / (x[len(x)-1] - x[0])
	if periodS < coarse*resolutionS {
		grid *= float64(k) // all of them may be longer by that, by the way they are counted
	}
	d.SlopePctPerHour, d.Lo, d.Hi = slope, min(lo, slope-grid), max(hi, slope+grid)
}

// middleMean returns the mean of the middle half of x.
func middleMean(x []float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	m, _ := robust.Mean(s[len(s)/4 : len(s)-len(s)/4])
	return m
}

// setSlow sets SlowCount and the list of the maxSlow slowest cycles, the slowest first. A cycle is slow if it exceeds
// the median of its neighbourhood, at most slowNear cycles (up to 1.5 times as many at the end) without a step among
// them, by slowMADs times the MAD of all such differences or, if that is larger, the resolution resolutionS of lengths.
func (d *Drift) setSlow(in []periodicity.Instance, length []float64, startS, stepS, resolutionS float64) {
	n := len(length)
	over := make([]float64, n)
	next := d.Steps
	for a := 0; a < n; {
		b := min(a+slowNear, n)
		if n-b < slowNear/2 {
			b = n
		}
		// A neighbourhood ends where the length changes.
		for len(next) > 0 && next[0].Iteration <= a {
			next = next[1:]
		}
		if len(next) > 0 {
			b = min(b, next[0].Iteration)
		}
		m := robust.Median(length[a:b])
		for ; a < b; a++ {
			over[a] = length[a] - m
		}
	}
	limit := slowMADs * max(robust.MAD(over), resolutionS)
	for i, v := range over {
		if v > limit {
			d.Slow = append(d.Slow, SlowCycle{Iteration: i, StartS: startS + float64(in[i].First)*stepS, LengthS: length[i],
				ExcessS: v})
		}
	}
	d.SlowCount = len(d.Slow)
	slices.SortStableFunc(d.Slow, func(a, b SlowCycle) int { return cmp.Compare(b.ExcessS, a.ExcessS) })
	d.Slow = d.Slow[:min(len(d.Slow), maxSlow)]
}
