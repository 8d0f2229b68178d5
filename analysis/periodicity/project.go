package periodicity

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/series"
)

// projection maps the columns of a source to few components in which counting
// noise has variance 1: every column is divided by the standard deviation of
// its noise, then the directions of largest variance are kept. A page that is
// hit at random only adds noise to the sum over columns; this leaves it out.
type projection struct {
	cols   []series.Column
	mean   []float64
	lo, hi []float32
	w      [][]float64 // [component][column]
}

// blockLen is the length over which variance is measured for the choice of
// directions: 2.5 s at 5 ms, so that the step from start-up to loop, which is
// often the largest variance of all, does not use the directions up.
const blockLen = 512

// project returns the projection of a source, and false if every column is
// flat or empty.
func newProjection(s source, maxComponents int) (projection, bool) {
	p := projection{}
	var scale []float64
	for _, c := range s.cols {
		st, ok := describe(c)
		if !ok {
			continue
		}
		p.cols = append(p.cols, c)
		p.mean = append(p.mean, st.mean)
		p.lo, p.hi = append(p.lo, st.lo), append(p.hi, st.hi)
		scale = append(scale, 1/st.noise)
	}
	d := len(p.cols)
	if d == 0 {
		return p, false
	}
	if d == 1 {
		p.w = [][]float64{{scale[0]}}
		return p, true
	}
	cov := p.covariance(scale)
	var eig mat.EigenSym
	if !eig.Factorize(cov, true) {
		return p, false
	}
	var vec mat.Dense
	eig.VectorsTo(&vec)
	val := eig.Values(nil) // ascending
	for k := d - 1; k >= 0 && len(p.w) < maxComponents; k-- {
		// Pure noise has variance 1 in every direction. Directions within
		// 10 % of it, or a hundredth of the first, would only add noise.
		if len(p.w) > 0 && (val[k] < 1.1 || val[k]-1 < 0.01*(val[d-1]-1)) {
			break
		}
		w := make([]float64, d)
		for j := range w {
			w[j] = vec.At(j, k) * scale[j]
		}
		p.w = append(p.w, w)
	}
	return p, true
}

// columnStats is what the projection needs to know of a column.
type columnStats struct {
	mean, noise float64 // noise is a standard deviation
	lo, hi      float32 // values beyond are clipped
}

// describe measures a column on at most some 30,000 samples spread over it; ok
// is false if it has no variance.
func describe(c series.Column) (st columnStats, ok bool) {
	var vals, diffs []float64
	sum2, diff2 := 0.0, 0.0
	n := len(c.Values)
	stride := max(1, n/30000)
	for i := 0; i < n; i += stride {
		v := float64(c.Values[i])
		if bad(v) {
			continue
		}
		vals = append(vals, v)
		if i+1 < n {
			if d := float64(c.Values[i+1]) - v; !bad(d) {
				diffs = append(diffs, math.Abs(d))
				diff2 += d * d
			}
		}
	}
	if len(vals) < 8 || len(diffs) < 8 {
		return st, false
	}
	slices.Sort(vals)
	st.mean, _ = robust.Mean(vals)
	for _, v := range vals {
		sum2 += (v - st.mean) * (v - st.mean)
	}
	variance := sum2 / float64(len(vals))
	if variance <= 1e-12*(st.mean*st.mean)+1e-30 {
		return st, false
	}
	// Spikes far beyond the bulk carry no period and would drown it.
	q2, q98 := robust.SortedQuantile(vals, 0.02), robust.SortedQuantile(vals, 0.98)
	st.lo, st.hi = float32(q2-(q98-q2)), float32(q98+(q98-q2))
	if q98 <= q2 {
		st.lo, st.hi = float32(vals[0]), float32(vals[len(vals)-1])
	}
	diff2 /= 2 * float64(len(diffs))
	noise := 0.0
	switch c.Unit {
	case "samples":
		// Counts: Poisson at most (variance = mean), less where a fixed
		// number per slot is shared out (multinomial); but never less than
		// the rounding to whole counts, whose regular beat with the grid is
		// no loop.
		noise = max(min(st.mean, diff2), 0.25)
	default:
		// The median keeps edges out; a column that mostly stands still has
		// none, and its jumps have to be taken for chance.
		noise = diff2
		if m := robust.Median(diffs) / 0.954; m > 0 {
			noise = min(m*m, diff2)
		}
		if c.Unit == "CPUs" {
			q := quantum(vals)
			noise = max(noise, 0.25*q*q)
		}
	}
	st.noise = math.Sqrt(max(noise, 1e-4*variance))
	return st, true
}

// quantum is the smallest difference between distinct values of x, ascending.
func quantum(x []float64) float64 {
	q := math.Inf(1)
	for i := 1; i < len(x); i++ {
		if d := x[i] - x[i-1]; d > 1e-6*math.Abs(x[i]) && d < q {
			q = d
		}
	}
	if math.IsInf(q, 1) {
		return 0
	}
	return q
}

func bad(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

// covariance of the scaled columns within blocks, over at most 400 blocks
// spread over the profile.
func (p projection) covariance(scale []float64) *mat.SymDense {
	d, n := len(p.cols), len(p.cols[0].Values)
	cov := mat.NewSymDense(d, nil)
	sum := make([]float64, d*d)
	blocks := max(1, n/blockLen)
	step := max(1, blocks/400)
	x := make([][]float64, d)
	total := 0.0
	for b := 0; b < blocks; b += step {
		lo, hi := b*blockLen, min((b+1)*blockLen, n)
		for j := range p.cols {
			x[j] = p.block(x[j][:0], j, lo, hi, scale[j])
		}
		for i := range d {
			for j := i; j < d; j++ {
				s := 0.0
				for t, v := range x[i] {
					s += v * x[j][t]
				}
				sum[i*d+j] += s
			}
		}
		total += float64(hi - lo - 1)
	}
	for i := range d {
		for j := i; j < d; j++ {
			cov.SetSym(i, j, sum[i*d+j]/max(total, 1))
		}
	}
	return cov
}

// block appends the scaled, clipped and centred samples lo to hi of column j.
func (p projection) block(x []float64, j, lo, hi int, scale float64) []float64 {
	m := 0.0
	for _, v := range p.cols[j].Values[lo:hi] {
		f := float64(min(max(v, p.lo[j]), p.hi[j]))
		if bad(f) {
			f = p.mean[j]
		}
		x = append(x, f*scale)
		m += f * scale
	}
	m /= float64(hi - lo)
	for i := range x {
		x[i] -= m
	}
	return x
}

// apply returns the components of samples a to b. A missing sample keeps its
// place and holds the last value.
func (p projection) apply(a, b int) vector {
	v := vector{c: make([][]float32, len(p.w)), noise: 1}
	for k := range v.c {
		v.c[k] = make([]float32, b-a)
	}
	w := make([]float32, len(p.w))
	for j, c := range p.cols {
		for k := range w {
			w[k] = float32(p.w[k][j])
		}
		mean, last := float32(p.mean[j]), float32(0)
		for i, x := range c.Values[a:b] {
			if !bad(float64(x)) {
				last = min(max(x, p.lo[j]), p.hi[j]) - mean
			}
			for k, f := range w {
				v.c[k][i] += f * last
			}
		}
	}
	return v
}
