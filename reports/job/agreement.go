package job

import (
	"fmt"

	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
	"jobgait/reports/text"
)

// Agreement reports how alike the iterations of the nodes are.
type Agreement struct {
	Column string `json:"column"` // before its label
	Label  string `json:"label"`
	summary.Agreement
}

// newAgreement returns the agreement of the nodes with its column labelled, nil without one.
func newAgreement(s summary.Summary) *Agreement {
	a := s.Agreement
	if a == nil {
		return nil
	}
	out := &Agreement{a.Column, newLabels(s).long(a.Column), *a}
	out.List = nonNil(a.List)
	return out
}

// shapeDifferences returns short phrases on how a node's cycles differ from the others: in shape, or in length. A
// straggler's cycles are longer by at least minLongerPct, or else become longer. A node that is only late gets no
// phrase.
func shapeDifferences(x summary.DifferingNode) []string {
	var out []string
	if x.Odd {
		out = append(out, "another shape of cycle")
	}
	if x.Straggler && x.LongerPct >= minLongerPct {
		out = append(out, "cycles "+quantity.Percent(x.LongerPct)+" longer")
	} else if x.Straggler {
		out = append(out, "cycles that become longer")
	}
	return out
}

// minLongerPct is the difference of length in percent that is printed of a straggler. Below it the node is a
// straggler because of its trend.
const minLongerPct = 0.5

// texts returns the sentences on the agreement of the nodes: one on all nodes, then one for each node that
// differs, at most maxListedApart.
func (a *Agreement) texts() []string {
	if a == nil {
		return nil
	}
	text := fmt.Sprintf("Cycles compared in %s: %s of %s of nodes agree within 1 %%, the furthest are %s apart.", a.Label,
		quantity.Count(a.Agree), quantity.Plural(a.Pairs, "pair"), quantity.Percent(a.WorstPct))
	if a.Compared < a.Nodes {
		text = fmt.Sprintf("Cycles of %s of %s compared in %s, those that stand out among them: %s within 1 %% of the "+
			"median, the furthest %s away.",
			quantity.Count(a.Compared), quantity.Plural(a.Nodes, "node"), a.Label, quantity.Count(a.Agree),
			quantity.Percent(a.WorstPct))
	}
	out := []string{text}
	for i, x := range a.List {
		if i == maxListedApart {
			out = append(out, fmt.Sprintf("And %s more nodes that differ.", quantity.Count(a.countDiffering()-i)))
			break
		}
		out = append(out, apartText(x))
	}
	return out
}

// maxListedApart is the number of differing nodes that get a line each.
const maxListedApart = 4

// countDiffering returns how many nodes differ. A node that differs in two ways counts once, provided that all
// differing nodes are listed.
func (a *Agreement) countDiffering() int { return max(len(a.List), a.Odd, a.Stragglers, a.Late) }

// apartText returns a sentence on how one node differs from the median node: by how much its cycle differs and in which
// part of it, how much longer its cycles are, and how much earlier or later they begin.
func apartText(x summary.DifferingNode) string {
	text := text.Cut(x.Node, 40) + ":"
	sep := " "
	if x.Odd && x.DistancePct != nil {
		text += fmt.Sprintf("%sits cycle is %s off that of the median node, most from %s on, for %s (%s)", sep,
			quantity.Percent(*x.DistancePct), quantity.Duration(x.FromS), quantity.Duration(x.ForS),
			quantity.Signed(x.DiffersPct))
		sep = "; "
	}
	if x.Straggler {
		longer := "become longer faster"
		if x.LongerPct >= minLongerPct {
			longer = "are " + quantity.Percent(x.LongerPct) + " longer"
		}
		text += sep + "its cycles " + longer + " than the median node's"
		sep = "; "
	}
	if x.Late && x.LagS != nil {
		word := "later"
		if *x.LagS < 0 {
			word = "earlier"
		}
		text += fmt.Sprintf("%sits cycles begin %s %s than the median node's, or its clock is off", sep,
			quantity.Duration(max(*x.LagS, -*x.LagS)), word)
	}
	return text + "."
}
