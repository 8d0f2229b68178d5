package job

import (
	"fmt"

	"jobgait/analysis/quantity"
	"jobgait/reports/text"
)

// textNodes compares the nodes; a run on one node has nothing to compare, and no section.
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

// remark says how many nodes there are and how even they are.
func (n Nodes) remark() string {
	text := fmt.Sprintf("%d of %d in this report", n.Reported, n.Total)
	if n.ImbalancePct != nil {
		text += fmt.Sprintf("; the busiest is %s above the mean", quantity.Percent(*n.ImbalancePct))
	}
	return text
}

// summary says what the nodes that have no line are like.
func (n Nodes) summary() string {
	lo, hi, of := n.typical()
	text := fmt.Sprintf("%s: %s .. %s busy CPUs.", quantity.Plural(of, "node"), quantity.Hundredths(lo),
		quantity.Hundredths(hi))
	if of == 0 {
		text = "The busy CPUs of no node are known."
	}
	if len(n.Missing) > 0 {
		text += " No report from: " + some(n.Missing, 8) + "."
	}
	return text
}

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

// countersRemark says what totals are of.
const countersRemark = "totals of the run; of a node: of all that ran there"

func (r Report) ipcText() string {
	return "instructions per clock cycle (IPC) over the run: " + quantity.Figures(*r.IPC, 3)
}
