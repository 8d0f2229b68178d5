package pattern

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
)

// minLonger is the least difference of periods, in percent, that makes a node a straggler; the least difference
// of drift is five times that per hour.
const minLonger = 1.0

// setLags sets by how many seconds each node's iterations begin later than those of the median node, and the scatter of
// that. Both come from the boundaries of each node and the nearest ones of the first node that has any (see lagOf); the
// median over the nodes is subtracted. Nodes without a lag keep nil.
func (a *NodeComparison) setLags(nodes []NodePattern, shapes []phased) {
	begin, all := make([][]float64, len(nodes)), 0
	for _, n := range nodes {
		all += len(n.BoundariesS)
	}
	times := make([]float64, 0, all)
	for i, n := range nodes {
		if shapes[i].v == nil {
			continue
		}
		from := len(times)
		for _, t := range n.BoundariesS {
			times = append(times, t+shapes[i].shift*n.PeriodS)
		}
		begin[i] = times[from:len(times):len(times)]
		slices.Sort(begin[i])
	}
	base := slices.IndexFunc(begin, func(b []float64) bool { return len(b) > 0 })
	if base < 0 {
		return
	}
	lag, spread := make([]float64, len(nodes)), make([]float64, len(nodes))
	var known []float64
	var scratch lagScratch
	for i := range nodes {
		lag[i], spread[i] = lagOf(begin[i], begin[base], nodes[base].PeriodS, &scratch)
		if !math.IsNaN(lag[i]) {
			known = append(known, lag[i])
		}
	}
	middle := robust.Median(known)
	for i := range nodes {
		if v := lag[i] - middle; !math.IsNaN(v) {
			s := spread[i]
			a.Nodes[i].LagS, a.Nodes[i].LagSpreadS = &v, &s
		}
	}
}

// lagScratch holds the memory of lagOf.
type lagScratch struct{ differences, buffer []float64 }

// lagOf returns the median difference, in seconds, between the boundaries of one node and the nearest ones of
// another, both ascending, and its median absolute deviation. Differences above half a period are left out;
// with fewer than three it returns NaN.
func lagOf(x, base []float64, periodS float64, scratch *lagScratch) (lag, spread float64) {
	d := scratch.differences[:0]
	k := 0 // the first of base that is not before t
	for _, t := range x {
		for k < len(base) && cmp.Less(base[k], t) {
			k++
		}
		best := math.Inf(1)
		if k > 0 {
			best = t - base[k-1]
		}
		if k < len(base) && math.Abs(t-base[k]) < math.Abs(best) {
			best = t - base[k]
		}
		if math.Abs(best) <= periodS/2 {
			d = append(d, best)
		}
	}
	scratch.differences = d
	if len(d) < 3 {
		return math.NaN(), math.NaN()
	}
	lag = robust.MedianWithBuffer(&scratch.buffer, d)
	for i, v := range d {
		d[i] = math.Abs(v - lag)
	}
	return lag, robust.SD * robust.MedianWithBuffer(&scratch.buffer, d)
}

// markStragglers sets LongerPct, the excess of each node's period over the median of the nodes, and marks as stragglers
// nodes for which it exceeds minLonger and five MADs. It also marks nodes whose drift exceeds the median by five times
// minLonger and five MADs. With fewer than three nodes with a period it does nothing.
func (a *NodeComparison) markStragglers(nodes []NodePattern) {
	var periods, slopes []float64
	for _, n := range nodes {
		if n.PeriodS > 0 {
			periods = append(periods, n.PeriodS)
		}
		if !math.IsNaN(n.DriftPctPerHour) {
			slopes = append(slopes, n.DriftPctPerHour)
		}
	}
	if len(periods) < 3 {
		return
	}
	middle, drift := robust.Median(periods), robust.Median(slopes)
	wide, drifting := 5*robust.MAD(periods)/middle*100, max(5*robust.MAD(slopes), 5*minLonger)
	for i, n := range nodes {
		if !(n.PeriodS > 0) {
			continue
		}
		a.Nodes[i].LongerPct = 100 * (n.PeriodS/middle - 1)
		a.Nodes[i].Straggler = a.Nodes[i].LongerPct > max(minLonger, wide) ||
			len(slopes) >= 3 && n.DriftPctPerHour-drift > drifting
	}
}
