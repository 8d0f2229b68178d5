package periodicity

import (
	"math"

	"jobgait/analysis/internal/robust"
)

// parts is the number of parts of a template that may move against each other:
// an iteration that takes 5 % longer does so somewhere, not evenly.
const parts = 4

// template is the mean shape of one unit: one period, or several if the period
// is short. Its components have mean 0, so that levels do not matter.
type template struct {
	v       [][]float32 // [component][point]
	unit    int         // points
	periods int         // periods in one unit
	cut     [parts + 1]int
	energy  float64 // sum of squares, noise taken out
	// own is what the noise of an occurrence that is part of the mean adds,
	// per point, to its product with the template. Without taking it out, a
	// template of few long units looks better than one of many short ones.
	own float64
}

// newTemplate takes a mean of n occurrences whose samples have the given noise.
// A unit of several periods is folded into their mean, repeated: otherwise
// every multiple of a fraction of the period would pass for the fraction.
func newTemplate(v [][]float32, periods, n int, noise float64) template {
	t := template{v: v, unit: len(v[0]), periods: periods}
	for q := range t.cut {
		t.cut[q] = q * t.unit / parts
	}
	if periods > 1 {
		v = fold(v, periods)
	}
	own := noise / float64(n*periods)
	t.v, t.own = v, own*float64(len(v))
	for _, x := range v {
		m := float32(0)
		for _, y := range x {
			m += y
		}
		m /= float32(len(x))
		for i := range x {
			x[i] -= m
			t.energy += float64(x[i]) * float64(x[i])
		}
	}
	t.energy = max(t.energy-own*float64(t.unit*len(v)), 0.02*t.energy)
	return t
}

// fold returns the mean of the unit and its rotations by 1, 2, .. periods: of
// its harmonics those that are multiples of the number of periods. In this form
// it is exact when a period is no whole number of points.
func fold(v [][]float32, periods int) [][]float32 {
	out := make([][]float32, len(v))
	for k, x := range v {
		n := len(x)
		out[k] = make([]float32, n)
		for h := 0; h <= n/2; h += periods {
			var re, im float64
			for i, y := range x {
				s, c := math.Sincos(2 * math.Pi * float64(h*i%n) / float64(n))
				re += float64(y) * c
				im += float64(y) * s
			}
			w := 2 / float64(n)
			if h == 0 || 2*h == n {
				w = 1 / float64(n)
			}
			for i := range n {
				s, c := math.Sincos(2 * math.Pi * float64(h*i%n) / float64(n))
				out[k][i] += float32(w * (re*c + im*s))
			}
		}
	}
	return out
}

// occurrence is one unit in the series: where its parts begin, where it ends.
type occurrence struct {
	at [parts + 1]int
	// dot is the product with the template, energy the sum of the energies
	// of both, noise taken out of either.
	dot, energy float64
}

// distance returns the normalised squared distance of occurrences to their
// template, noise taken out: 0 = equal, 1 = unrelated. It is a ratio of sums: of
// a single occurrence with more noise than signal it can be anything.
func distance(occ []occurrence) float64 {
	var dot, energy float64
	for _, o := range occ {
		dot += o.dot
		energy += o.energy
	}
	if energy <= 0 {
		return 1
	}
	return max(0, 1-2*dot/energy)
}

func (o occurrence) length() int { return o.at[parts] - o.at[0] }

// average returns the template that the occurrences in v amount to.
func (t template) average(v vector, occ []occurrence) template {
	sum := make([][]float32, len(v.c))
	for k, x := range v.c {
		sum[k] = make([]float32, t.unit)
		for _, o := range occ {
			m := mean32(x[o.at[0]:min(o.at[parts], len(x))])
			for q := range parts {
				for i := t.cut[q]; i < t.cut[q+1]; i++ {
					if p := o.at[q] + i - t.cut[q]; p < len(x) {
						sum[k][i] += (x[p] - m) / float32(len(occ))
					}
				}
			}
		}
	}
	return newTemplate(sum, t.periods, len(occ), v.noise)
}

// retime fits the number of points to the median length of the occurrences.
func (t template) retime(v vector, occ []occurrence) template {
	lens := make([]float64, len(occ))
	for i, o := range occ {
		lens[i] = float64(o.length())
	}
	n := int(math.Round(robust.Median(lens)))
	if n == t.unit || n < 2*parts {
		return t
	}
	w := make([][]float32, len(t.v))
	for k, x := range t.v {
		w[k] = stretch(x, n)
	}
	return newTemplate(w, t.periods, len(occ), v.noise)
}

// stretch resamples one unit, which is cyclic, to n points.
func stretch(x []float32, n int) []float32 {
	y := make([]float32, n)
	for i := range y {
		u := float64(i) * float64(len(x)) / float64(n)
		j := int(u)
		f := float32(u - float64(j))
		y[i] = x[j]*(1-f) + x[(j+1)%len(x)]*f
	}
	return y
}

// rotate returns the unit begun s points later.
func (t template) rotate(s int) template {
	r := t
	r.v = make([][]float32, len(t.v))
	for k, x := range t.v {
		r.v[k] = append(append([]float32(nil), x[s:]...), x[:s]...)
	}
	return r
}

// edge returns the point of the largest change of level: the phase at which
// units are cut, so that regions found apart are in step, and so that an
// instance begins where a reader would begin it.
func (t template) edge() int {
	w := max(1, t.unit/24)
	best, at := -1.0, 0
	for i := range t.unit {
		d := 0.0
		for _, x := range t.v {
			s := 0.0
			for j := 0; j < w; j++ {
				s += float64(x[(i+j)%t.unit] - x[(i-1-j+2*t.unit)%t.unit])
			}
			d += s * s
		}
		if d > best {
			best, at = d, i
		}
	}
	return at
}

// likeness returns the smallest normalised distance between t and rotations of
// u, and the rotation as a share of the unit.
func (t template) likeness(u template) (distance, shift float64) {
	const n = 64
	distance = 2
	a, b := make([][]float32, len(t.v)), make([][]float32, len(t.v))
	var ea, eb float64
	for k := range t.v {
		a[k], b[k] = stretch(t.v[k], n), stretch(u.v[k], n)
		for i := range n {
			ea += float64(a[k][i]) * float64(a[k][i])
			eb += float64(b[k][i]) * float64(b[k][i])
		}
	}
	for s := range n {
		d := 0.0
		for k := range a {
			for i, x := range a[k] {
				e := float64(x - b[k][(i+s)%n])
				d += e * e
			}
		}
		if d /= ea + eb; d < distance {
			distance, shift = d, float64(s)/n
		}
	}
	return distance, shift
}

func mean32(x []float32) float32 {
	s := 0.0
	for _, v := range x {
		s += float64(v)
	}
	return float32(s / float64(max(1, len(x))))
}
