package pattern

import (
	"math"

	"jobgait/analysis/internal/dtw"
	"jobgait/analysis/internal/robust"
)

// NodePattern is the main pattern of one node of a run.
type NodePattern struct {
	Node string
	Pattern
	// BoundariesS are the times at which instances began, in seconds on that
	// node's clock; without them there is no lag.
	BoundariesS []float64
	// DriftPctPerHour is the slope of its iterations, NaN if unknown.
	DriftPctPerHour float64
}

// NodeComparison compares the patterns of a run's nodes (Phase-TA IV-B, Fig. 4).
type NodeComparison struct {
	// Nodes are in the order given.
	Nodes []NodeAgreement `json:"nodes"`
	// Pairs agree if their distance is at most 1 % of their mean, are close at
	// 2 %. Of more than maxPairwise nodes only those with the middle one are
	// compared.
	Pairs int `json:"pairs"`
	Agree int `json:"agree"`
	Close int `json:"close"`
	// WorstPct is the largest distance of a pair.
	WorstPct float64 `json:"worst_pct"`
}

// NodeAgreement compares the pattern and the timing of one node with those of the others.
type NodeAgreement struct {
	Node string `json:"node"`
	// DistancePct is the distance of its pattern from the median of all, in percent of the mean; nil without a
	// pattern.
	DistancePct *float64 `json:"distance_pct"`
	// Odd reports that it differs by more than 2 % and by more than the others do. It differs most from FromS for
	// ForS, in the phase of the first node's pattern, by DiffersPct of the mean there.
	Odd        bool    `json:"odd"`
	FromS      float64 `json:"from_s"`
	ForS       float64 `json:"for_s"`
	DiffersPct float64 `json:"differs_pct"`
	// LagS is by how much its iterations begin later than those of the median
	// node, in the middle of the run, nil if unknown; LagSpreadS is the median
	// absolute deviation. A constant lag can be the clock's.
	LagS       *float64 `json:"lag_s"`
	LagSpreadS *float64 `json:"lag_spread_s"`
	// Straggler reports that its iterations are longer than those of the median node, or become longer faster, by
	// more than the others vary.
	Straggler bool `json:"straggler"`
	// LongerPct is by how many percent they are longer.
	LongerPct float64 `json:"longer_pct"`
}

const (
	// agreePct and closePct are the paper's 1 % and twice that.
	agreePct, closePct = 1.0, 2.0
	// maxPairwise bounds the nodes that are compared pair by pair: 32 patterns
	// take 0.14 s.
	maxPairwise = 32
	// comparePoints is the resolution of the comparison.
	comparePoints = 256
)

// CompareNodes rotates the patterns of a run's nodes to a common phase and
// compares them. Nodes without a shape are listed without a distance and are in
// no pair.
func CompareNodes(nodes []NodePattern) NodeComparison {
	a := NodeComparison{Nodes: make([]NodeAgreement, len(nodes))}
	shapes := commonPhase(nodes)
	middle := medianShape(shapes)
	var at []int
	var known [][]float64
	for i, n := range nodes {
		a.Nodes[i] = NodeAgreement{Node: n.Node}
		if shapes[i].v != nil {
			at, known = append(at, i), append(known, shapes[i].v)
		}
	}
	var scratch dtw.Scratch
	for k, d := range distancesPct(&scratch, known, middle) {
		if !math.IsNaN(d) {
			a.Nodes[at[k]].DistancePct = &d
		}
	}
	a.pairs(shapes)
	a.markOdd(shapes, middle)
	a.setLags(nodes, shapes)
	a.markStragglers(nodes)
	return a
}

// phased is a shape rotated to the phase of the first node's, with the rotation.
type phased struct {
	v     []float64
	shift float64 // of the period: the shape began so much earlier
	s     float64 // period
}

// commonPhase returns each node's shape at comparePoints points, rotated to the phase of the first shape that is not
// flat, empty or incomplete. Other nodes have a zero entry (v is nil).
func commonPhase(nodes []NodePattern) []phased {
	out := make([]phased, len(nodes))
	points := make([]float64, comparePoints*len(nodes))
	var first rotationSearch
	for i, n := range nodes {
		c, ok := newCycle(n.Values)
		if !ok {
			continue
		}
		if first.c == nil {
			first = newRotationSearch(c)
		}
		_, shift := first.best(c)
		out[i] = phased{v: points[:comparePoints:comparePoints], shift: shift, s: n.PeriodS}
		points = points[comparePoints:]
		r := rotated(n.Values, shift)
		for k := range out[i].v {
			out[i].v[k] = cyclic(r, float64(k)/comparePoints)
		}
	}
	return out
}

// medianShape returns, for each of the comparePoints points of a cycle, the median over the nodes that have a shape;
// nil if no node has one.
func medianShape(shapes []phased) []float64 {
	const together = 8 // points read from a shape at a time: a line of the processor's cache
	var columns [together][]float64
	for j := range columns {
		columns[j] = make([]float64, 0, len(shapes))
	}
	var out, buffer []float64
	for k := 0; k < comparePoints; k += together {
		for j := range columns {
			columns[j] = columns[j][:0]
		}
		for _, s := range shapes {
			if s.v == nil {
				continue
			}
			for j, v := range s.v[k : k+together] {
				columns[j] = append(columns[j], v)
			}
		}
		for _, values := range columns {
			if len(values) == 0 {
				return nil
			}
			out = append(out, robust.MedianWithBuffer(&buffer, values))
		}
	}
	return out
}

// distancesPct returns the distance of each of xs from y by the paper's rule: the mean absolute distance per pair of
// the alignment, in percent of the mean of both series. It is NaN if that mean is 0.
func distancesPct(s *dtw.Scratch, xs [][]float64, y []float64) []float64 {
	out := s.Means(xs, y)
	b, _ := robust.Mean(y)
	for i, x := range xs {
		a, _ := robust.Mean(x)
		if m := math.Abs(a+b) / 2; m > 0 {
			out[i] = 100 * out[i] / m
		} else {
			out[i] = math.NaN()
		}
	}
	return out
}

// pairs counts all pairs of nodes with a shape, and those that agree or are close (see count). Of more than maxPairwise
// shapes each makes only one pair, with the median shape, whose distance is in a.Nodes.
func (a *NodeComparison) pairs(shapes []phased) {
	var known [][]float64
	for _, s := range shapes {
		if s.v != nil {
			known = append(known, s.v)
		}
	}
	if len(known) > maxPairwise {
		for i, n := range a.Nodes {
			if n.DistancePct != nil {
				a.count(*n.DistancePct)
			} else if shapes[i].v != nil {
				a.count(math.NaN())
			}
		}
		return
	}
	var scratch dtw.Scratch
	for i, y := range known {
		for _, pct := range distancesPct(&scratch, known[i+1:], y) {
			a.count(pct)
		}
	}
}

// count adds one pair at a distance of pct percent.
func (a *NodeComparison) count(pct float64) {
	a.Pairs++
	if pct <= agreePct {
		a.Agree++
	}
	if pct <= closePct {
		a.Close++
	}
	a.WorstPct = max(a.WorstPct, pct)
}

// markOdd marks the nodes whose distance from the median shape exceeds closePct and the median distance by five MADs,
// and sets where and by how much they differ. With fewer than three nodes with a distance it marks none.
func (a *NodeComparison) markOdd(shapes []phased, middle []float64) {
	var all []float64
	for _, n := range a.Nodes {
		if n.DistancePct != nil {
			all = append(all, *n.DistancePct)
		}
	}
	if len(all) < 3 {
		return // of two that differ neither is the odd one
	}
	limit := max(closePct, robust.Median(all)+5*robust.MAD(all))
	mean, _ := robust.Mean(middle)
	for i := range a.Nodes {
		n := &a.Nodes[i]
		if n.DistancePct == nil || *n.DistancePct <= limit {
			continue
		}
		n.Odd = true
		from, points, diff := largestDifference(shapes[i].v, middle)
		n.FromS, n.ForS = float64(from)*shapes[i].s/comparePoints, float64(points)*shapes[i].s/comparePoints
		n.DiffersPct = 100 * diff / math.Abs(mean)
	}
}

// largestDifference returns the stretch of the cyclic shapes around their largest difference, averaged over three
// points, in which the difference has the same sign and at least half that size: its first point, its number of points,
// and the mean of x-y there.
func largestDifference(x, y []float64) (from, points int, diff float64) {
	n := len(x)
	d := make([]float64, n)
	at := 0
	for i := range d {
		// Of neighbouring points, so that an edge that is one point off is
		// not the largest difference.
		d[i] = (x[i] + x[(i+1)%n] + x[(i+2)%n] - y[i] - y[(i+1)%n] - y[(i+2)%n]) / 3
		if math.Abs(d[i]) > math.Abs(d[at]) {
			at = i
		}
	}
	large := func(i int) bool { return d[(i+2*n)%n]*d[at] >= d[at]*d[at]/2 }
	a, b := at, at
	for b-a < n-1 && large(a-1) {
		a--
	}
	for b-a < n-1 && large(b+1) {
		b++
	}
	for i := a; i <= b; i++ {
		diff += d[(i+2*n)%n] / float64(b-a+1)
	}
	return (a + 1 + n) % n, b - a + 1, diff
}
