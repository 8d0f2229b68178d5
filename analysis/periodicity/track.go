package periodicity

import "math"

// The tracker finds the division of a stretch into occurrences of a template
// and gaps that has the largest total gain, by dynamic programming over the
// samples. An occurrence gains 1 - distance/MaxDistance, a gap nothing.
const (
	// maxShift is by how many points a part may be longer or shorter than in
	// the template: with 8 to 16 points a part, 12 to 25 %.
	maxShift = 2
	// shiftCost is the least price of one point, growing with the square: 2 %
	// of a perfect occurrence. Where the template is weak against the noise
	// the price is higher (shiftPrice), or noise would bend every occurrence
	// to fit: white noise was "explained" to 93 % at a fixed price.
	shiftCost = 0.02
	// entryCost is the price of an occurrence that follows a gap: a single
	// good match is chance, one after the other is a loop. At 0.3 half of a
	// run of red noise was covered by runs of two or three.
	entryCost = 0.8
)

// track returns the occurrences of t in v.
func track(v vector, t template, par Params) []occurrence {
	n := v.len()
	if n < t.unit+parts*maxShift+1 {
		return nil
	}
	g := gains(v, t, par.MaxDistance)
	d := newDivision(n)
	d.price = float32(t.shiftPrice(v.noise))
	for i := 0; i <= n; i++ {
		d.step(i, n, t, g)
	}
	occ := d.trace(n, t)
	for i := range occ {
		occ[i].measure(v, t)
	}
	return occ
}

// shiftPrice is the price of moving a part by one point against the one before:
// the log-likelihood of a step of one standard deviation, in units of what a
// perfect occurrence gains.
func (t template) shiftPrice(noise float64) float64 {
	return max(shiftCost, min(2*noise/t.energy, 0.5))
}

// division holds the tables of the dynamic program. score[0] is the best total
// with a unit beginning at i, score[q] with part q beginning at i, score[parts]
// with a unit ending at i; free with neither.
type division struct {
	score  [parts + 1][]float32
	shift  [parts + 1][]int8
	free   []float32
	chain  []bool // the unit that begins here follows another
	closed []bool // free: the sample before belongs to a unit that ended
	price  float32
}

func newDivision(n int) *division {
	d := &division{free: make([]float32, n+1), chain: make([]bool, n+1), closed: make([]bool, n+1)}
	for q := range d.score {
		d.score[q] = make([]float32, n+1)
		d.shift[q] = make([]int8, n+1)
	}
	return d
}

const never = float32(-1e30)

func (d *division) step(i, n int, t template, g [parts][]float32) {
	for q := 1; q <= parts; q++ {
		length := t.cut[q] - t.cut[q-1]
		best, by := never, int8(0)
		for s := -maxShift; s <= maxShift; s++ {
			p := i - length - s
			if p < 0 || p >= n || length+s < 1 {
				continue
			}
			if x := d.score[q-1][p] + g[q-1][p] - d.price*float32(s*s); x > best {
				best, by = x, int8(s)
			}
		}
		d.score[q][i], d.shift[q][i] = best, by
	}
	if i > 0 {
		d.free[i] = d.free[i-1]
	}
	end := d.score[parts][i]
	if end > d.free[i] {
		d.free[i], d.closed[i] = end, true
	}
	d.score[0][i] = d.free[i] - entryCost
	if end > d.score[0][i] {
		d.score[0][i], d.chain[i] = end, true
	}
}

// trace walks the best division back from the end.
func (d *division) trace(n int, t template) []occurrence {
	var occ []occurrence
	for i := n; i > 0; {
		if !d.closed[i] {
			i--
			continue
		}
		for {
			var o occurrence
			o.at[parts] = i
			for q := parts; q > 0; q-- {
				i -= t.cut[q] - t.cut[q-1] + int(d.shift[q][i])
				o.at[q-1] = i
			}
			occ = append(occ, o)
			if !d.chain[i] {
				break
			}
		}
	}
	for a, b := 0, len(occ)-1; a < b; a, b = a+1, b-1 {
		occ[a], occ[b] = occ[b], occ[a]
	}
	return occ
}

// gains returns for every part and every place what the part would add to the
// gain of a unit if it lay there. Level and energy are those of the stretch of
// one unit about the place, so neither a trend nor an outburst nearby counts.
func gains(v vector, t template, maxDistance float64) [parts][]float32 {
	n := v.len()
	loc := newLocal(v, t.unit)
	var g [parts][]float32
	for q := range parts {
		lo, hi := t.cut[q], t.cut[q+1]
		g[q] = make([]float32, n)
		share := float64(hi-lo) / float64(t.unit)
		for p := range n {
			if p+hi-lo > n {
				g[q][p] = never
				continue
			}
			s := min(max(p-lo, 0), n-t.unit)
			dot := -t.own * float64(hi-lo)
			for k, x := range v.c {
				dot += dotProduct(x[p:p+hi-lo], t.v[k][lo:hi]) - loc.mean[k][s]*sum(t.v[k][lo:hi])
			}
			e := max(loc.energy[s], 0) + t.energy
			if e <= 0 {
				e = math.Inf(1)
			}
			g[q][p] = float32(share*(1-1/maxDistance) + 2*dot/e/maxDistance)
		}
	}
	return g
}

// measure computes dot and energy of an occurrence, with its parts where they
// are.
func (o *occurrence) measure(v vector, t template) {
	o.dot, o.energy = -t.own*float64(t.unit), t.energy
	end := min(o.at[parts], v.len())
	for k, x := range v.c {
		m := mean32(x[o.at[0]:end])
		for q := range parts {
			for i := t.cut[q]; i < t.cut[q+1]; i++ {
				if p := o.at[q] + i - t.cut[q]; p < len(x) {
					o.dot += float64((x[p] - m) * t.v[k][i])
				}
			}
		}
		for _, y := range x[o.at[0]:end] {
			o.energy += float64((y-m)*(y-m)) - v.noise
		}
	}
}

// local holds mean and energy about the mean, noise taken out, of the unit that
// begins at each sample.
type local struct {
	mean   [][]float64
	energy []float64
}

func newLocal(v vector, unit int) local {
	n := v.len() - unit + 1
	l := local{mean: make([][]float64, len(v.c)), energy: make([]float64, n)}
	u := float64(unit)
	for k, x := range v.c {
		l.mean[k] = make([]float64, n)
		s, s2 := 0.0, 0.0
		for i, y := range x {
			s += float64(y)
			s2 += float64(y) * float64(y)
			if j := i - unit; j >= 0 {
				s -= float64(x[j])
				s2 -= float64(x[j]) * float64(x[j])
			}
			if j := i - unit + 1; j >= 0 {
				l.mean[k][j] = s / u
				l.energy[j] += s2 - s*s/u - v.noise*u
			}
		}
	}
	return l
}

func dotProduct(x, y []float32) float64 {
	y = y[:len(x)]
	var a, b float32
	i := 0
	for ; i+1 < len(x); i += 2 {
		a += x[i] * y[i]
		b += x[i+1] * y[i+1]
	}
	if i < len(x) {
		a += x[i] * y[i]
	}
	return float64(a) + float64(b)
}

func sum(x []float32) float64 {
	s := 0.0
	for _, v := range x {
		s += float64(v)
	}
	return s
}
