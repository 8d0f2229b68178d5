package finding

import (
	"fmt"

	q "jobgait/analysis/quantity"
)

// hung is a run that did nothing any more when somebody ended it. One that ended by itself had something to wait for.
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

// idleSince is a run without a loop whose processes slept up to its end, in order or not.
func idleSince(r RunFacts) []Finding {
	if !r.Idle {
		return nil
	}
	return silent(r, fmt.Sprintf("None of its processes ran for the last %s before %s: they were %s, and its nodes idle",
		q.Duration(r.SilentS), endOf(r), r.Doing))
}

// silent is a finding of a run that did nothing before it ended.
func silent(r RunFacts, text string) []Finding {
	if r.SilentS <= 0 || r.SilentS > r.ElapsedS {
		return nil
	}
	hours := r.SilentS / 3600 * float64(max(1, r.NNodes))
	f := one(fmt.Sprintf("%s, which cost %s node hours.", text, q.Figures(hours, 2)),
		map[string]any{"silent_s": r.SilentS, "doing": r.Doing, "node_hours": hours})
	if r.Stacks != "" {
		f[0].Text += " When last seen: " + r.Stacks
		f[0].Evidence["stacks"] = r.Stacks
	}
	f[0].CostCoreS = r.share(r.SilentS / r.ElapsedS)
	return f
}

// endOf says who ended the run.
func endOf(r RunFacts) string {
	switch {
	case endedAtLimit(r):
		return "its time limit ended it"
	case r.State == "CANCELLED", r.State == "" && (r.ExitSignal == 15 || r.ExitSignal == 9 || r.ExitSignal == 2):
		return "it was cancelled"
	}
	return "it ended"
}
