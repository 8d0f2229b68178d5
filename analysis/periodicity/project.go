package periodicity

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"jobgait/analysis/series"
)

// projection maps the columns of a source to few components in which counting
// noise has variance 1: every column is divided by the standard deviation of
// its noise, then the directions of largest variance are kept. A page that is
// hit at random only adds noise to the sum over columns; this leaves it out.
//
// Of address counts only the deviation from the mean shares is used, at the mean
// number of samples in a slot. How many there are in a slot says who else had
// the CPU: without this the scheduler's turns were found as periods.
type projection struct {
	src   source // with the columns that are not flat
	stats []columnStats
	total totals
	w     [][]float64 // [component][column]
	tmp   []float32
	comps [][]float32 // of a piece of slots, and their totals
}

// blockLen is the length over which variance is measured for the choice of
// directions: 2.5 s at 5 ms, so that the step from start-up to loop, which is
// often the largest variance of all, does not use the directions up.
const blockLen = 512

// newProjection returns the projection of a source: its columns that are not flat, scaled by their noise, and the
// weights of at most components directions of largest variance, without those that are mostly noise. ok is false if
// every column is flat or empty.
func newProjection(s source) (*projection, bool) {
	p := &projection{src: s, total: newTotals(s)}
	p.src.cols = nil
	for j, c := range s.cols {
		if st, ok := measureColumn(s, j, p.total); ok {
			p.src.cols = append(p.src.cols, c)
			p.stats = append(p.stats, st)
		}
	}
	d := len(p.src.cols)
	if d == 0 {
		return p, false
	}
	if d == 1 {
		p.w = [][]float64{{1 / p.stats[0].noise}}
		return p, true
	}
	var eig mat.EigenSym
	if !eig.Factorize(p.covariance(), true) {
		return p, false
	}
	var vec mat.Dense
	eig.VectorsTo(&vec)
	val := eig.Values(nil) // ascending
	for k := d - 1; k >= 0 && len(p.w) < components; k-- {
		// Pure noise has variance 1 in every direction. Directions within
		// 10 % of it, or a hundredth of the first, would only add noise.
		if len(p.w) > 0 && (val[k] < 1.1 || val[k]-1 < 0.01*(val[d-1]-1)) {
			break
		}
		w := make([]float64, d)
		for j := range w {
			w[j] = vec.At(j, k) / p.stats[j].noise
		}
		p.w = append(p.w, w)
	}
	return p, true
}

// covariance returns the covariance of the scaled columns within blocks, from about 32 blocks distributed over
// the profile.
func (p *projection) covariance() *mat.SymDense {
	d, n := len(p.src.cols), p.src.len()
	sum := make([]float64, d*d)
	blocks := max(1, n/blockLen)
	x := make([][]float32, d)
	count := 0.0
	for b := 0; b < blocks; b += max(1, blocks/32) {
		lo, hi := b*blockLen, min((b+1)*blockLen, n)
		sums := p.total.sums(lo, hi)
		p.total.scales = p.total.scaled(p.total.scales, sums)
		for j := range p.src.cols {
			x[j] = resize(x[j], hi-lo)
			p.values(x[j], j, lo, sums)
			m := mean32(x[j])
			for i := range x[j] {
				x[j][i] = (x[j][i] - m) / float32(p.stats[j].noise)
			}
		}
		for i := range d {
			j := i
			for ; j+4 <= d; j += 4 {
				addProducts(sum[i*d+j:][:4], x[i], x[j:j+4])
			}
			for ; j < d; j++ {
				s := float32(0)
				for t, v := range x[i] {
					s += v * x[j][t]
				}
				sum[i*d+j] += float64(s)
			}
		}
		count += float64(hi - lo - 1)
	}
	cov := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			cov.SetSym(i, j, sum[i*d+j]/max(count, 1))
		}
	}
	return cov
}

// addProducts adds to the four elements of to the dot products of x with four other series, side by side
// because every sum waits for the last.
func addProducts(to []float64, x []float32, y [][]float32) {
	y0, y1, y2, y3 := y[0][:len(x)], y[1][:len(x)], y[2][:len(x)], y[3][:len(x)]
	var s0, s1, s2, s3 float32
	for t, v := range x {
		s0, s1, s2, s3 = s0+v*y0[t], s1+v*y1[t], s2+v*y2[t], s3+v*y3[t]
	}
	to[0], to[1], to[2], to[3] = to[0]+float64(s0), to[1]+float64(s1), to[2]+float64(s2), to[3]+float64(s3)
}

// values writes the samples of column j from sample a on to x: clipped and centred if sums is nil, else as
// deviations from the column's mean share of sums, the totals of the slots, scaled by p.total.scales. A missing
// sample keeps its place and holds the last value.
func (p *projection) values(x []float32, j, a int, sums []float32) {
	st := p.stats[j]
	from := p.src.read(x, j, a, a+len(x))
	last := float32(0)
	if sums != nil {
		mean, all, scales := float32(st.mean), p.total.mean, p.total.scales[:len(from)]
		for i, v := range from {
			if v-v == 0 {
				last = (v - mean*sums[i]/all) * scales[i]
			}
			x[i] = last
		}
		return
	}
	mean := float32(st.mean)
	for i, v := range from {
		if v-v == 0 { // neither NaN nor infinite
			last = min(max(v, st.lo), st.hi) - mean
		}
		x[i] = last
	}
}

// apply returns the components of samples a to b. It reuses the memory of v.
func (p *projection) apply(v vector, a, b int) vector {
	if len(v.c) != len(p.w) {
		v = vector{c: make([][]float32, len(p.w)), noise: 1}
	}
	for k := range v.c {
		v.c[k] = zeros(v.c[k], b-a)
	}
	if p.src.over != nil {
		p.applySpread(v, a, b)
		return v
	}
	for at := 0; at < b-a; at += piece {
		n := min(piece, b-a-at)
		p.tmp = resize(p.tmp, n)
		var sums []float32
		if p.total.any {
			sums = p.total.sums(a+at, a+at+n)
		}
		for j := range p.src.cols {
			from := []float32(p.src.cols[j].Values[a+at : a+at+n])
			switch {
			case sums == nil:
				p.values(p.tmp, j, a+at, nil)
				from = p.tmp
			case !allFinite(from):
				zeroMissing(p.tmp, from)
				from = p.tmp
			}
			for k := range p.w {
				addTimes(v.c[k][at:at+n], from, float32(p.w[k][j]))
			}
		}
		if sums != nil {
			p.shares(v, at, sums)
		}
	}
	return v
}

// piece is how many samples stay in the cache while all components are made of them.
const piece = 2048

// applySpread adds to v the components of bins a to b of a source whose columns are on slots of wall time: it computes
// the components of the slots, and spreads these over the bins.
func (p *projection) applySpread(v vector, a, b int) {
	for len(p.comps) <= len(p.w) {
		p.comps = append(p.comps, make([]float32, piece))
	}
	sums := make([]float32, b-a)
	first, last := p.src.over.within(a, b)
	for at := first; at < last; at += piece {
		end := min(at+piece, last)
		for k := range p.comps {
			clear(p.comps[k])
		}
		all := p.comps[len(p.w)][:end-at]
		for _, c := range p.total.cols {
			addTimes(all, c.Values[at:end], 1)
		}
		complete := allFinite(all) // then each of them is
		if !complete {
			clear(all)
			for _, c := range p.total.cols {
				addTimes(all, p.counts(c, at, end), 1)
			}
		}
		for j, c := range p.src.cols {
			from := []float32(c.Values[at:end])
			if !complete {
				from = p.counts(c, at, end)
			}
			for k := range p.w {
				addTimes(p.comps[k][:end-at], from, float32(p.w[k][j]))
			}
		}
		p.src.over.plan(at, end, a, b)
		for k := range p.w {
			p.src.over.add(v.c[k], p.comps[k])
		}
		p.src.over.add(sums, p.comps[len(p.w)])
	}
	p.shares(v, 0, sums)
}

// counts returns the counts of slots a to b, 0 for a missing one.
func (p *projection) counts(c series.Column, a, b int) []float32 {
	from := []float32(c.Values[a:b])
	if allFinite(from) {
		return from
	}
	p.tmp = resize(p.tmp, b-a)
	zeroMissing(p.tmp, from)
	return p.tmp
}

// addTimes adds w times x to y.
func addTimes(y, x []float32, w float32) {
	x = x[:len(y)]
	for i := takeTimesLanes(y, x, -w); i < len(y); i++ {
		y[i] += w * x[i]
	}
}

// allFinite reports whether no value is missing: the differences of finite values to themselves add up to 0.
func allFinite(x []float32) bool {
	var s0, s1, s2, s3 float32
	for ; len(x) >= 4; x = x[4:] {
		s0, s1, s2, s3 = s0+(x[0]-x[0]), s1+(x[1]-x[1]), s2+(x[2]-x[2]), s3+(x[3]-x[3])
	}
	for _, v := range x {
		s0 += v - v
	}
	return s0+s1+s2+s3 == 0
}

// zeroMissing copies the counts of from to x, with 0 for missing ones.
func zeroMissing(x, from []float32) {
	for i, v := range from[:len(x)] {
		if v-v != 0 {
			v = 0
		}
		x[i] = v
	}
}

// shares converts components of counts, in v from sample at on, to those of the deviations of the counts from the mean
// shares, scaled to the mean total of a slot. sums has the totals of the slots. It does what values does, but once for
// all columns.
func (p *projection) shares(v vector, at int, sums []float32) {
	means := make([]float32, len(p.w))
	for k, w := range p.w {
		for j, st := range p.stats {
			means[k] += float32(w[j] * st.mean)
		}
		means[k] /= p.total.mean
	}
	for a := 0; a < len(sums); a += piece {
		some := sums[a:min(a+piece, len(sums))]
		p.total.scales = p.total.scaled(p.total.scales, some)
		for k, mean := range means {
			to, scale := v.c[k][at+a:][:len(some)], p.total.scales[:len(some)]
			for i, n := range some {
				to[i] = (to[i] - mean*n) * scale[i]
			}
		}
	}
}

// totals computes the numbers of address samples in the slots of a group of counts. The zero value stands for
// sources that are no such group.
type totals struct {
	source
	any  bool
	mean float32
	some []float32 // of the slots that spread yields
	buf  []float32
	one  []float32
	// scales are those of what sums returned last, where they are used.
	scales []float32
}

// newTotals returns the totals of a source, the zero value if it is not a group of counts.
func newTotals(s source) totals {
	if len(s.cols) < 2 || s.cols[0].Unit != countUnit {
		return totals{}
	}
	t := totals{source: s, any: true}
	sum := 0.0
	for a, b := range sampleBlocks(s.len()) {
		for _, n := range t.sums(a, b) {
			sum += float64(n)
			t.some = append(t.some, n)
		}
	}
	if sum <= 0 {
		return totals{}
	}
	t.mean = float32(sum / float64(len(t.some)))
	return t
}

// sums returns the number of samples of all columns in each slot a to b, without missing ones; nil if the source is not
// a group of counts. The next call reuses the memory.
func (t *totals) sums(a, b int) []float32 {
	if !t.any {
		return nil
	}
	t.buf = zeros(t.buf, b-a)
	for j := range t.cols {
		t.one = t.read(t.one, j, a, b)
		from := t.one
		if allFinite(from) {
			addTimes(t.buf, from, 1)
			continue
		}
		for i, v := range from {
			if v-v == 0 {
				t.buf[i] += v
			}
		}
	}
	return t.buf
}

// scaled returns the scale of each slot, in the memory of to. The scale converts a deviation to that of a slot
// with the mean number of samples; it is limited for slots with less than half of that.
func (t totals) scaled(to, sums []float32) []float32 {
	to = resize(to, len(sums))
	for i, n := range sums {
		to[i] = t.scale(n)
	}
	return to
}

// scale returns the scale of a slot with the given total: the mean total over it, at most 2.
func (t totals) scale(total float32) float32 { return t.mean / max(total, t.mean/2) }

// isUnusable reports whether v is NaN or infinite.
func isUnusable(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
