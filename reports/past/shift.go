package past

import (
	"math"
	"strings"

	"jobgait/analysis/application"
	"jobgait/analysis/changepoint"
	"jobgait/analysis/finding"
	"jobgait/analysis/history"
	"jobgait/reports/change"
)

// shiftOf is how the level of a time changed, nil where it came back, and of what is no
// time.
func shiftOf(s change.Judged, e change.Event, runs []history.Run) *finding.Shift {
	c := e.Last()
	m, ok := application.MetricOf(s.Metric)
	if len(e.Changes) > 1 || c.Kind == changepoint.Drift && e.Creep == nil || !ok || m.Unit != "s" {
		return nil
	}
	out := finding.Shift{What: strings.ToUpper(m.Say[:1]) + m.Say[1:]}
	if k := e.Creep; k != nil {
		out.FromS, out.ToS = k.From, k.To
	}
	for i, g := range s.Regimes {
		if e.Creep == nil && g.First == c.Index && i > 0 {
			out.FromS, out.ToS = s.Regimes[i-1].Mean, g.Mean
		}
	}
	if !(out.FromS > 0) || !(out.ToS > 0) || math.IsInf(out.FromS+out.ToS, 0) {
		return nil
	}
	for k := c.Index; k < len(s.Y) && k < len(runs); k++ {
		if math.IsNaN(s.Y[k]) {
			continue
		}
		out.Runs++
		now := out.ToS
		if e.Creep != nil {
			now = s.Y[k]
		}
		out.NodeHours += more(runs[k], out.FromS/now)
	}
	if n := len(s.Jobs); e.Creep != nil && n > 0 {
		out.LastJob, out.FirstJob = s.Jobs[c.Index], s.Jobs[n-1]
	} else if last := jobBefore(s, c.Index); last != "" {
		out.LastJob, out.FirstJob = last, s.Jobs[c.Index]
	}
	return &out
}

// jobBefore is the last job before a run that has a value: one that failed is nothing to
// compare with.
func jobBefore(s change.Judged, index int) string {
	for k := index - 1; k >= 0 && index < len(s.Jobs); k-- {
		if !math.IsNaN(s.Y[k]) {
			return s.Jobs[k]
		}
	}
	return ""
}

// unknown are the newest events up to one that somebody has acknowledged.
func unknown(events []change.Event) []changepoint.Event {
	var out []changepoint.Event
	for _, e := range events {
		if e.Known {
			break
		}
		out = append(out, e.Event)
	}
	return out
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

// compared is the command that compares two jobs, "" where one is not known.
func compared(a, b string) string {
	if a == "" || b == "" || a == b {
		return ""
	}
	return "jobgait compare " + a + " " + b
}
