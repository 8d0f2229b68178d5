package periodicity

// The tracker finds the division of a stretch into occurrences of a template and gaps that has the largest
// total gain, by dynamic programming over the samples. An occurrence gains 1 - distance/maxDistance, a gap
// nothing.
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
	pad    int
	length [parts]int // of the parts of the template
	price  float32    // of one point
	// open[q] holds what part q would add to the gain of a unit if it began at
	// p, and once p is reached, with it, the best total of all before.
	open [parts][]float32
	end  []float32 // the best total with a unit ending at p
	free []float32 // the best total of all up to p
	zero []float32 // what ends has to add to end
	// Of v, in which templates are followed, the means and energies of unit points from
	// each place on: templates of one length need the same, and their scale.
	v      vector
	unit   int
	mean   [][]float32
	energy []float32
	inv    []float32
	occ    []occurrence
}

// over sets v as the series in which templates are followed next. It must not change meanwhile.
func (d *tracker) over(v vector) *tracker {
	d.v, d.unit = v, 0
	return d
}

// track returns the occurrences of t with their match (dot and energy). chained says that another occurrence
// ended where v begins. The next call reuses the slice.
func (d *tracker) track(t template, chained bool) []occurrence {
	occ := d.places(t, chained)
	for i := range occ {
		occ[i].measure(d.v, t)
	}
	return occ
}

// places returns the occurrences of t like track, without their match.
func (d *tracker) places(t template, chained bool) []occurrence {
	n := d.v.len()
	if n < t.unit+parts*maxShift+1 {
		return nil
	}
	d.resize(n, t)
	d.gains(t, maxDistance)
	d.start(chained)
	d.price = float32(t.shiftPrice(d.v.noise))
	// Tables are known up to done: of where parts begin, and at last of where
	// units end. What ends a part of length points needs nothing of the last
	// length - maxShift places, so together the parts go ahead by nearly a unit
	// at a time, each from where it had come to.
	done := [parts + 1]int{1, 1, 1, 1, 1}
	for done[0] <= n {
		for q, length := range d.length {
			top := min(done[q]+max(1, length-maxShift), n+1)
			if ahead := top - done[q+1]; ahead > 8 && top <= n {
				top -= ahead % 8 // whole blocks, see lanes
			}
			d.part(q, done[q+1], top)
			done[q+1] = top
		}
		d.join(done[0], done[parts])
		done[0] = done[parts]
	}
	d.trace(n)
	return d.occ
}

// resize sets the sizes of the tables for n points and the parts of t.
func (d *tracker) resize(n int, t template) {
	d.pad = 0
	for q := range parts {
		d.length[q] = t.cut[q+1] - t.cut[q]
		d.pad = max(d.pad, d.length[q]+maxShift)
	}
	for q := range parts {
		d.open[q] = resize(d.open[q], n+1+d.pad)
		for i := range d.pad {
			d.open[q][i] = never
		}
	}
	d.end, d.free = resize(d.end, n+1), resize(d.free, n+1)
	if len(d.zero) < t.unit {
		d.zero = make([]float32, 2*t.unit)
	}
}

// start sets the tables at the first sample, where a unit may begin or, if chained, continue a run without the
// price of an entry.
func (d *tracker) start(chained bool) {
	d.free[0] = 0
	first := float32(-entryCost)
	if chained {
		first = 0
	}
	d.open[0][d.pad] += first
	for q := 1; q < parts; q++ {
		d.open[q][d.pad] = never
	}
}

// part computes, for every end of part q from base to top - 1, the best total up to there, and adds it to the table of
// the next part, or stores it in d.end for the last part. The part may be up to maxShift points longer or shorter, at a
// price. It reads no value that it changes.
func (d *tracker) part(q, base, top int) {
	if base >= top {
		return
	}
	from := d.open[q][base+d.pad-d.length[q]-maxShift:][:top-base+2*maxShift]
	out, gain := d.end[base:top], d.zero[:top-base]
	if q+1 < parts {
		out = d.open[q+1][d.pad+base : d.pad+top]
		gain = out
	}
	if d.length[q] <= maxShift { // a part has at least one point
		for i, g := range gain {
			out[i] = max(from[i+2], max(from[i+1], from[i+3])-d.price, from[i]-4*d.price) + g
		}
		return
	}
	addEnds(out, from, gain, d.price, 4*d.price)
}

// addEnds writes to out[i] the sum of gain[i], which may share memory with out, and of the best total that may
// end there: from[i+2] at no price, its neighbours at the price near, the next ones at the price far.
func addEnds(out, from, gain []float32, near, far float32) {
	gain = gain[:len(out)]
	for i := endsLanes(out, from, gain, near, far); i < len(out); i++ {
		h := from[i : i+5 : i+5]
		out[i] = max(h[2], max(h[1], h[3])-near, max(h[0], h[4])-far) + gain[i]
	}
}

// shifted returns by how many points part q, which ends at i, is longer than in the template: the choice that
// part made.
func (d *tracker) shifted(q, i int) int {
	length := d.length[q]
	from := d.open[q][i+d.pad-length-maxShift:]
	best, by := from[maxShift], 0
	for s := max(-maxShift, 1-length); s <= maxShift; s++ {
		if x := from[maxShift-s] - d.price*float32(s*s); x > best {
			best, by = x, s
		}
	}
	return by
}

// join computes at the points from base to top - 1 the best total with and without a unit ending there, and
// adds it to the units that begin.
func (d *tracker) join(base, top int) {
	best, ends, free := d.free[base-1], d.end[base:top], d.free[base:top]
	for i, end := range ends[:len(free)] {
		if end > best {
			best = end
		}
		free[i] = best
	}
	addBegins(d.open[0][base+d.pad:top+d.pad], ends, free)
}

// addBegins adds to open the best total before a unit that begins at each point: after another unit, or after a
// gap at the price of an entry.
func addBegins(open, end, free []float32) {
	end, free = end[:len(open)], free[:len(open)]
	for i := beginsLanes(open, end, free); i < len(open); i++ {
		open[i] += max(end[i], free[i]-entryCost)
	}
}

// trace sets d.occ to the occurrences of the best division of the first n points, in ascending order. It follows the
// tables back from the end.
func (d *tracker) trace(n int) {
	d.occ = d.occ[:0]
	for i := n; i > 0; {
		if !(d.end[i] > d.free[i-1]) {
			i-- // no unit ended here, nor where sums overflowed
			continue
		}
		for {
			var o occurrence
			o.at[parts] = i
			for q := parts; q > 0; q-- {
				i -= d.length[q-1] + d.shifted(q-1, i)
				o.at[q-1] = i
			}
			d.occ = append(d.occ, o)
			if i <= 0 || !(d.end[i] > d.free[i]-entryCost) {
				break // there was a gap
			}
		}
	}
	for a, b := 0, len(d.occ)-1; a < b; a, b = a+1, b-1 {
		d.occ[a], d.occ[b] = d.occ[b], d.occ[a]
	}
}

// measure sets dot and energy of an occurrence, whose parts have their places, from the samples of v: its product with
// the template t and the sum of the energies of both, without noise.
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
