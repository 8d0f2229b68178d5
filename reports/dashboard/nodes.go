package dashboard

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"jobgait/analysis/history"
	"jobgait/analysis/quantity"
	"jobgait/reports/text"
)

// nodeRow is a conspicuous node, and the jobs that show it.
type nodeRow struct{ Node, Text, Jobs string }

// nodeKey identifies a node; different clusters may use the same node names.
type nodeKey struct{ cluster, name string }

// sickNode is the evidence against one node.
type sickNode struct {
	nodeKey
	effectPct float64 // the largest slowdown of jobs on it in percent
	histories int     // number of histories
	records   *history.SickNode
	jobs      []string
}

// nodeRows returns at most history.SiteRows nodes on which jobs take longer or whose records are missing, those
// of most histories first. left says how many more there are.
func nodeRows(in Contents) (rows []nodeRow, left string) {
	nodes := slowNodes(in)
	for _, r := range in.Site.Nodes.Rows {
		n := nodes.of(nodeKey{r.Cluster, r.Node})
		n.records, n.jobs = &r, append(n.jobs, r.JobIDs...)
	}
	list := slices.SortedFunc(maps.Values(nodes), func(a, b *sickNode) int {
		return cmp.Or(cmp.Compare(b.histories, a.histories), cmp.Compare(b.effectPct, a.effectPct),
			cmp.Compare(b.missing(), a.missing()), cmp.Compare(a.cluster, b.cluster), cmp.Compare(a.name, b.name))
	})
	several := slices.ContainsFunc(list, func(n *sickNode) bool { return n.cluster != list[0].cluster })
	for _, n := range list[:min(len(list), history.SiteRows)] {
		row := nodeRow{text.Clean(n.name), n.text(), firstJobs(n.jobs)}
		if several {
			row.Node = withUser(n.cluster, n.name)
		}
		rows = append(rows, row)
	}
	if k := len(list) - len(rows) + in.Site.Nodes.More(); k > 0 {
		left = fmt.Sprintf("and %s more", quantity.Count(k))
	}
	return rows, left
}

// sickNodes maps nodes to the evidence against them.
type sickNodes map[nodeKey]*sickNode

// of returns the entry of a node, which it adds if it is missing.
func (m sickNodes) of(k nodeKey) *sickNode {
	if m[k] == nil {
		m[k] = &sickNode{nodeKey: k}
	}
	return m[k]
}

// slowNodes returns the slow nodes of all leading histories, with the newest jobs on each.
func slowNodes(in Contents) sickNodes {
	nodes := sickNodes{}
	for _, s := range in.Report.Series {
		for _, slow := range s.Result.SlowNodes {
			if s.Support || !quantity.Known(slow.EffectPct) {
				continue
			}
			n := nodes.of(nodeKey{s.Machine, slow.Node})
			n.histories, n.effectPct = n.histories+1, max(n.effectPct, slow.EffectPct)
			for k := len(s.Nodes) - 1; k >= 0; k-- {
				if k < len(s.Jobs) && slices.Contains(s.Nodes[k], slow.Node) {
					n.jobs = append(n.jobs, s.Jobs[k])
				}
			}
		}
	}
	return nodes
}

// missing returns the share of its jobs whose records are incomplete.
func (n sickNode) missing() float64 {
	if n.records == nil {
		return 0
	}
	return float64(n.records.Missing+n.records.Died) / float64(n.records.Jobs)
}
