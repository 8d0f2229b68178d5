package summary

import (
	"cmp"
	"slices"

	"jobgait/analysis/run"
)

// sumSleeps returns the sums of the nodes' sleep by cause, the longest first. A cause that is not in run.SleepCauses
// counts as run.SleepOther.
func sumSleeps(records []NodeRecord) (out []run.Sleep) {
	for _, r := range records {
		for _, s := range r.Sleeps {
			if !slices.Contains(run.SleepCauses(), s.Cause) {
				s.Cause = run.SleepOther
			}
			i := slices.IndexFunc(out, func(o run.Sleep) bool { return o.Cause == s.Cause })
			if i < 0 {
				out = append(out, s)
				continue
			}
			out[i].S += s.S
		}
	}
	slices.SortStableFunc(out, func(a, b run.Sleep) int { return cmp.Compare(b.S, a.S) })
	return out
}
