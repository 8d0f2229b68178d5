package finding

import (
	"fmt"
	"slices"
	"strings"

	q "jobgait/analysis/quantity"
)

const (
	// leastImbalance is the least excess of the busiest node over the mean, in percent.
	leastImbalance = 10.0
	// halfWork is the share of its work on fewer nodes below which a node was too many.
	halfWork = 0.5
)

// oddNodes returns the nodes that differ from the others.
func oddNodes(r RunFacts) []NodeFacts {
	var odd []NodeFacts
	for _, n := range r.Nodes {
		if len(n.Odd) > 0 {
			odd = append(odd, n)
		}
	}
	return odd
}

// oddNode finds runs with nodes that differ from the others, unless they are reported as idle.
func oddNode(r RunFacts) []Finding {
	odd := oddNodes(r)
	if f := nodeIdle(r); len(f) > 0 { // already reported
		idle := f[0].Evidence["nodes"].([]string)
		odd = slices.DeleteFunc(odd, func(n NodeFacts) bool { return slices.Contains(idle, n.Name) })
	}
	if len(odd) == 0 {
		return nil
	}
	var names []string
	for _, n := range odd {
		names = append(names, n.Name)
	}
	e := map[string]any{"nodes": names}
	if len(odd) == 1 {
		e["odd"] = odd[0].Odd
		return single(fmt.Sprintf("Node %s differs from the others: %s.", names[0], strings.Join(odd[0].Odd, "; ")), e)
	}
	return single(fmt.Sprintf("%s differ from the others: %s.", q.Plural(len(odd), "node"), nameSome(names)), e)
}

// imbalance finds runs whose work is spread unevenly over nodes, if no odd or idle node is found.
func imbalance(r RunFacts) []Finding {
	p := r.ImbalancePct
	if p == nil || *p < leastImbalance || len(oddNodes(r)) > 0 || len(nodeIdle(r)) > 0 {
		return nil
	}
	f := single(fmt.Sprintf("Work is spread unevenly: the busiest node is %s above the mean.", q.Percent(*p)),
		map[string]any{"imbalance_pct": *p})
	f[0].CostCoreS = r.costOf(*p / (100 + *p))
	return f
}

// tooManyNodes finds runs on nodes that add less than half of the work of a node in smaller runs.
func tooManyNodes(r RunFacts) []Finding {
	s := r.Scaling
	if s == nil || s.Fewer < 1 || s.Nodes <= s.Fewer || !(s.StepS > 0) || !(s.FewerStepS > 0) {
		return nil
	}
	work := s.FewerStepS * float64(s.Fewer) / (s.StepS * float64(s.Nodes))
	if work >= halfWork {
		return nil
	}
	than := "one node does alone"
	if s.Fewer > 1 {
		than = "a node does in runs on " + q.Count(s.Fewer)
	}
	f := single(fmt.Sprintf("Each of its %s did %s of the work that %s.", q.Plural(s.Nodes, "node"), q.Share(work), than),
		map[string]any{"nodes": s.Nodes, "fewer": s.Fewer, "step_s": s.StepS, "fewer_step_s": s.FewerStepS})
	f[0].CostCoreS = r.costOf(1 - work)
	f[0].Action = action("Ask for fewer nodes: sbatch --nodes=%d.", s.Fewer)
	return f
}
