package finding

import (
	"fmt"

	q "jobgait/analysis/quantity"
)

// hung finds runs that did nothing any more when they were ended from outside. A run that ended by itself was
// waiting for something.
func hung(r RunFacts) []Finding {
	if r.InOrder || r.Idle {
		return nil
	}
	missing := "No cycle"
	if r.NoLoop {
		missing = "None of its own code ran"
	}
	return silent(r, fmt.Sprintf("%s for the last %s before %s, its processes %s: it seems to have hung", missing,
		q.Duration(r.SilentS), endOf(r), r.Doing))
}

// idleSince finds runs without a loop whose processes slept until its end, whether or not the run ended in
// order.
func idleSince(r RunFacts) []Finding {
	if !r.Idle {
		return nil
	}
	return silent(r, fmt.Sprintf("None of its processes ran for the last %s before %s: they were %s, and its nodes idle",
		q.Duration(r.SilentS), endOf(r), r.Doing))
}

// silent returns the finding, with the given text, of a run that did nothing before it ended; nil if its
// silence is unknown.
func silent(r RunFacts, text string) []Finding {
	if r.SilentS <= 0 || r.SilentS > r.ElapsedS {
		return nil
	}
	hours := r.SilentS / 3600 * float64(max(1, r.NNodes))
	f := single(fmt.Sprintf("%s, which cost %s node hours.", text, q.Figures(hours, 2)),
		map[string]any{"silent_s": r.SilentS, "doing": r.Doing, "node_hours": hours})
	if r.Stacks != "" {
		f[0].Text += " When last seen: " + r.Stacks
		f[0].Evidence["stacks"] = r.Stacks
	}
	f[0].CostCoreS = r.costOf(r.SilentS / r.ElapsedS)
	return f
}

// endOf returns how the run ended, as part of a sentence: at its time limit, cancelled, or otherwise.
func endOf(r RunFacts) string {
	switch {
	case endedAtLimit(r):
		return "its time limit ended it"
	case r.State == "CANCELLED", r.State == "" && (r.ExitSignal == 15 || r.ExitSignal == 9 || r.ExitSignal == 2):
		return "it was cancelled"
	}
	return "it ended"
}
