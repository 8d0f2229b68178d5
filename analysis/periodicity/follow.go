package periodicity

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
)

// trackedPeriod is a period that has been found, with all its instances so far.
type trackedPeriod struct {
	t        template // as it was found
	now      template // as it was where it was followed last
	level    int
	lag      float64 // samples in one period
	distance float64 // of the fit that it was found by
	z        float64 // its significance
	groups   []group
	children []childFit
}

// groupSize occurrences are averaged before shapes are compared: with 5 address
// samples in a slot a single one is mostly noise.
const groupSize = 16

// group is up to groupSize occurrences in a row.
type group struct {
	in          []Instance
	shape       template // their mean
	dot, energy float64  // of all together
}

// span is a stretch of samples [a, b).
type span struct{ a, b int }

// segmentUnits is how many units are followed with one template. Then it is recomputed: loops slow down, by 30
// % in an hour, and the tables of that many units stay in the cache.
const segmentUnits = 48

// follow finds the occurrences of a known period in samples a to b of the pyramid, forwards and backwards from sample
// from, appends them to k as instances in samples of the profile, and returns the spans that they cover. Sample 0 of
// the pyramid is sample off of the profile. Runs of occurrences that fit badly are left out.
func (k *trackedPeriod) follow(tr *tracker, p *pyramid, a, b, from, off int) []span {
	if k.level >= p.height {
		return nil
	}
	lv := p.at(k.level)
	lo, hi := min(a>>k.level, lv.len()), min(b>>k.level, lv.len())
	mid := min(max(from>>k.level, lo), hi)
	if hi-lo < 2*segmentUnits*k.t.unit {
		mid = lo // too short to drift
	}
	occ := k.forward(tr, lv, mid, hi)
	if mid > lo {
		later := k.now
		k.now = k.t
		if len(occ) > 0 {
			mid = occ[0].at[0]
		}
		before := k.backward(tr, lv, lo, mid)
		if n := len(before); n > 0 && mid-before[n-1].at[parts] <= maxShift {
			before[n-1].at[parts] = mid
		}
		occ = append(before, occ...)
		if hi > mid {
			k.now = later
		}
	}
	if occ = k.runs(occ); len(occ) == 0 {
		return nil
	}
	return k.cut(lv, occ, boundaries(p, k.level, occ, a, b), off)
}

// cut appends the occurrences to k.groups, in groups of at most groupSize that follow each other, and returns
// the spans they cover. edges are the first sample and the end of each occurrence.
func (k *trackedPeriod) cut(v vector, occ []occurrence, edges [][2]int, off int) []span {
	var out []span
	for i := 0; i < len(occ); {
		var g group
		from := i
		for ; i < len(occ) && i-from < groupSize && (i == from || occ[i].at[0] == occ[i-1].at[parts]); i++ {
			g.dot += occ[i].dot
			g.energy += occ[i].energy
			s, e := edges[i][0], edges[i][1]
			for m := range k.t.periods {
				x, y := s+m*(e-s)/k.t.periods, s+(m+1)*(e-s)/k.t.periods
				g.in = append(g.in, Instance{First: x + off, Length: y - x})
			}
			if n := len(out); n > 0 && out[n-1].b == s {
				out[n-1].b = e
			} else {
				out = append(out, span{s, e})
			}
		}
		g.shape = k.now.average(v, occ[from:i]).onePeriod()
		k.groups = append(k.groups, g)
	}
	return out
}

// forward returns the occurrences of k in points lo to hi of v. It follows k one segment of segmentUnits units at a
// time and recomputes the template k.now after each (see adapt).
func (k *trackedPeriod) forward(tr *tracker, v vector, lo, hi int) []occurrence {
	var all []occurrence
	chained := false
	for at := lo; at < hi; {
		end := min(at+segmentUnits*k.now.unit, hi)
		if hi-end < 8*k.now.unit {
			end = hi
		}
		occ := tr.over(v.slice(at, end)).track(k.now, chained)
		next := max(at+1, end-k.now.unit)
		chained = false
		if n := len(occ); n > 1 && end < hi {
			// The last one was cut short by the end of the segment, or may
			// have been.
			next, chained = at+occ[n-1].at[0], occ[n-1].at[0] == occ[n-2].at[parts]
			occ = occ[:n-1]
		} else if n == 1 {
			next, chained = max(next, at+occ[0].at[parts]), next <= at+occ[0].at[parts]
		}
		for _, o := range occ {
			all = append(all, o.shiftedBy(at))
		}
		k.adapt(v, all[len(all)-len(occ):])
		if end == hi {
			break
		}
		at = next
	}
	return all
}

// backward returns the occurrences of k in points lo to hi of v, in ascending order, as forward does, but with the
// segments from hi down to lo.
func (k *trackedPeriod) backward(tr *tracker, v vector, lo, hi int) []occurrence {
	var segments [][]occurrence
	n := 0
	for at := hi; at > lo; {
		begin := max(at-segmentUnits*k.now.unit, lo)
		if begin-lo < 8*k.now.unit {
			begin = lo
		}
		occ := tr.over(v.slice(begin, at)).track(k.now, false)
		next := min(at-1, begin+k.now.unit)
		if len(occ) > 1 && begin > lo {
			occ = occ[1:]
			next = begin + occ[0].at[0]
		} else if len(occ) == 1 {
			next = min(next, begin+occ[0].at[0])
		}
		seg := make([]occurrence, len(occ))
		for i, o := range occ {
			seg[i] = o.shiftedBy(begin)
		}
		k.adapt(v, seg)
		segments = append(segments, seg)
		n += len(seg)
		if begin == lo {
			break
		}
		at = next
	}
	all := make([]occurrence, 0, n)
	for i := len(segments) - 1; i >= 0; i-- {
		all = append(all, segments[i]...)
	}
	return all
}

// shiftedBy returns o with its places moved by d points.
func (o occurrence) shiftedBy(d int) occurrence {
	for q := range o.at {
		o.at[q] += d
	}
	return o
}

// adaptFrom is the least number of good occurrences for recomputing a template.
const adaptFrom = 8

// adapt recomputes the template k.now from the occurrences in a segment that fit it well, if there are adaptFrom of
// them. It keeps the old template if the new one would differ too much from it: then the loop itself has changed.
func (k *trackedPeriod) adapt(v vector, occ []occurrence) {
	good := k.runs(slices.Clone(occ))
	if len(good) < adaptFrom {
		return
	}
	t := k.now.retime(good).average(v, good)
	if t.onePeriod().distanceTo(k.now.onePeriod()) < likeness/2 {
		k.now = t
	}
}

// runSlack is by how much a run of instances may be further from the template than
// those it was made from.
const runSlack = 0.1

// runs returns the runs of consecutive occurrences that fit well enough: a single occurrence counts only if it
// holds several periods. A run is cut where runWindow occurrences around a place fit too badly. The result
// shares the memory of occ.
func (k *trackedPeriod) runs(occ []occurrence) []occurrence {
	limit := min(meanDistance, k.distance+runSlack)
	bad := make([]bool, len(occ))
	for i := range occ {
		a, b := i, i+1
		for a > 0 && i-a < runWindow/2 && occ[a].at[0] == occ[a-1].at[parts] {
			a--
		}
		for b < len(occ) && b-i <= runWindow/2 && occ[b].at[0] == occ[b-1].at[parts] {
			b++
		}
		length := float64(occ[b-1].at[parts]-occ[a].at[0]) / float64(b-a)
		bad[i] = b-a > runWindow/2 && (distance(occ[a:b]) > limit+runSlack ||
			math.Abs(length/float64(k.now.unit)-1) > maxStretch)
	}
	out := occ[:0]
	for i := 0; i < len(occ); {
		j := i + 1
		for j < len(occ) && bad[j] == bad[i] && occ[j].at[0] == occ[j-1].at[parts] {
			j++
		}
		d := distance(occ[i:j])
		gain := float64(j-i) * (1 - d/maxDistance)
		if !bad[i] && (j-i >= 2 || k.t.periods > 1) && gain >= 0.9 && d <= limit {
			out = append(out, occ[i:j]...)
		}
		i = j
	}
	return out
}

// maxStretch is by how much runWindow occurrences may be longer or shorter on
// average than the template.
const maxStretch = 0.12

// runWindow is the number of occurrences that tell whether a run still holds:
// with 5 address samples in a slot a single one may be anything.
const runWindow = 5

// improve recomputes the template k.t and its length, twice, from the occurrences in samples a to b. It stops, and
// leaves k.now as it was, if fewer than minInstances fit well.
func (k *trackedPeriod) improve(tr *tracker, p *pyramid, a, b int) {
	lv := p.at(k.level)
	v := lv.slice(min(a>>k.level, lv.len()), min(b>>k.level, lv.len()))
	tr.over(v)
	for range 2 {
		occ := k.runs(tr.track(k.t, false))
		if len(occ) < minInstances {
			return
		}
		k.t = k.t.retime(occ).average(v, occ)
	}
	k.now = k.t
}

// medianLength returns the median length of the occurrences in points.
func medianLength(occ []occurrence) int {
	lens := make([]float64, len(occ))
	for i, o := range occ {
		lens[i] = float64(o.length())
	}
	return int(math.Round(robust.Median(lens)))
}
