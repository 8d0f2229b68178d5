package pattern

import (
	"math"

	"jobgait/analysis/series"
)

// cyclePoints is the resolution at which shapes are compared: a multiple of 2 to
// 8 but for 5 and 7, and a rotation costs 192 products.
const cyclePoints = 192

// cycle is one period of a shape at cyclePoints points, with mean 0 and energy 1.
type cycle []float64

// newCycle returns one period of a shape at cyclePoints points, with mean 0 and energy 1. ok is false if the shape is
// flat, has fewer than two points or has missing values.
func newCycle(v series.Values) (c cycle, ok bool) {
	if len(v) < 2 {
		return nil, false
	}
	c = make(cycle, cyclePoints)
	mean := 0.0
	for i := range c {
		c[i] = cyclic(v, float64(i)/cyclePoints)
		mean += c[i] / cyclePoints
	}
	energy := 0.0
	for i := range c {
		c[i] -= mean
		energy += c[i] * c[i]
	}
	if !(energy > 1e-12*mean*mean*cyclePoints) || math.IsInf(energy, 0) {
		return nil, false
	}
	norm := 1 / math.Sqrt(energy)
	for i := range c {
		c[i] *= norm
	}
	return c, true
}

// cyclic returns the value of a cyclic shape at the given share of its length, by linear interpolation.
func cyclic(v series.Values, at float64) float64 {
	u := at * float64(len(v))
	i := int(math.Floor(u))
	f := u - float64(i)
	n := len(v)
	if i < 0 || i >= n {
		i = (i%n + n) % n
	}
	next := i + 1
	if next == n {
		next = 0
	}
	return float64(v[i])*(1-f) + float64(v[next])*f
}

// repeated returns a cycle of as many points as c in which the shape of c repeats m times, each time in an m-th of the
// points: it takes every m-th point of c and goes round c m times. The result is normalised.
func (c cycle) repeated(m int) cycle {
	out := make(cycle, len(c))
	for i := range out {
		out[i] = c[i*m%len(c)]
	}
	out.normalise()
	return out
}

// normalise sets the mean to 0 and, if the cycle is not flat, the energy to 1.
func (c cycle) normalise() {
	mean, energy := 0.0, 0.0
	for _, v := range c {
		mean += v / float64(len(c))
	}
	for i := range c {
		c[i] -= mean
		energy += c[i] * c[i]
	}
	if energy > 0 {
		for i := range c {
			c[i] /= math.Sqrt(energy)
		}
	}
}

// bestCorrelation returns the largest correlation of c with rotations of d, and the rotation: the share of the cycle, 0
// to 1, at which d has to begin to be most like c.
func (c cycle) bestCorrelation(d cycle) (r, shift float64) {
	r = -1
	twice := append(append(make(cycle, 0, 2*cyclePoints+4), d...), d...)[:2*cyclePoints+4]
	for s := 0; s < cyclePoints; s += 4 { // four sums at a time: one addition waits for the one before
		var dot0, dot1, dot2, dot3 float64
		at := twice[s:]
		for i, v := range c {
			w := at[i : i+4 : i+4]
			dot0 += v * w[0]
			dot1 += v * w[1]
			dot2 += v * w[2]
			dot3 += v * w[3]
		}
		for k, dot := range [...]float64{dot0, dot1, dot2, dot3} {
			if dot > r {
				r, shift = dot, float64(s+k)/cyclePoints
			}
		}
	}
	return r, shift
}

// rotated returns a shape that begins at the given share of its length.
func rotated(v series.Values, shift float64) series.Values {
	out := make(series.Values, len(v))
	for i := range out {
		out[i] = float32(cyclic(v, float64(i)/float64(len(v))+shift))
	}
	return out
}

// AlignPhase returns shape rotated so that it is most like ref; unchanged if either is flat or empty.
func AlignPhase(shape, ref series.Values) series.Values {
	a, ok := newCycle(ref)
	b, good := newCycle(shape)
	if !ok || !good {
		return shape
	}
	_, shift := a.bestCorrelation(b)
	k := int(math.Round(shift*float64(len(shape)))) % len(shape) // whole points: between them edges would be smeared
	return append(append(make(series.Values, 0, len(shape)), shape[k:]...), shape[:k]...)
}
