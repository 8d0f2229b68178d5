package reports

import (
	"strings"

	"jobgait/analysis/finding"
	"jobgait/analysis/phase"
)

// newFindings says what limited the run, but for the codes that a site wants silent.
func newFindings(r Report, silent []string) []finding.Finding {
	n := finding.Run{ElapsedS: r.Job.ElapsedS, NNodes: r.Job.NNodes, State: string(r.Job.State), Ended: r.Job.Ended,
		InOrder: len(endVerdict(r)) == 0, Sampled: r.Quality.sampled(), Periodic: r.Rhythm.Periodic, NoPeriod: r.Rhythm.whyText(),
		ImbalancePct: r.Nodes.ImbalancePct, Others: r.across.comparisons()}
	if s := r.Job.ExitSignal; s != nil {
		n.ExitSignal = *s
	}
	if s := r.Rhythm.Stopped; s != nil {
		n.Stopped = s.Text
	}
	r.used(&n)
	for _, m := range r.Nodes.List {
		if m.Reported {
			n.Nodes = append(n.Nodes, finding.Node{Name: cut(m.Name, 40), Busy: m.BusyCPUs, Odd: m.Odd})
		}
	}
	for _, t := range r.Rhythm.Totals {
		switch {
		case !r.Rhythm.Periodic:
		case t.Kind == phase.StartUp:
			n.StartUpS += t.S
		case t.Kind == phase.Checkpoint:
			n.CheckpointS, n.Checkpoints = n.CheckpointS+t.S, n.Checkpoints+t.Count
		}
	}
	if v := driftVerdict(r); len(v) > 0 {
		d := r.Rhythm.drift()
		n.Drift = &finding.Drift{Text: v[0].Text, ChangePct: d.ChangePct, CostS: d.CostS}
	}
	n.Doubt = r.doubt()
	return finding.Of(n, silent)
}

// doubt is what is known against the samples.
func (r Report) doubt() []string {
	var out []string
	nodes := r.Nodes
	nodes.List = nil // which of them are odd is no doubt
	for _, v := range append(nodeVerdicts(nodes), dataVerdicts(r)...) {
		out = append(out, v.Text)
	}
	return out
}

// used puts what the run was given and used. Who else ran on its nodes is not
// measured yet, so that nothing is called crowded.
func (r Report) used(n *finding.Run) {
	u := r.Resources
	n.CPU = finding.CPU{Allocated: u.CPU.Allocated, Busy: u.CPU.Busy, Waiting: u.CPU.Waiting, Throttled: u.CPU.Throttled, Stolen: u.CPU.Stolen}
	if r.Nodes.Reported < r.Nodes.Total { // what is not here would read as idle
		n.CPU = finding.CPU{Allocated: u.CPU.Allocated}
	}
	n.Memory = finding.Memory{Peak: u.Memory.PeakBytes, Requested: u.Memory.RequestedBytes, OOMKills: u.Memory.OOMKills}
	n.LimitS = u.Time.LimitS
	if w := u.IO.WaitingS; w != nil && r.Nodes.Reported > 0 {
		each := *w / float64(r.Nodes.Reported) // it is summed over the nodes
		n.FilesWaitS = &each
	}
}

// comparisons are what the analyses over the user's runs say of this one.
func (a Across) comparisons() []finding.Comparison {
	var out []finding.Comparison
	for _, v := range a.verdicts() {
		out = append(out, finding.Comparison{Text: v.Text, EffectPct: v.EffectPct})
	}
	return out
}

// short is the head of the report: the first findings, then the rhythm in a line.
func (r Report) short() []Verdict {
	var out []Verdict
	for _, f := range finding.Head(r.Findings) {
		level := warning
		if f.Level == finding.Info {
			level = info
		}
		text := f.Text
		if f.Action != nil {
			text = strings.TrimSpace(text + " " + *f.Action)
		}
		out = append(out, Verdict{Level: level, Text: text})
	}
	if r.Rhythm.Periodic {
		out = append(out, rhythmVerdicts(r)...)
	}
	return out
}
