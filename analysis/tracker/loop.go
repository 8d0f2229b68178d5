package tracker

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// Loop is a period that detection found, prepared for the tracker.
type Loop struct {
	periodicity.Timing // as detected
	// from lists the columns, mix holds the weight of each in each mixture; mean, lo and hi are each column's mean
	// and the limits at which its deviation is clipped.
	from         []int
	mix          [][]float32
	mean, lo, hi []float32
	every        int // samples in a point
	cycles       int // in the template
	fold         fold
	usual        float64 // likeness of the cycles it was learned from
	minLikeness  float64 // least likeness of a window that is a cycle
	low          []signature
	activity     int // the column of the low stretches
	effort       effort
}

const (
	// mostPoints is the most points of a template: a boundary is known to 1.6 % of the period.
	mostPoints = 64
	// leastPoints is the least number of points of a template: shorter cycles are matched several at a time, or
	// noise would match as well.
	leastPoints = 32
	// mixtures of columns that are kept, each with leastShare of the variance that
	// goes with the phase.
	mixtures   = 3
	leastShare = 0.08
	// learnedFrom is the most cycles from which a template is made.
	learnedFrom = 256
	// leastUsual and leastGain: cycles that are less like their own mean than that,
	// or hardly more so than what lies half a period beside them, cannot be followed.
	leastUsual, leastGain = 0.25, 0.12
)

// Learn makes a loop from a period that was found in a set, each of whose samples is merge samples of the
// tracker; it returns false if the cycles are not similar enough, fewer than three or shorter than two samples,
// or if the set has no column of the period.
func Learn(set series.Set, merge int, p periodicity.Period) (Loop, bool) {
	l := Loop{Timing: p.Timing}
	for j, c := range set.Columns {
		if c.Name == p.Column || c.Group != "" && c.Group == p.Column {
			l.from = append(l.from, j)
		}
	}
	samples := p.PeriodS / set.StepS
	if len(l.from) == 0 || len(p.Instances) < 3 || !(samples >= 2) {
		return Loop{}, false
	}
	in := spread(p.Instances, learnedFrom)
	thin := max(1, int(samples/mostPoints))
	l.every = thin * merge
	l.cycles = max(1, int(math.Ceil(leastPoints/(samples/float64(thin)))))
	points := max(4, int(math.Round(float64(l.cycles)*samples/float64(thin))))
	centred := l.centre(set)
	l.findMixtures(phased(centred, in, min(mostPoints, max(8, int(samples)))))
	v := l.project(centred)
	l.fold = folded(v, in, points, l.cycles)
	if !l.learnLikeness(v, p.Instances, thin) {
		return l, false
	}
	l.learnLow(set, p, thin, merge)
	return l, true
}

// spread returns at most n instances, evenly.
func spread(in []periodicity.Instance, n int) []periodicity.Instance {
	if len(in) <= n {
		return in
	}
	out := make([]periodicity.Instance, n)
	for i := range out {
		out[i] = in[i*len(in)/n]
	}
	return out
}

// centre sets the columns' means and limits, and returns the columns as clipped deviations from them: values
// far beyond the usual are glitches, and would outweigh all others.
func (l *Loop) centre(set series.Set) [][]float32 {
	out := make([][]float32, len(l.from))
	for k, j := range l.from {
		x := set.Columns[j].Values
		some := make([]float64, 0, 2048)
		for i := 0; i < len(x); i += max(1, len(x)/2000) {
			if v := float64(x[i]); !math.IsNaN(v) && !math.IsInf(v, 0) {
				some = append(some, v)
			}
		}
		slices.Sort(some)
		var q [3]float64
		if len(some) > 0 {
			q = [3]float64{robust.SortedQuantile(some, 0.02), robust.SortedQuantile(some, 0.5),
				robust.SortedQuantile(some, 0.98)}
		}
		reach := q[2] - q[0]
		mean, _ := robust.Mean(some)
		mean = min(max(mean, q[0]), q[2])
		l.mean, l.lo, l.hi = append(l.mean, float32(mean)), append(l.lo, float32(q[0]-reach-mean)),
			append(l.hi, float32(q[2]+reach-mean))
		out[k] = make([]float32, len(x))
		last := float32(0)
		for i, v := range x {
			last = l.clip(k, v, last)
			out[k][i] = last
		}
	}
	return out
}

// clip returns the clipped deviation of a value from its column's mean, last for a missing one.
func (l *Loop) clip(k int, v, last float32) float32 {
	if series.IsMissing(v) {
		return last
	}
	return min(max(v-l.mean[k], l.lo[k]), l.hi[k])
}

// phased returns the mean over the cycles of each column at each of n phases, less the column's mean over all
// phases.
func phased(x [][]float32, in []periodicity.Instance, n int) [][]float64 {
	out := make([][]float64, len(x))
	for k := range x {
		out[k] = make([]float64, n)
		for _, c := range in {
			for i := range n {
				at := c.First + (2*i+1)*c.Length/(2*n)
				if at < len(x[k]) {
					out[k][i] += float64(x[k][at]) / float64(len(in))
				}
			}
		}
		mean, _ := robust.Mean(out[k])
		for i := range out[k] {
			out[k][i] -= mean
		}
	}
	return out
}

// findMixtures sets the mixtures of columns that vary most with the phase: the principal components of the
// columns' means by phase, found by iteration. It overwrites phase.
func (l *Loop) findMixtures(phase [][]float64) {
	n := len(phase)
	first := 0.0
	for len(l.mix) < min(mixtures, n) {
		w := make([]float64, n)
		for k := range w {
			w[k] = norm(phase[k]) + 1e-12
		}
		value := 0.0
		for range 30 {
			y := make([]float64, len(phase[0]))
			for k, x := range phase {
				for i := range x {
					y[i] += w[k] * x[i]
				}
			}
			for k, x := range phase {
				w[k] = 0
				for i := range x {
					w[k] += x[i] * y[i]
				}
			}
			if value = norm(w); value == 0 {
				return
			}
			for k := range w {
				w[k] /= value
			}
		}
		if first = max(first, value); value < leastShare*first {
			return
		}
		l.mix = append(l.mix, weights(w))
		deflate(phase, w)
	}
}

// deflate removes from the columns' means by phase what the mixture w, a vector of length 1, explains of them,
// so that the next mixture can be found.
func deflate(phase [][]float64, w []float64) {
	for i := range phase[0] {
		y := 0.0
		for k := range w {
			y += w[k] * phase[k][i]
		}
		for k := range w {
			phase[k][i] -= w[k] * y
		}
	}
}

// weights converts w to single precision.
func weights(w []float64) []float32 {
	out := make([]float32, len(w))
	for k := range w {
		out[k] = float32(w[k])
	}
	return out
}

// norm returns the Euclidean norm of x.
func norm(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v * v
	}
	return math.Sqrt(s)
}

// project returns the mixtures of columns that are given as deviations from their means.
func (l *Loop) project(x [][]float32) [][]float32 {
	out := make([][]float32, len(l.mix))
	for k, w := range l.mix {
		out[k] = make([]float32, len(x[0]))
		for j := range x {
			for i, v := range x[j] {
				out[k][i] += w[j] * v
			}
		}
	}
	return out
}

// folded returns the mean of the cycles as a template of the given number of points, which cover turns successive
// cycles.
func folded(x [][]float32, in []periodicity.Instance, points, turns int) fold {
	f := fold{v: make([][]float32, len(x))}
	for k := range x {
		sum := make([]float64, len(x[k])+1)
		for i, v := range x[k] {
			sum[i+1] = sum[i] + float64(v)
		}
		f.v[k] = make([]float32, points)
		for _, c := range in {
			step := float64(turns*c.Length) / float64(points)
			for i := range points {
				from := math.Mod(float64(i)*step, float64(c.Length))
				f.v[k][i] += float32(between(sum, float64(c.First)+from, float64(c.First)+from+step) / step / float64(len(in)))
			}
		}
	}
	f.normalise()
	return f
}

// between returns by how much a cumulative sum grows from a to b, with each sample spread evenly.
func between(sum []float64, a, b float64) float64 {
	at := func(u float64) float64 {
		i := min(int(u), len(sum)-2)
		return sum[i] + (u-float64(i))*(sum[i+1]-sum[i])
	}
	return at(min(b, float64(len(sum)-1))) - at(min(a, float64(len(sum)-1)))
}

// learnLikeness measures the likeness to the template of the loop's own cycles and of the stretches between
// them, and sets the least likeness of a cycle: to the middle of both, or to half of that of the own cycles,
// at least 0.15, if the stretches are less like it than that. It returns false if they do not differ enough.
func (l *Loop) learnLikeness(v [][]float32, in []periodicity.Instance, thin int) bool {
	if len(l.mix) == 0 || !(l.fold.energy > 0) {
		return false
	}
	p := newPulse(*l)
	p.loop.every = thin
	n := len(v[0])
	like := make([]float64, n/thin)
	at := make([]float32, len(v))
	for i := range n {
		for k := range v {
			at[k] = v[k][i]
		}
		if p.point(at) {
			like[i/thin] = p.like
		}
	}
	var own, beside []float64
	best := func(a, b int) float64 {
		m := -1.0
		for i := max(0, a/thin); i <= b/thin && i < len(like); i++ {
			m = max(m, like[i])
		}
		return m
	}
	free := 0
	for _, c := range in {
		for ; free+c.Length <= c.First; free += c.Length { // between regions
			beside = append(beside, best(free, free+c.Length-1))
		}
		free = c.First + c.Length
	}
	for _, c := range spread(in, learnedFrom) {
		end := c.First + c.Length - 1
		if end >= n || end < l.cycles*c.Length {
			continue
		}
		slack := c.Length / 12 // 0 for cycles of a few samples: the next one is as near
		own = append(own, best(end-slack, end+slack))
		beside = append(beside, best(end-c.Length/2-slack, end-c.Length/2+slack))
	}
	if len(own) < 2 {
		return false
	}
	slices.Sort(own)
	slices.Sort(beside)
	l.usual = robust.SortedQuantile(own, 0.5)
	other := max(0, robust.SortedQuantile(beside, 0.5))
	l.minLikeness = max(0.5*l.usual, 0.15)
	if other > 0.5*l.usual {
		l.minLikeness = (l.usual + other) / 2
	}
	return l.usual >= leastUsual && l.usual-other >= leastGain
}
