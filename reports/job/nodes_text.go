package job

import (
	"fmt"

	"jobgait/analysis/quantity"
	"jobgait/reports/text"
)

// textNodes prints the section that compares the nodes; a run on one node has none.
func (r Report) textNodes(p *text.Page) {
	n := r.Nodes
	if n.Total <= 1 {
		return
	}
	p.Section("NODES", n.remark())
	if n.Total > listedNodes {
		p.Text("  ", n.summary())
		if odd := len(n.odd()); odd > listedOdd {
			p.Text("  ", fmt.Sprintf("%d nodes differ from the others; the first %d:", odd, listedOdd))
		}
	}
	p.Table(r.nodeRows())
	for _, s := range n.Agreement.texts() {
		p.Text("  ", s)
	}
}

// remark says how many nodes there are and how evenly they are loaded.
func (n Nodes) remark() string {
	text := fmt.Sprintf("%d of %d in this report", n.Reported, n.Total)
	if n.ImbalancePct != nil {
		text += fmt.Sprintf("; the busiest is %s above the mean", quantity.Percent(*n.ImbalancePct))
	}
	return text
}

// summary returns the range of busy CPUs of the nodes that are not odd, which have no line of their own, and
// names the nodes without a report.
func (n Nodes) summary() string {
	lo, hi, of := n.typical()
	text := fmt.Sprintf("%s: %s .. %s busy CPUs.", quantity.Plural(of, "node"), quantity.Hundredths(lo),
		quantity.Hundredths(hi))
	if of == 0 {
		text = "The busy CPUs of no node are known."
	}
	if len(n.Missing) > 0 {
		text += " No report from: " + firstNames(n.Missing, 8) + "."
	}
	return text
}

// textCounters prints the section with the totals of the counters.
func (r Report) textCounters(p *text.Page) {
	rows := r.counterRows()
	if len(rows) == 0 {
		return
	}
	p.Section("COUNTERS", countersRemark)
	p.Table(rows)
	if r.IPC != nil {
		p.Line("  " + r.ipcText())
	}
}

// countersRemark says what the totals cover.
const countersRemark = "totals of the run; of a node: of all that ran there"

// ipcText returns the instructions per clock cycle in words.
func (r Report) ipcText() string {
	return "instructions per clock cycle (IPC) over the run: " + quantity.Figures(*r.IPC, 3)
}
