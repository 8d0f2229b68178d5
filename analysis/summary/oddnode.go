package summary

import (
	"math"

	"jobgait/analysis/internal/robust"
)

// OddNode describes how a node differs from the others of its run.
type OddNode struct {
	// BusyPct is by how many percent the node is busier than the median of all nodes; negative if it is less busy, 0 if
	// the difference is usual.
	BusyPct float64
	// NoPeriod reports that the run has a period and the node has none, OtherPeriod that the node has another one.
	NoPeriod, OtherPeriod bool
}

const (
	// A node is odd when its busy CPUs differ from the nodes' median by more than
	// oddPct and by more than oddDeviations standard deviations, which are five
	// median absolute ones. Both, because nodes that agree to a millionth would
	// make any difference many deviations.
	oddPct, oddDeviations = 5.0, 3.37
	// oddPeriodPct is the difference in percent from which a period is another.
	oddPeriodPct = 5.0
	// comparedNodes are the fewest with an odd one among them: of two neither is.
	comparedNodes = 3
)

// OddNodes returns for each node, by index, how it differs from the others, and the median of their busy CPUs, nil if
// unknown for all. Busy CPUs are compared with the median if at least comparedNodes nodes have them, periods with that
// of the run. A node without a record does not differ.
func (s Summary) OddNodes() (odd []OddNode, median *float64) {
	odd = make([]OddNode, len(s.Nodes))
	var busy []float64
	for _, n := range s.Nodes {
		if v := n.BusyCPUs; v != nil && !math.IsNaN(*v) && !math.IsInf(*v, 0) {
			busy = append(busy, *v)
		}
	}
	if len(busy) == 0 {
		return odd, nil
	}
	middle, spread := robust.Median(busy), robust.MAD(busy)
	period, periodic := s.Period()
	for i, n := range s.Nodes {
		if !n.Reported {
			continue
		}
		if v := n.BusyCPUs; v != nil && len(busy) >= comparedNodes && middle > 0 {
			if off := *v - middle; math.Abs(off) > middle*oddPct/100 && math.Abs(off) > spread*oddDeviations {
				odd[i].BusyPct = 100 * off / middle
			}
		}
		if periodic && len(s.Nodes) > 1 {
			odd[i].NoPeriod = n.PeriodS == nil
			odd[i].OtherPeriod = n.PeriodS != nil && math.Abs(*n.PeriodS-period) > period*oddPeriodPct/100
		}
	}
	return odd, &middle
}
