package finding

import (
	"fmt"

	q "jobgait/analysis/quantity"
)

// hung is a run that made no cycle any more when somebody ended it. One that ended by
// itself had something to wait for.
func hung(r RunFacts) []Finding {
	if r.InOrder || r.SilentS <= 0 || r.SilentS > r.ElapsedS {
		return nil
	}
	end := "it ended"
	switch {
	case endedAtLimit(r):
		end = "its time limit ended it"
	case r.State == "CANCELLED", r.State == "" && (r.ExitSignal == 15 || r.ExitSignal == 9 || r.ExitSignal == 2):
		end = "it was cancelled"
	}
	hours := r.SilentS / 3600 * float64(max(1, r.NNodes))
	f := one(fmt.Sprintf("No cycle for the last %s before %s, its processes %s: it seems to have hung, which cost %s "+
		"node hours.",
		q.Duration(r.SilentS), end, r.Doing, q.Figures(hours, 2)),
		map[string]any{"silent_s": r.SilentS, "doing": r.Doing, "node_hours": hours})
	if r.ElapsedS > 0 {
		f[0].CostCoreS = r.share(r.SilentS / r.ElapsedS)
	}
	return f
}
