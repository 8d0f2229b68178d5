package summary

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/pattern"
	"jobgait/analysis/quantity"
)

// Agreement compares the iterations of a run's nodes (Phase-TA IV-B). Its size is bounded, however many nodes
// there are.
type Agreement struct {
	// Column is the one compared: the same on all nodes.
	Column string `json:"column"`
	// Nodes is the number of nodes that have a main loop and that column; Compared of them were compared with each
	// other: all, in earlier records at most 256.
	Nodes    int `json:"nodes"`
	Compared int `json:"compared"`
	// Pairs agree if their shapes are within 1 % of their mean, are close within
	// 2 %. Of many nodes each makes one pair, with the median of all.
	Pairs    int     `json:"pairs"`
	Agree    int     `json:"agree"`
	Close    int     `json:"close"`
	WorstPct float64 `json:"worst_pct"`
	// Odd, Stragglers and Late are the numbers of nodes whose shape differs,
	// whose iterations are longer, and whose iterations begin later or earlier.
	Odd        int `json:"odd"`
	Stragglers int `json:"stragglers"`
	Late       int `json:"late"`
	// List has those nodes, the most different first, at most maxDiffering.
	List []DifferingNode `json:"list"`
}

// maxDiffering is the most odd nodes that are listed, so that a record does not grow with their number.
const maxDiffering = 16

// DifferingNode is a node that differs from the others in the shape, length or beginning of its iterations.
type DifferingNode struct {
	pattern.NodeAgreement
	// Late reports that its iterations begin earlier or later than those of the others, by more than the others
	// scatter. The reason may be the node's clock.
	Late bool `json:"late"`
}

// agreement compares the main loops of the nodes and sets Agreement, if at least two can be compared, and
// DistancePct of each compared node. The list holds at most maxDiffering nodes: those that are odd, stragglers
// or late.
func (s *Summary) agreement(records []NodeRecord, lead NodeRecord) {
	column, nodes := mainLoops(records, lead)
	if len(nodes) < 2 {
		return
	}
	across := pattern.CompareNodes(nodes)
	a := &Agreement{Column: column, Nodes: len(nodes), Compared: len(nodes), Pairs: across.Pairs, Agree: across.Agree,
		Close: across.Close, WorstPct: quantity.OrZero(across.WorstPct), List: []DifferingNode{}}
	late := lateNodes(across.Nodes, lead)
	at := make(map[string]int, len(s.Nodes))
	for i, n := range s.Nodes {
		at[n.Name] = i
	}
	for i, n := range across.Nodes {
		if k, ok := at[n.Node]; ok {
			s.Nodes[k].DistancePct = n.DistancePct
		}
		n.FromS, n.ForS, n.DiffersPct, n.LongerPct = quantity.OrZero(n.FromS), quantity.OrZero(n.ForS),
			quantity.OrZero(n.DiffersPct), quantity.OrZero(n.LongerPct)
		x := DifferingNode{NodeAgreement: n, Late: late[i]}
		a.Odd += boolToInt(n.Odd)
		a.Stragglers += boolToInt(n.Straggler)
		a.Late += boolToInt(x.Late)
		if n.Odd || n.Straggler || x.Late {
			a.List = append(a.List, x)
		}
	}
	slices.SortStableFunc(a.List, func(x, y DifferingNode) int { return cmp.Compare(y.difference(), x.difference()) })
	a.List = a.List[:min(len(a.List), maxDiffering)]
	s.Agreement = a
}

// boolToInt returns 1 for true, 0 for false.
func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// difference returns the number by which differing nodes are sorted: the difference of shape or length in
// percent; nodes that are only late come after them.
func (a DifferingNode) difference() float64 {
	size := 0.0
	if a.Odd && a.DistancePct != nil {
		size = *a.DistancePct
	}
	if a.Straggler {
		size = max(size, a.LongerPct)
	}
	return size
}

// mainLoops returns the main loop of every node in the column that most of them
// have, and that column. A node's main loop is the one whose period is nearest to
// the lead's: within loopRatio, so that a node that is slower is compared
// and one that does something else is not.
func mainLoops(records []NodeRecord, lead NodeRecord) (string, []pattern.NodePattern) {
	if len(lead.Patterns) == 0 || !(lead.Patterns[0].PeriodS > 0) {
		return "", nil
	}
	count := map[string]int{}
	column := ""
	type candidate struct {
		record *NodeRecord
		i      int
	}
	all := make([]candidate, 0, len(records))
	boundaries := 0
	for k := range records {
		r := &records[k]
		i, ok := nearestPattern(r, lead.Patterns[0].PeriodS, loopRatio)
		if !ok {
			continue
		}
		all = append(all, candidate{r, i})
		boundaries += len(r.Loops[i].Boundaries)
		name := r.Loops[i].Activity.Column
		count[name]++
		if count[name] > count[column] {
			column = name
		}
	}
	nodes := make([]pattern.NodePattern, 0, len(all))
	times := make([]float64, 0, boundaries)
	for _, c := range all {
		loop, shape := c.record.Loops[c.i], c.record.Patterns[c.i]
		if loop.Activity.Column != column {
			continue
		}
		shape.ValuesColumn, shape.ValuesUnit, shape.Values = column, loop.Activity.Unit, loop.Activity.Values
		n := pattern.NodePattern{Node: c.record.Node, Pattern: shape, DriftPctPerHour: math.NaN()}
		if d := loop.Drift; d != nil {
			n.DriftPctPerHour = d.SlopePctPerHour
		}
		from := len(times)
		for _, b := range loop.Boundaries {
			times = append(times, c.record.Start-lead.Start+b)
		}
		n.BoundariesS = times[from:len(times):len(times)]
		nodes = append(nodes, n)
	}
	return column, nodes
}

// nearestPattern returns the index of the pattern of a node whose period is nearest to periodS, among those
// whose activity is known; false if all are further off than by the factor ratio.
func nearestPattern(r *NodeRecord, periodS, ratio float64) (at int, ok bool) {
	best := math.Log(ratio)
	for i, q := range r.Patterns {
		if i >= len(r.Loops) || r.Loops[i].Activity == nil || len(r.Loops[i].Activity.Values) == 0 || !(q.PeriodS > 0) {
			continue
		}
		if off := math.Abs(math.Log(q.PeriodS / periodS)); off <= best {
			at, best, ok = i, off, true
		}
	}
	return at, ok
}

// lateNodes reports for each node whether it begins its iterations at another time than the others: by more than five
// times what the nodes and the iterations scatter, more than three slots of the grid and more than 2 % of the period.
// If the lag is known for fewer than three nodes, it reports no node.
func lateNodes(nodes []pattern.NodeAgreement, lead NodeRecord) []bool {
	out := make([]bool, len(nodes))
	var off []float64
	for _, n := range nodes {
		if n.LagS != nil {
			off = append(off, math.Abs(*n.LagS))
		}
	}
	if len(off) < 3 {
		return out
	}
	slices.Sort(off)
	q := lead.Patterns[0]
	limit := max(5*off[(len(off)-1)/2], 0.02*q.PeriodS)
	if q.PeriodSamples > 0 {
		limit = max(limit, 3*q.PeriodS/q.PeriodSamples)
	}
	for i, n := range nodes {
		out[i] = n.LagS != nil && n.LagSpreadS != nil && math.Abs(*n.LagS) > max(limit, 5**n.LagSpreadS)
	}
	return out
}
