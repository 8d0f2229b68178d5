package job

import (
	"math"
	"slices"

	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
)

// Nodes compares the nodes of a run.
type Nodes struct {
	Total    int      `json:"total"`
	Reported int      `json:"reported"`
	Missing  []string `json:"missing"`
	// BusyCPUs is the median of the busy CPUs of the nodes that reported.
	BusyCPUs     *float64 `json:"busy_cpus_median"`
	ImbalancePct *float64 `json:"imbalance_pct"`
	// Agreement reports how alike the nodes' iterations are; null where that is unknown.
	Agreement *Agreement     `json:"agreement"`
	List      []ComparedNode `json:"list"`
	// Lanes record how busy the nodes were over the run.
	Lanes []summary.NodeLane `json:"lanes,omitempty"`
}

// ComparedNode is one node of the run, compared with the others.
type ComparedNode struct {
	summary.Node
	// Odd says in words how the node differs from the others.
	Odd []string `json:"odd"`
	// DistancePct is the distance of the node's iterations from those of the others in percent; null where it is
	// unknown.
	DistancePct *float64 `json:"distance_pct"`
}

// newNodes compares the nodes of the run.
func newNodes(s summary.Summary) Nodes {
	out := Nodes{Total: len(s.Nodes), Missing: []string{}, ImbalancePct: s.ImbalancePct, Agreement: newAgreement(s),
		List: make([]ComparedNode, 0, len(s.Nodes))}
	odd, median := s.OddNodes()
	out.BusyCPUs = median
	for i, n := range s.Nodes {
		out.List = append(out.List, ComparedNode{n, loadDifferences(odd[i]), n.DistancePct})
		if n.Reported {
			out.Reported++
		} else {
			out.Missing = append(out.Missing, n.Name)
		}
	}
	out.markOddShapes()
	out.Lanes = cleanNodeLanes(s.Lanes)
	return out
}

// markOddShapes adds to Odd how the iterations of the nodes differ.
func (n *Nodes) markOddShapes() {
	if n.Agreement == nil {
		return
	}
	by := make(map[string][]string)
	for _, x := range n.Agreement.List {
		by[x.Node] = shapeDifferences(x)
	}
	for i := range n.List {
		if n.List[i].Reported {
			n.List[i].Odd = append(n.List[i].Odd, by[n.List[i].Name]...)
		}
	}
}

// loadDifferences says in words how a node's load differs from that of the others.
func loadDifferences(o summary.OddNode) []string {
	out := []string{}
	switch {
	case o.BusyPct > 0:
		out = append(out, quantity.Percent(o.BusyPct)+" busier")
	case o.BusyPct < 0:
		out = append(out, quantity.Percent(-o.BusyPct)+" less busy")
	}
	switch {
	case o.NoPeriod:
		out = append(out, "no period of its own")
	case o.OtherPeriod:
		out = append(out, "another period")
	}
	return out
}

// odd returns the nodes that differ from the others.
func (n Nodes) odd() []ComparedNode {
	return slices.DeleteFunc(slices.Clone(n.List), func(m ComparedNode) bool { return len(m.Odd) == 0 })
}

// typical returns the range of busy CPUs of the nodes that reported and are not odd, and the number of these
// nodes.
func (n Nodes) typical() (lo, hi float64, of int) {
	for _, m := range n.List {
		if !m.Reported || len(m.Odd) > 0 || m.BusyCPUs == nil {
			continue
		}
		if of == 0 {
			lo, hi = *m.BusyCPUs, *m.BusyCPUs
		}
		lo, hi, of = math.Min(lo, *m.BusyCPUs), math.Max(hi, *m.BusyCPUs), of+1
	}
	return lo, hi, of
}
