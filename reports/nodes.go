package reports

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
	// BusyCPUs is the median over the nodes that reported.
	BusyCPUs     *float64 `json:"busy_cpus_median"`
	ImbalancePct *float64 `json:"imbalance_pct"`
	// Agreement is how alike their iterations are; null where that is unknown.
	Agreement *Agreement `json:"agreement"`
	List      []Node     `json:"list"`
}

// Node is one node of the run.
type Node struct {
	Name     string   `json:"name"`
	Reported bool     `json:"reported"`
	BusyCPUs *float64 `json:"busy_cpus"`
	PeriodS  *float64 `json:"period_s"`
	Coverage *float64 `json:"coverage"`
	Samples  int64    `json:"samples"`
	Missing  int64    `json:"missing"`
	Sealed   bool     `json:"sealed"`
	// Odd says in words how the node differs from the others.
	Odd []string `json:"odd"`
	// DistancePct is how far its iteration is from the median of the nodes', in
	// percent of the mean.
	DistancePct *float64 `json:"distance_pct"`
}

func newNodes(s summary.Summary, l Limits) Nodes {
	out := Nodes{Total: len(s.Nodes), Missing: []string{}, ImbalancePct: known(s.ImbalancePct), Agreement: newAgreement(s),
		List: make([]Node, 0, len(s.Nodes))}
	var busy []float64
	for _, n := range s.Nodes {
		m := Node{n.Name, n.Reported, known(n.BusyCPUs), known(n.PeriodS), known(n.Coverage), n.Samples, n.Missing, n.Sealed, []string{}, known(n.DistancePct)}
		out.List = append(out.List, m)
		switch {
		case !n.Reported:
			out.Missing = append(out.Missing, n.Name)
		default:
			out.Reported++
		}
		if m.BusyCPUs != nil {
			busy = append(busy, *m.BusyCPUs)
		}
	}
	if len(busy) == 0 {
		out.oddShapes()
		return out
	}
	mid := median(busy)
	out.BusyCPUs = &mid
	spread := deviation(busy, mid)
	main, periodic := s.Period()
	for i := range out.List {
		n := &out.List[i]
		if n.Reported && len(busy) >= 3 { // of two, neither is the odd one
			n.Odd = append(n.Odd, oddBusy(n.BusyCPUs, mid, spread, l)...)
		}
		if n.Reported && periodic && out.Total > 1 {
			n.Odd = append(n.Odd, oddPeriod(n.PeriodS, main, l)...)
		}
	}
	out.oddShapes()
	return out
}

// oddShapes marks the nodes whose iterations differ.
func (n *Nodes) oddShapes() {
	if n.Agreement == nil {
		return
	}
	by := make(map[string][]string)
	for _, x := range n.Agreement.List {
		by[x.Node] = oddShape(x)
	}
	for i := range n.List {
		if n.List[i].Reported {
			n.List[i].Odd = append(n.List[i].Odd, by[n.List[i].Name]...)
		}
	}
}

// oddBusy says how far a node's use of CPUs is from that of the others.
func oddBusy(busy *float64, mid, spread float64, l Limits) []string {
	if busy == nil || mid <= 0 {
		return nil
	}
	off := *busy - mid
	if math.Abs(off) <= mid*l.OddPct/100 || math.Abs(off) <= spread*l.OddMADs {
		return nil
	}
	word := "busier"
	if off < 0 {
		word = "less busy"
	}
	return []string{quantity.Percent(math.Abs(off)/mid*100) + " " + word}
}

// oddPeriod says when a node's period is not the run's.
func oddPeriod(p *float64, main float64, l Limits) []string {
	switch {
	case p == nil:
		return []string{"no period of its own"}
	case math.Abs(*p-main) > main*l.OddPeriodPct/100:
		return []string{"another period"}
	}
	return nil
}

// odd returns the nodes that differ from the others.
func (n Nodes) odd() []Node {
	return slices.DeleteFunc(slices.Clone(n.List), func(m Node) bool { return len(m.Odd) == 0 })
}

// typical returns the range of busy CPUs of the nodes that are neither odd nor
// missing, and their number.
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

// median returns the middle of the values; there must be one at least.
func median(values []float64) float64 { return quantile(values, 0.5) }

// quantile returns a quantile, interpolated between order statistics.
func quantile(values []float64, q float64) float64 {
	v := slices.Sorted(slices.Values(values))
	x := q * float64(len(v)-1)
	i := min(int(x), len(v)-1)
	if i == len(v)-1 {
		return v[i]
	}
	return v[i] + (x-float64(i))*(v[i+1]-v[i])
}

// deviation returns the median absolute deviation from mid.
func deviation(values []float64, mid float64) float64 {
	off := make([]float64, len(values))
	for i, v := range values {
		off[i] = math.Abs(v - mid)
	}
	return median(off)
}
