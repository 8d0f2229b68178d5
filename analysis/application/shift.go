package application

import (
	"math"
	"strings"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/finding"
	"jobgait/analysis/history"
	"jobgait/analysis/table"
)

// ShiftOf returns the levels of a time, in seconds, before and after event e. It returns nil if the level
// returned to what it was, for drifts other than a creep, and for metrics that are not times.
func ShiftOf(in table.Runs, runs []history.Run, found changepoint.SeriesResult, e changepoint.Event) *finding.Shift {
	c := e.Last()
	m, ok := MetricOf(in.Metric)
	if len(e.Changes) > 1 || c.Kind == changepoint.Drift && e.Creep == nil || !ok || m.Unit != "s" {
		return nil
	}
	out := finding.Shift{What: strings.ToUpper(m.Description[:1]) + m.Description[1:]}
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
		out.NodeHours += extraNodeHours(runs[k], out.FromS/now)
	}
	if e.Creep != nil {
		out.LastJob, out.FirstJob = runs[c.Index].DisplayID, runs[len(runs)-1].DisplayID
	} else if last := LastJobWithValue(in.Y, runs, c.Index); last != "" {
		out.LastJob, out.FirstJob = last, runs[c.Index].DisplayID
	}
	return &out
}

// LastJobWithValue returns the identifier of the last job before run number index that has a value in y, "" if
// none exists. Failed jobs have no value and are skipped.
func LastJobWithValue(y []float64, runs []history.Run, index int) string {
	for k := index - 1; k >= 0; k-- {
		if !math.IsNaN(y[k]) {
			return runs[k].DisplayID
		}
	}
	return ""
}

// extraNodeHours returns the node hours that a run took beyond those at its earlier speed; part is the earlier
// time divided by the time now.
func extraNodeHours(r history.Run, part float64) float64 {
	nodes := 1
	if r.NNodes != nil {
		nodes = max(nodes, *r.NNodes)
	}
	return max(0, r.ElapsedS*(1-part)) * float64(nodes) / 3600
}
