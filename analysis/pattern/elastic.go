package pattern

import (
	"math"

	"jobgait/analysis/internal/dtw"
	"jobgait/analysis/internal/robust"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// group holds instances of a period, each as a series of its own.
type group struct {
	items   [][]float64
	points  int // samples of an instance, the mean
	band    int
	counts  bool // of single events: too coarse to be aligned
	scratch dtw.Scratch
}

// Alignment may move a sample by bandShare of the period, maxBand at most:
// instances begin in phase, and a wider band costs time and bends noise.
const (
	bandShare = 0.05
	maxBand   = 24
)

const (
	// maxAligned is the most instances that are aligned elastically (the paper found 100 to be enough for a
	// pattern); alignCells is the most table cells of one round, so that fewer instances of long periods are
	// aligned.
	maxAligned, alignCells = 128, 400_000
	// alignRounds is the number of refinements of the average: a third changes nothing.
	alignRounds = 2
	// elasticSignal and elasticRest say when instances are aligned at all: the shape's
	// variance over that of the noise is above the one (6 dB: below, the alignment
	// bends noise into shape), and what the unaligned mean leaves is above the other
	// (else there is no jitter to take out).
	elasticSignal, elasticRest = 4, 2
)

// newGroup returns the instances of p without missing samples in a column, chosen evenly over the run, as many as the
// budget allows (maxAligned, alignCells). ok is false if there are fewer than two.
func newGroup(c series.Column, p periodicity.Period) (*group, bool) {
	n := max(int(math.Round(p.PeriodSamples)), 1)
	g := &group{points: n, band: min(max(3, int(bandShare*float64(n))), maxBand), counts: c.Unit == "samples"}
	cells := n * (2*g.band + 1)
	limit := min(maxAligned, max(4, alignCells/cells))
	for _, in := range evenlyChosen(p.Instances, limit) {
		if x, ok := copyInstance(c.Values, in); ok {
			g.items = append(g.items, x)
		}
	}
	return g, len(g.items) > 1
}

// copyInstance returns the samples of an instance; ok is false if one is missing.
func copyInstance(v series.Values, in periodicity.Instance) ([]float64, bool) {
	if in.First < 0 || in.Length < 1 || in.First+in.Length > len(v) {
		return nil, false
	}
	x := make([]float64, in.Length)
	for i := range x {
		x[i] = float64(v[in.First+i])
		if math.IsNaN(x[i]) {
			return nil, false
		}
	}
	return x, true
}

// noiseSteps is the most differences from which the noise is estimated.
const noiseSteps = 4000

// needsAlignment reports whether the instances should be aligned before they are averaged: the variance of their mean
// shape exceeds elasticSignal times that of the noise, and their scatter about it elasticRest times. It returns false
// for counts of samples and for cycles shorter than two bands.
func (g *group) needsAlignment() bool {
	if g.counts || g.points < 2*g.band {
		return false
	}
	mean := g.mean(g.points)
	_, sd := robust.Mean(mean)
	var steps []float64
	rest, n := 0.0, 0
	for k, x := range g.items {
		for i := range mean {
			d := pointOf(x, i, g.points) - mean[i]
			rest += d * d
		}
		n += len(mean)
		for i := 1; i < len(x) && len(steps) < noiseSteps*(k+1)/len(g.items); i++ {
			steps = append(steps, math.Abs(x[i]-x[i-1]))
		}
	}
	noise := robust.Median(steps) / 0.954 // of the difference of two normal samples
	noise *= noise
	return sd*sd > elasticSignal*noise && rest/float64(n) > elasticRest*noise
}

// mean returns the mean of the items, stretched to n points.
func (g *group) mean(n int) []float64 {
	out := make([]float64, n)
	for _, x := range g.items {
		for i := range out {
			out[i] += pointOf(x, i, n) / float64(len(g.items))
		}
	}
	return out
}

// pointOf returns point i of x resampled to n points, by linear interpolation.
func pointOf(x []float64, i, n int) float64 {
	u := (float64(i)+0.5)*float64(len(x))/float64(n) - 0.5
	k := int(math.Floor(u))
	f := u - float64(k)
	a, b := min(max(k, 0), len(x)-1), min(max(k+1, 0), len(x)-1)
	return x[a]*(1-f) + x[b]*f
}

// average returns at n points the barycentre average of the instances, aligned in time, and the 10th and 90th
// percentiles of the samples paired with each. Pairs are found on smoothed copies: on the samples themselves noise is
// paired with similar noise, and the average of 450 instances is as rough as one of them.
func (g *group) average(n int) (mean, p10, p90 series.Values) {
	avg := g.mean(g.points)
	paired := make([][]float64, len(avg))
	sum, count := make([]float64, len(avg)), make([]float64, len(avg))
	even := make([][]float64, len(g.items))
	for k, x := range g.items {
		even[k] = smoothed(x)
	}
	for round := range alignRounds {
		// The last round sees all items, those before a quarter: they only
		// have to bring the edges to their places.
		stride := 1
		if round < alignRounds-1 {
			stride = min(1+len(g.items)/16, 4)
		}
		for i := range paired {
			paired[i] = paired[i][:0]
		}
		like := smoothed(avg)
		for k := 0; k < len(g.items); k += stride {
			x := g.items[k]
			clear(sum)
			clear(count)
			g.scratch.Align(like, even[k], g.band, func(i, j int) {
				sum[i] += x[j]
				count[i]++
			})
			for i := range sum {
				paired[i] = append(paired[i], sum[i]/count[i])
			}
		}
		for i, vals := range paired {
			avg[i], _ = robust.Mean(vals)
		}
	}
	lo, hi := make([]float64, len(avg)), make([]float64, len(avg))
	for i, vals := range paired {
		a, b := percentilePair(vals)
		lo[i], hi[i] = float64(a), float64(b)
	}
	return stretched(avg, n), stretched(lo, n), stretched(hi, n)
}

// smoothed returns the mean of five neighbours at each sample.
func smoothed(x []float64) []float64 {
	const w = 2
	out := make([]float64, len(x))
	for i := range x {
		a, b := max(0, i-w), min(len(x), i+w+1)
		for _, v := range x[a:b] {
			out[i] += v / float64(b-a)
		}
	}
	return out
}

// stretched returns x resampled to n points.
func stretched(x []float64, n int) series.Values {
	out := make(series.Values, n)
	for i := range out {
		out[i] = float32(pointOf(x, i, n))
	}
	return out
}

// wgss returns the within-group sum of squares: the sum over all instances of the squared distance to the
// shape, estimated from those in the group; 0 if the shape has missing points.
func (g *group) wgss(shape series.Values, instances int) float64 {
	x := make([]float64, len(shape))
	for i, v := range shape {
		x[i] = float64(v)
	}
	full := make([]float64, g.points)
	for i := range full {
		full[i] = pointOf(x, i, g.points)
	}
	w := g.scratch.WGSS(g.items, full, g.band) * float64(instances) / float64(len(g.items))
	if math.IsNaN(w) || math.IsInf(w, 0) {
		return 0
	}
	return w
}
