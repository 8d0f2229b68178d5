package scaling

import (
	"math"
	"slices"
)

// commonGain is by how much two laws that share a point must explain a change
// better than two that do not.
const commonGain = 0.5

// locate adds to a detection details that only reports need: the interval of each change, whether its point
// belongs to both laws, and where the last law may start. The hot path does without.
func (d *detector) locate(g grid, out *detection) {
	n := len(g.y)
	out.split = slices.Clone(out.split)
	if n < leastPoints {
		return
	}
	d.searched = 0
	out.whole = d.oneLaw(math.Inf(1))
	out.short = out.threshold - (out.evidence - out.whole)
	d.dynamic.fill(&d.f)
	d.setLastStarts(n, out)
	ends := append(append([]int{0}, out.cuts...), n)
	out.changes = make([]Change, len(out.cuts))
	for i, c := range out.cuts {
		w := make([]float64, n+1)
		for s := range w {
			w[s] = math.Inf(-1)
		}
		for s := ends[i] + minSegment; s <= ends[i+2]-minSegment; s++ {
			w[s] = d.twoLawScore(n, ends[i], s, s, ends[i+2], 4)
		}
		lo, hi := central(w, 0.95)
		out.changes[i] = Change{Cut: c, Lo: min(lo, c), Hi: max(hi, c)}
		if k := d.commonPoint(n, ends[i], c, ends[i+2]); k >= 0 {
			p := g.p[k]
			out.changes[i].Cut, out.changes[i].Common = k, &p
			out.changes[i].Lo = min(out.changes[i].Lo, k)
			out.changes[i].Hi = max(out.changes[i].Hi, k)
			out.cuts[i] = k
		}
	}
}

// twoLawScore returns the score of two laws, on the points [a,b) and [c,e) of n, of which each is a constant with or
// without a term: the best of these four choices. k is the number of coefficients if both have a term. Points outside
// of [a,e) do not count.
func (d *detector) twoLawScore(n, a, b, c, e, k int) float64 {
	l, r := d.dynamic.cost[a*(n+1)+b], d.dynamic.cost[c*(n+1)+e]
	pen := termPenalty
	m := e - a
	return max(d.prior.score(l.constant+r.constant, m, k-2, 0),
		d.prior.score(l.constant+r.term, m, k-1, pen),
		d.prior.score(l.term+r.constant, m, k-1, pen),
		d.prior.score(l.term+r.term, m, k, 2*pen))
}

// commonPoint returns the index of the point that both laws around cut c share, or -1. The laws extend over the
// points [a,c) and [c,e) of n.
func (d *detector) commonPoint(n, a, c, e int) int {
	if e-a < 4 {
		return -1
	}
	apart := d.twoLawScore(n, a, c, c, e, 4)
	before := d.twoLawScore(n, a, c, c-1, e, 3)
	after := d.twoLawScore(n, a, c+1, c, e, 3)
	switch {
	case max(before, after) < apart+commonGain:
		return -1
	case before >= after:
		return c - 1
	}
	return c
}

// setLastStarts sets out.last, the probability of each point to be the start of the last law; they add up to 1. Index 0
// stands for one law over all points. If two or more changes were found, only starts after the last but one have a
// probability.
func (d *detector) setLastStarts(n int, out *detection) {
	w := make([]float64, n)
	for s := range w {
		w[s] = math.Inf(-1)
	}
	if len(out.cuts) < 2 {
		w[0] = out.whole
		prior := out.threshold + math.Log(float64(n-2*minSegment+1))
		for s := minSegment; s <= n-minSegment; s++ {
			w[s] = out.split[s] - prior
		}
	} else {
		from := out.cuts[len(out.cuts)-2]
		for s := from + minSegment; s <= n-minSegment; s++ {
			w[s] = d.twoLawScore(n, from, s, s, n, 4)
		}
	}
	top := slices.Max(w)
	sum := 0.0
	for s := range w {
		w[s] = math.Exp(w[s] - top)
		sum += w[s]
	}
	for s := range w {
		w[s] /= sum
	}
	out.last = w
}

// central returns the central range of indexes that contains at least the given share of exp(w).
func central(w []float64, share float64) (lo, hi int) {
	top := slices.Max(w)
	sum := 0.0
	for _, v := range w {
		sum += math.Exp(v - top)
	}
	tail := (1 - share) / 2 * sum
	acc := 0.0
	for lo = 0; lo < len(w)-1; lo++ {
		if acc += math.Exp(w[lo] - top); acc > tail {
			break
		}
	}
	acc = 0
	for hi = len(w) - 1; hi > lo; hi-- {
		if acc += math.Exp(w[hi] - top); acc > tail {
			break
		}
	}
	return lo, hi
}
