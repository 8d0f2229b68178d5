package periodicity

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

const never = float32(-1e30)

// shiftPrice is the price of moving a part by one point against the one before:
// the log-likelihood of a step of one standard deviation, in units of what a
// perfect occurrence gains.
func (t template) shiftPrice(noise float64) float64 {
	return max(shiftCost, min(2*noise/t.energy, 0.5))
}

// tracker holds the tables of the dynamic program, to be used again. Tables that
// are read before their beginning have pad entries of never in front.
type tracker struct {
	pad int
	// gain[q] is what part q would add to the gain of a unit if it began at
	// p; open[q] the best total with part q beginning there, plus that gain.
	gain, open [parts][]float32
	end        []float32 // the best total with a unit ending at p
	free       []float32 // the best total of all up to p
	chain      []bool    // the unit that begins here follows another
	closed     []bool    // free: the sample before belongs to a unit that ended
	mean       [][]float32
	inv        []float32
	occ        []occurrence
}

// track returns the occurrences of t in v. chained says that another ended where
// v begins. The slice is used again by the next call.
func (d *tracker) track(v vector, t template, par Params, chained bool) []occurrence {
	n := v.len()
	if n < t.unit+parts*maxShift+1 {
		return nil
	}
	d.resize(n, t)
	d.gains(v, t, par.MaxDistance)
	d.start(t, chained)
	price := float32(t.shiftPrice(v.noise))
	block := n
	for q := range parts {
		block = min(block, max(1, t.cut[q+1]-t.cut[q]-maxShift))
	}
	for base := 1; base <= n; base += block {
		top := min(base+block, n+1)
		for q := range parts {
			d.part(q, t.cut[q+1]-t.cut[q], base, top, price)
		}
		d.join(base, top)
	}
	d.trace(n, t, price)
	for i := range d.occ {
		d.occ[i].measure(v, t)
	}
	return d.occ
}

func (d *tracker) resize(n int, t template) {
	d.pad = 0
	for q := range parts {
		d.pad = max(d.pad, t.cut[q+1]-t.cut[q]+maxShift)
	}
	for q := range parts {
		d.gain[q] = resize(d.gain[q], n+1)
		d.open[q] = resize(d.open[q], n+1+d.pad)
		for i := range d.pad {
			d.open[q][i] = never
		}
	}
	d.end, d.free = resize(d.end, n+1), resize(d.free, n+1)
	d.chain, d.closed = resize(d.chain, n+1), resize(d.closed, n+1)
}

// start sets what is possible before the first sample.
func (d *tracker) start(t template, chained bool) {
	d.free[0], d.chain[0], d.closed[0] = 0, chained, false
	first := float32(-entryCost)
	if chained {
		first = 0
	}
	d.open[0][d.pad] = first + d.gain[0][0]
	for q := 1; q < parts; q++ {
		d.open[q][d.pad] = never
	}
}

// part ends part q, of the given length, at every point from base to top - 1.
// None of what it reads is changed between these points.
func (d *tracker) part(q, length, base, top int, price float32) {
	from := d.open[q][base+d.pad-length-maxShift:][:top-base+2*maxShift]
	out, gain := d.end[base:top], d.gain[0][:0]
	if q+1 < parts {
		out, gain = d.open[q+1][d.pad+base:d.pad+top], d.gain[q+1][base:top]
	}
	far := 4 * price
	if length <= maxShift { // a part has at least one point
		for i := range out {
			out[i] = max(from[i+2], from[i+1]-price, from[i]-far)
			if length == 2 {
				out[i] = max(out[i], from[i+3]-price)
			}
		}
	} else {
		for i := range out {
			h := from[i : i+5 : i+5]
			out[i] = max(h[2], max(h[1], h[3])-price, max(h[0], h[4])-far)
		}
	}
	for i, g := range gain {
		out[i] += g
	}
}

// shifted returns by how much part q, which ends at i, is longer than in the
// template: the choice that part made.
func (d *tracker) shifted(q, length, i int, price float32) int {
	from := d.open[q][i+d.pad-length-maxShift:]
	best, by := from[maxShift], 0
	for s := max(-maxShift, 1-length); s <= maxShift; s++ {
		if x := from[maxShift-s] - price*float32(s*s); x > best {
			best, by = x, s
		}
	}
	return by
}

// join decides at every point whether a unit ended, and what may begin.
func (d *tracker) join(base, top int) {
	for i := base; i < top; i++ {
		free, end := d.free[i-1], d.end[i]
		d.closed[i] = end > free
		if end > free {
			free = end
		}
		d.free[i] = free
		begin := free - entryCost
		d.chain[i] = end > begin
		if end > begin {
			begin = end
		}
		d.open[0][i+d.pad] = begin + d.gain[0][i]
	}
}

// trace walks the best division back from the end.
func (d *tracker) trace(n int, t template, price float32) {
	d.occ = d.occ[:0]
	for i := n; i > 0; {
		if !d.closed[i] {
			i--
			continue
		}
		for {
			var o occurrence
			o.at[parts] = i
			for q := parts; q > 0; q-- {
				length := t.cut[q] - t.cut[q-1]
				i -= length + d.shifted(q-1, length, i, price)
				o.at[q-1] = i
			}
			d.occ = append(d.occ, o)
			if i <= 0 || !d.chain[i] {
				break
			}
		}
	}
	for a, b := 0, len(d.occ)-1; a < b; a, b = a+1, b-1 {
		d.occ[a], d.occ[b] = d.occ[b], d.occ[a]
	}
}

// measure computes dot and energy of an occurrence, with its parts where they
// are.
func (o *occurrence) measure(v vector, t template) {
	o.dot, o.energy = -t.own*float64(t.unit), t.energy
	end := min(o.at[parts], v.len())
	for k, x := range v.c {
		y := x[o.at[0]:end]
		m := mean32(y)
		dot, energy := float32(0), float32(0)
		for _, z := range y {
			energy += (z - m) * (z - m)
		}
		for q := range parts {
			// Where the next part begins early, samples would count twice.
			lo := o.at[q]
			hi := min(lo+t.cut[q+1]-t.cut[q], o.at[q+1], len(x))
			w := t.v[k][t.cut[q]:]
			for i, z := range x[lo:hi] {
				dot += (z - m) * w[i]
			}
		}
		o.dot += float64(dot)
		o.energy += float64(energy) - v.noise*float64(len(y))
	}
}
