package periodicity

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/series"
)

// paperSamples returns the samples of a column with missing ones replaced by the last value, and values far beyond the
// bulk (see clipBounds) clipped. ok is false if nothing varies.
func paperSamples(v series.Values) (x []float64, ok bool) {
	var seen []float64
	for _, y := range v {
		if f := float64(y); !math.IsNaN(f) && !math.IsInf(f, 0) {
			seen = append(seen, f)
		}
	}
	if len(seen) == 0 {
		return nil, false
	}
	last := seen[0]
	slices.Sort(seen)
	q2, q98 := robust.SortedQuantile(seen, 0.02), robust.SortedQuantile(seen, 0.98)
	lo, hi := q2-(q98-q2), q98+(q98-q2)
	if q98 <= q2 {
		lo, hi = seen[0], seen[len(seen)-1]
	}
	x = make([]float64, len(v))
	for i, y := range v {
		if f := float64(y); !math.IsNaN(f) && !math.IsInf(f, 0) {
			last = f
		}
		x[i] = min(max(last, lo), hi)
	}
	return x, slices.Max(x) > slices.Min(x)
}

// paperCut is a profile cut into instances with windows of one length.
type paperCut struct {
	x       []float64
	in      []Instance
	covered int // samples
}

// search returns the cut with the window length whose instances cover most of the profile, by bisection: the
// better of the interval's quarter and three-quarter points decides which half is kept. Coverage is neither
// monotone nor unimodal in L, so the best length seen is kept, not the last.
func (par paper) search(x []float64) paperCut {
	best := paperCut{x: x}
	e := make([]float64, par.longest+1)
	try := func(length int) int {
		if length < 4 || 2*length > len(x) {
			return 0
		}
		c := paperCut{x: x, in: paperWindows(x, length, e)}
		if c.covered = paperCovered(c.in); c.covered > best.covered {
			best = c
		}
		return c.covered
	}
	lo, hi := 0, par.longest
	for hi-lo > 16 {
		q, mid := (hi-lo)/4, (lo+hi)/2
		if try(lo+q) >= try(hi-q) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return best
}

// paperFlatEnergy is the share of the squared level below which a window holds no
// shape.
const paperFlatEnergy = 1e-9

// paperWindows slides a window of twice the length over x. Where the right half resembles itself shifted by k,
// floor(length/k) instances of k samples are taken from it and the window slides by as much; else by half of
// the length (the paper does not say). No instance is taken from the first length samples, which only the left
// half of a window covers.
func paperWindows(x []float64, length int, e []float64) []Instance {
	var in []Instance
	for s := 0; s+2*length <= len(x); {
		k := paperPeriodicity(x[s:s+2*length], length, e)
		if k == 0 {
			s += max(1, length/2)
			continue
		}
		first := s + length
		for i := range length / k {
			in = append(in, Instance{First: first + i*k, Length: k})
		}
		s += k * (length / k)
	}
	return paperRegions(in)
}

// paperRegions leaves out instances that stand alone: a periodic region is two
// consecutive ones at least. The base periodicity of two windows may differ by a
// sample or two.
func paperRegions(in []Instance) []Instance {
	next := func(a, b Instance) bool {
		return b.First == a.First+a.Length && max(a.Length, b.Length)-min(a.Length, b.Length) <= max(2, a.Length*5/100)
	}
	var out []Instance
	for i, v := range in {
		if i > 0 && next(in[i-1], v) || i+1 < len(in) && next(v, in[i+1]) {
			out = append(out, v)
		}
	}
	return out
}

// paperPeriodicity returns the base periodicity of the right half of the window sw, 0 if it has none. The
// difference is computed for all shifts k < length: the right half is compared with the equally long range that
// begins k samples earlier.
func paperPeriodicity(sw []float64, length int, e []float64) int {
	mean := 0.0
	for _, v := range sw {
		mean += v
	}
	mean /= float64(len(sw))
	right := sw[length:]
	energy := 0.0
	for _, v := range right {
		energy += square(v - mean)
	}
	if energy == 0 || energy < paperFlatEnergy*float64(length)*mean*mean {
		return 0
	}
	shifted := energy
	e[0] = 0
	for k := 1; k < length; k++ {
		d := paperDistance(right, sw[length-k:2*length-k])
		shifted += square(sw[length-k]-mean) - square(sw[2*length-k]-mean)
		e[k] = d / (energy + shifted)
	}
	return paperBase(e[:length], paperClose)
}

// paperDistance returns the squared distance of two stretches of equal length.
func paperDistance(a, b []float64) float64 {
	b = b[:len(a)]
	var s, t float64
	i := 0
	for ; i+1 < len(a); i += 2 {
		s += (a[i] - b[i]) * (a[i] - b[i])
		t += (a[i+1] - b[i+1]) * (a[i+1] - b[i+1])
	}
	if i < len(a) {
		s += (a[i] - b[i]) * (a[i] - b[i])
	}
	return s + t
}

// paperBase returns the base shift: the smallest local minimum of the differences e by shift that is nearly as low as
// the lowest, within 1.5 times of it or 0.05, because noise often makes a multiple the lowest. Minima count only after
// the difference has exceeded half of its maximum, because smooth signals differ little at small shifts. It returns 0
// without a minimum of at most limit.
func paperBase(e []float64, limit float64) int {
	n := len(e)
	top := slices.Max(e[1:])
	from := 1
	for from < n && e[from] < 0.5*top {
		from++
	}
	dip := func(k int) bool { return e[k] <= e[k+1] && e[k] <= e[k-1] }
	best := 0
	for k := max(from, 2); k < n-1; k++ {
		if dip(k) && (best == 0 || e[k] < e[best]) {
			best = k
		}
	}
	if best == 0 || e[best] > limit {
		return 0
	}
	near := max(1.5*e[best], e[best]+0.05)
	for k := max(from, 2); k < best; k++ {
		if !dip(k) || e[k] > near {
			continue
		}
		at := k // noise makes side minima: the deepest within 3 %
		for q := k; q <= min(n-2, k+max(1, k*3/100)); q++ {
			if e[q] < e[at] {
				at = q
			}
		}
		return at
	}
	return best
}

// paperCircular returns the squared difference of a and b begun shift points later, both without their means, divided
// by their energies: 0 = equal, 1 = unrelated, and 1 if both are flat. Both have the same length.
func paperCircular(a, b []float64, shift int) float64 {
	n := len(a)
	ma, mb := 0.0, 0.0
	for i := range a {
		ma += a[i] / float64(n)
		mb += b[i] / float64(n)
	}
	d, e := 0.0, 0.0
	for i, v := range a {
		w := b[(i+shift)%n] - mb
		v -= ma
		d += square(v - w)
		e += square(v) + square(w)
	}
	if e == 0 {
		return 1
	}
	return d / e
}
