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
	search := newRotationSearch(c)
	return search.best(d)
}

// coarseStep is the distance of the rotations that a rotationSearch tries first, in points of the cycle.
const coarseStep = 4

// rotationSearch finds the rotation at which another cycle is most like the cycle c.
type rotationSearch struct {
	c cycle
	// change[k] is the most by which a correlation can change if a cycle of energy 1 is rotated by k points: the
	// distance of c from itself, rotated so.
	change [coarseStep]float64
	twice  cycle // scratch: the other cycle, twice
}

// newRotationSearch returns a search for the rotation that is most like c.
func newRotationSearch(c cycle) rotationSearch {
	s := rotationSearch{c: c, twice: make(cycle, 2*cyclePoints+3*coarseStep)}
	for k := range s.change {
		sum := 0.0
		for i, v := range c {
			d := v - c[(i+k)%len(c)]
			sum += d * d
		}
		s.change[k] = math.Sqrt(sum) + 1e-9 // for rounding errors
	}
	return s
}

// best returns the largest correlation of s.c with rotations of d, which has energy 1 or 0, and the rotation; of equal
// ones the first. It computes every fourth rotation, and those between that can exceed the largest so far.
func (s *rotationSearch) best(d cycle) (r, shift float64) {
	copy(s.twice, d)
	copy(s.twice[cyclePoints:], d)
	var coarse [cyclePoints/coarseStep + 1]float64
	r, at := -1.0, 0
	for k := 0; k < cyclePoints/coarseStep; k += 4 {
		for i, dot := range s.fourCorrelations(coarseStep*k, coarseStep) {
			if coarse[k+i] = dot; dot > r {
				r, at = dot, coarseStep*(k+i)
			}
		}
	}
	coarse[len(coarse)-1] = coarse[0]
	for k := range coarse[1:] {
		bound := -1.0
		for j := 1; j < coarseStep; j++ {
			bound = max(bound, min(coarse[k]+s.change[j], coarse[k+1]+s.change[coarseStep-j]))
		}
		if bound < r {
			continue
		}
		for j, dot := range s.fourCorrelations(coarseStep*k, 1) {
			if dot > r || dot == r && coarseStep*k+j < at {
				r, at = dot, coarseStep*k+j
			}
		}
	}
	return r, float64(at) / cyclePoints
}

// fourCorrelations returns the correlations of s.c with four rotations of s.twice, step points apart. It adds four
// sums at a time, because one addition waits for the one before.
func (s *rotationSearch) fourCorrelations(from, step int) [4]float64 {
	var dot0, dot1, dot2, dot3 float64
	n := len(s.c)
	w0, w1 := s.twice[from:][:n], s.twice[from+step:][:n]
	w2, w3 := s.twice[from+2*step:][:n], s.twice[from+3*step:][:n]
	for i, v := range s.c {
		dot0 += v * w0[i]
		dot1 += v * w1[i]
		dot2 += v * w2[i]
		dot3 += v * w3[i]
	}
	return [...]float64{dot0, dot1, dot2, dot3}
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
