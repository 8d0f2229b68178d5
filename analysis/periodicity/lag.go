package periodicity

import (
	"cmp"
	"math"
	"slices"
)

// candidate is a lag at which a stretch of the series resembles itself.
type candidate struct {
	lag    float64 // samples
	height float64 // autocorrelation there, noise taken out
	a, b   int     // where it was seen, samples
	votes  float64 // heights of the windows that agree, over their number at the level
}

// lagFinder computes autocorrelations; it keeps its transforms and buffers.
type lagFinder struct {
	transforms map[int]*transform
	x, power   []float32
	r          []float32
	ends       []float64
}

// correlation returns r(0..m): the correlation of v with itself shifted, summed over the components, each lag
// normalised by the energies of the two parts that overlap. White noise contributes to lag 0 only: it is taken out of
// the normalisation, so that a real loop comes near 1 however few counts there are per sample. It returns nil if there
// is nothing but noise. The next call reuses the slice.
func (f *lagFinder) correlation(v vector, m int) []float32 {
	n := v.len()
	t := f.transform(n + m) // enough points to keep lag m clear of the wrapped part
	f.power = resize(f.power, len(t.spectrum))
	clear(f.power)
	f.x = resize(f.x, n)
	f.ends = resize(f.ends, m+1)
	clear(f.ends)
	total := 0.0
	for _, x := range v.c {
		total += detrend(f.x, x)
		first, last := f.x[:m], f.x[n-m:]
		for k, end := range f.ends[1:][:len(first)] {
			f.ends[k+1] = end + square(float64(first[k])) + square(float64(last[len(first)-1-k]))
		}
		t.power(f.x, f.power)
	}
	for k := 1; k <= m; k++ {
		f.ends[k] += f.ends[k-1]
	}
	f.r = resize(f.r, m+1)
	t.correlate(f.power, f.r)
	return normalise(f.r, f.ends, total, n, v.noise*float64(len(v.c)))
}

// transform returns the transform for at least the given number of points, creating it if necessary.
func (f *lagFinder) transform(points int) *transform {
	size := transformSize(points)
	if f.transforms == nil {
		f.transforms = map[int]*transform{}
	}
	if f.transforms[size] == nil {
		f.transforms[size] = newTransform(size)
	}
	return f.transforms[size]
}

// normalise divides the raw correlations r[k] of n samples by the mean energy of the two parts that overlap at
// lag k, less that of the noise; total is the energy of all samples, ends[k] that of the first k and the last
// k. It returns nil if the signal is not stronger than chance gives. Noise estimated from differences is too
// large for periods of a few samples, so the signal has at least the energy of its largest correlation.
func normalise(r []float32, ends []float64, total float64, n int, noise float64) []float32 {
	if total <= 0 {
		return nil
	}
	best := float32(0)
	for k, end := range ends[:len(r)] {
		if e := total - end/2; e > 0 {
			r[k] /= float32(e)
		} else {
			r[k] = 0
		}
		if k >= 2 && r[k] > best {
			best = r[k]
		}
	}
	signal := max(1-noise*float64(n)/total, float64(best))
	// With n samples of pure noise a correlation has standard deviation
	// n^-1/2, and the largest of some 500 lags is 3.1 of them.
	if signal < 4/math.Sqrt(float64(n)) {
		return nil
	}
	scale := float32(1 / signal)
	for k := range r {
		r[k] *= scale
	}
	r[0] = 1
	return r
}

// resize returns a slice of n values in the memory of s if that suffices, else in new memory with spare
// capacity. The contents are undefined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+cap(s)/2)
	}
	return s[:n]
}

// zeros returns a slice of n zeros in the memory of s if that suffices.
func zeros[T any](s []T, n int) []T {
	if cap(s) < n {
		return resize(s, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// Heights of peaks that are worth following. minHeight is the paper's "close
// to 0" (1 - 0.3 = 0.7 there loses everything with jitter); the tracker
// decides. minContrast is what a peak has to rise over the valley before it:
// slow changes correlate at any lag, loops do not.
const (
	minHeight   = 0.25
	minContrast = 0.15
)

// peaks returns the lags of r worth following, lo or longer: the highest peak, preceded by the first of the others that
// nearly reaches it. A peak has at least minHeight and rises by minContrast over the valley before it. The fall from
// lag 0 is skipped, because a smooth series resembles itself at every short lag.
func peaks(r []float32, lo int) []int {
	start := 1
	for start < len(r)-1 && r[start+1] < r[start] {
		start++
	}
	valley := float32(math.Inf(1))
	best := 0
	var seen []int
	for k := start; k < len(r)-1; k++ {
		if r[k] < valley {
			valley = r[k]
		}
		if k < lo || k < 2 || r[k] < r[k-1] || r[k] < r[k+1] || r[k] < minHeight || r[k]-valley < minContrast {
			continue
		}
		seen = append(seen, k)
		if best == 0 || r[k] > r[best] {
			best = k
		}
	}
	for _, first := range seen {
		if first == best || r[first] < min(0.8*r[best], r[best]-0.05) {
			continue
		}
		// The highest point within 3 % is meant, not the first ripple.
		for k := first; k <= min(best, first+max(1, first*3/100)); k++ {
			if r[k] > r[first] {
				first = k
			}
		}
		return []int{first, best}
	}
	if best == 0 {
		return nil
	}
	return []int{best}
}

// parabola returns the place of the maximum of a parabola through the three points of r around k, at most half a point
// away; k if they have no maximum or k is at an end.
func parabola(r []float32, k int) float64 {
	if k < 1 || k+1 >= len(r) {
		return float64(k)
	}
	d := r[k-1] - 2*r[k] + r[k+1]
	if d >= 0 {
		return float64(k)
	}
	return float64(k) + float64(min(max((r[k-1]-r[k+1])/(2*d), -0.5), 0.5))
}

// refineLag returns lag k more precisely, from the peaks at 2, 4, 8 times it, as long as they are nearly as high: with
// 2.84 samples in a period, one period is too coarse.
func refineLag(r []float32, k int) float64 {
	lag := parabola(r, k)
	for m := 2; m*k < 48; m *= 2 {
		c := int(math.Round(lag * float64(m)))
		if c+2 >= len(r) {
			break
		}
		best := c
		for q := c - 1; q <= c+1; q++ {
			if r[q] > r[best] {
				best = q
			}
		}
		if r[best] < 0.7*r[k] {
			break
		}
		lag = parabola(r, best) / float64(m)
	}
	return lag
}

// windows bounds how many windows are taken at a level.
const windows = 32

// candidates searches samples a to b at every level and returns the lags found, at least minLag samples, those with
// most votes first. Two lengths of window are used, because in the long one a checkpoint, whose code is another, can
// hide the loop on both sides of it.
func (f *lagFinder) candidates(p *pyramid, a, b, minLag int, par Params) []candidate {
	var all []candidate
	for l := range p.height {
		v := p.at(l)
		lo, hi := a>>l, min(b>>l, v.len())
		if hi-lo < minLevel {
			break
		}
		from := 2
		if l > 0 {
			from = 12 // shorter ones were sought at the level below
		}
		from = max(from, minLag>>l)
		for _, w := range [2]int{par.window, par.window / 4} {
			w = min(w, hi-lo)
			all = append(all, f.windows(v.slice(lo, hi), w, from, l, a)...)
			if w == hi-lo && w <= par.window/4 {
				break // the shorter window would be the same
			}
		}
	}
	return merge(all)
}

// windows searches v, level l of the profile from sample a on, in overlapping windows of w points, and returns a
// candidate, in samples, for each peak of at least from points.
func (f *lagFinder) windows(v vector, w, from, l, a int) []candidate {
	var out []candidate
	hop := max(w/2, (v.len()-w)/(windows-1), 1)
	share := 1 / float64((v.len()-w)/hop+1)
	for s := 0; s+w <= v.len(); s += hop {
		r := f.correlation(v.slice(s, s+w), w/3)
		if r == nil {
			continue
		}
		for _, k := range peaks(r, from) {
			out = append(out, candidate{
				lag: refineLag(r, k) * float64(int(1)<<l), height: float64(r[k]), votes: float64(r[k]) * share,
				a: a + s<<l, b: a + (s+w)<<l,
			})
		}
	}
	return out
}

// merge joins candidates whose lags differ by less than 4 % and adds up their votes; the one with the highest peak
// represents them. It returns those with most votes first, and sorts all in place.
func merge(all []candidate) []candidate {
	slices.SortStableFunc(all, func(x, y candidate) int { return cmp.Compare(y.height, x.height) })
	var out []candidate
next:
	for _, c := range all {
		for i := range out {
			if math.Abs(c.lag/out[i].lag-1) < 0.04 {
				out[i].votes += c.votes
				continue next
			}
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(x, y candidate) int { return cmp.Compare(y.votes, x.votes) })
	return out
}
