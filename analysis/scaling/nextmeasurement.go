package scaling

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"jobgait/analysis/quantity"
)

// mostNext limits the list to the runs that one would plan from a page.
const mostNext = 6

// next proposes parameter values to measure, the most useful first: points that segments need for a model, then
// places where the law changes or may change, then the place where the prediction is least certain.
func (w *seriesWork) next() {
	if len(w.p) == 0 {
		return
	}
	n := proposer{work: w, whole: true}
	for _, v := range w.p {
		n.whole = n.whole && v == math.Trunc(v)
	}
	n.proposeMissing()
	n.proposeAtChanges()
	n.proposeAtPossible()
	n.proposeWidest()
	w.result.Next = n.list
	if n.list == nil {
		w.result.Next = []NextMeasurement{}
	}
}

// proposer collects parameter values that were neither measured nor proposed.
type proposer struct {
	work  *seriesWork
	whole bool // all p are whole numbers, so proposals are
	list  []NextMeasurement
}

// propose adds p to the list, rounded if all measured values are whole numbers, and reports whether it did: p
// must be positive, neither measured nor proposed, and the list not full.
func (n *proposer) propose(p float64, format string, args ...any) bool {
	if n.whole {
		p = math.Round(p)
	}
	if !(p > 0) || math.IsInf(p, 0) || len(n.list) >= mostNext || n.isKnown(p) {
		return false
	}
	n.list = append(n.list, NextMeasurement{P: p, Why: fmt.Sprintf(format, args...), NodeHours: n.work.nodeHours(p)})
	return true
}

// isKnown reports whether p was measured or proposed already.
func (n *proposer) isKnown(p float64) bool {
	for _, pt := range n.list {
		if pt.P == p {
			return true
		}
	}
	_, measured := slices.BinarySearchFunc(n.work.points, p, func(pt point, p float64) int { return cmp.Compare(pt.p, p) })
	return measured
}

// proposeMissing proposes the points that segments need for a model, or those that a too short series needs.
func (n *proposer) proposeMissing() {
	r, points := n.work.result, n.work.points
	name := parameterName(n.work.series)
	if len(r.Segments) == 0 {
		n.proposeFill(0, len(points)-1, enoughPoints-len(points), true, true,
			fmt.Sprintf("%d of the %d values of %s that a model takes are measured", len(points), enoughPoints, name))
		return
	}
	for i, s := range r.Segments {
		if s.Enough {
			continue
		}
		n.proposeFill(s.First, s.Last, s.MissingPoints, i == 0, i == len(r.Segments)-1,
			fmt.Sprintf("%s %s to %s has %d of the %d points that a model takes",
				name, quantity.Exact(points[s.First].p), quantity.Exact(points[s.Last].p), s.Last-s.First+1, enoughPoints))
	}
}

// proposeFill proposes count values for points first..last: doublings beyond an open end in turn with the
// middles of the widest gaps inside. A measurement beyond the largest p says most about how the law continues,
// and costs most.
func (n *proposer) proposeFill(first, last, count int, openLow, openHigh bool, why string) {
	var inside []float64
	for _, pt := range n.work.points[first : last+1] {
		inside = append(inside, pt.p)
	}
	for tries := 0; count > 0 && tries < 4*enoughPoints; tries++ {
		lo, hi := inside[0], inside[len(inside)-1]
		p := widestMiddle(inside, n.whole)
		switch {
		case openHigh && (p == 0 || tries%2 == 0):
			p = 2 * hi
		case p == 0 && openLow && lo/2 >= 1:
			p = lo / 2
		case p == 0:
			return
		}
		inside = append(inside, p)
		slices.Sort(inside)
		if n.propose(p, "%s", why) {
			count--
		}
	}
}

// widestMiddle returns the geometric mean, rounded if whole is set, of the two neighbours in the ascending p
// that are farthest apart in ratio. It skips neighbours that have no such value between them and returns 0 if
// all are skipped.
func widestMiddle(p []float64, whole bool) float64 {
	best, at := 1.0, 0.0
	for k := 0; k+1 < len(p); k++ {
		m := math.Sqrt(p[k] * p[k+1])
		if whole {
			m = math.Round(m)
		}
		if ratio := p[k+1] / p[k]; ratio > best && m > p[k] && m < p[k+1] {
			best, at = ratio, m
		}
	}
	return at
}

// proposeAtChanges proposes values between the two points between which a change lies.
func (n *proposer) proposeAtChanges() {
	points, name := n.work.points, parameterName(n.work.series)
	for _, c := range n.work.result.Changes {
		if c.Common != nil || c.Cut <= 0 || c.Cut >= len(points) {
			continue
		}
		lo, hi := points[c.Cut-1].p, points[c.Cut].p
		n.propose(widestMiddle([]float64{lo, hi}, n.whole),
			"the law changes somewhere between %s %s and %s", name, quantity.Exact(lo), quantity.Exact(hi))
	}
}

// proposeAtPossible proposes a value where a change may have been missed, if there is room between the points.
func (n *proposer) proposeAtPossible() {
	d := n.work.maybeChange
	if d.share == 0 {
		return
	}
	n.propose(widestMiddle([]float64{d.after, d.before}, n.whole),
		"a change of law is not certain (probability %.2f); it would most likely be between %s %s and %s",
		d.share, parameterName(n.work.series), quantity.Exact(d.after), quantity.Exact(d.before))
}

// proposeWidest proposes, of the values beyond the measured ones, that whose prediction is least certain
// relative to its value.
func (n *proposer) proposeWidest() {
	var at Prediction
	widest := 0.0
	for _, p := range n.work.result.Predictions {
		if w := (p.Hi - p.Lo) / math.Abs(p.Value); p.Extrapolated && w > widest {
			widest, at = w, p
		}
	}
	if widest > 0 {
		n.propose(at.P, "the prediction is least certain there: %s, between %s and %s", quantity.Plain(at.Value, 4),
			quantity.Plain(at.Lo, 4), quantity.Plain(at.Hi, 4))
	}
}

// nodeHours returns the estimated node-hours of a run at p, from the power law through the two known costs
// nearest to it; nil if fewer are known.
func (w *seriesWork) nodeHours(p float64) *float64 {
	type known struct{ p, hours float64 }
	var have []known
	for _, pt := range w.points {
		if pt.nodeHours > 0 {
			have = append(have, known{pt.p, pt.nodeHours})
		}
	}
	if len(have) < 2 {
		return nil
	}
	i := 0
	for i+2 < len(have) && have[i+1].p < p {
		i++
	}
	a, b := have[i], have[i+1]
	power := math.Log(b.hours/a.hours) / math.Log(b.p/a.p)
	hours := a.hours * math.Pow(p/a.p, power)
	if !finite(hours) {
		return nil
	}
	return &hours
}
