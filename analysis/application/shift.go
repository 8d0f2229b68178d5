package application

import (
	"math"
	"strings"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/finding"
	"jobgait/analysis/history"
	"jobgait/analysis/table"
)

// ShiftOf is how the level of a time changed with an event of a result of runs, nil where
// it came back, and of what is no time.
func ShiftOf(in table.Runs, runs []history.Run, found changepoint.SeriesResult, e changepoint.Event) *finding.Shift {
	c := e.Last()
	m, ok := MetricOf(in.Metric)
	if len(e.Changes) > 1 || c.Kind == changepoint.Drift && e.Creep == nil || !ok || m.Unit != "s" {
		return nil
	}
	out := finding.Shift{What: strings.ToUpper(m.Say[:1]) + m.Say[1:]}
	if k := e.Creep; k != nil {
		out.FromS, out.ToS = k.From, k.To
	}
	for i, g := range found.Regimes {
		if e.Creep == nil && g.First == c.Index && i > 0 {
			out.FromS, out.ToS = found.Regimes[i-1].Mean, g.Mean
		}
	}
	if !(out.FromS > 0) || !(out.ToS > 0) || math.IsInf(out.FromS+out.ToS, 0) {
		return nil
	}
	for k := c.Index; k < len(runs); k++ {
		if math.IsNaN(in.Y[k]) {
			continue
		}
		out.Runs++
		now := out.ToS
		if e.Creep != nil {
			now = in.Y[k]
		}
		out.NodeHours += more(runs[k], out.FromS/now)
	}
	if e.Creep != nil {
		out.LastJob, out.FirstJob = runs[c.Index].DisplayID, runs[len(runs)-1].DisplayID
	} else if last := JobBefore(in.Y, runs, c.Index); last != "" {
		out.LastJob, out.FirstJob = last, runs[c.Index].DisplayID
	}
	return &out
}

// JobBefore is the last job before a run that has a value y: one that failed is nothing
// to compare with.
func JobBefore(y []float64, runs []history.Run, index int) string {
	for k := index - 1; k >= 0; k-- {
		if !math.IsNaN(y[k]) {
			return runs[k].DisplayID
		}
	}
	return ""
}

// more is what a run took beyond what it would have, in node hours: part is its time as
// it was before, of its time now.
func more(r history.Run, part float64) float64 {
	nodes := 1
	if r.NNodes != nil {
		nodes = max(nodes, *r.NNodes)
	}
	return max(0, r.ElapsedS*(1-part)) * float64(nodes) / 3600
}
