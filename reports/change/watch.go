package change

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/quantity"
)

// unconfirmed returns the deviation of the newest runs that is not yet a confirmed change, if it lies in the
// reported days.
func (s JudgedHistory) unconfirmed(o Options) changepoint.Unconfirmed {
	if o.Days > 0 && o.Now-s.at(len(s.T)-1) > o.Days {
		return changepoint.Unconfirmed{}
	}
	return s.Result.Unconfirmed(s.Y, o.MinEffectPct)
}

// WatchSentence returns a sentence on the unconfirmed deviation, "" if none exists; last names the last run.
func (s JudgedHistory) WatchSentence(last string) string {
	u := s.Unconfirmed
	what := quantity.Percent(u.Pct) + " " + s.direction(u.Pct) + " than usual"
	if u.Least && u.Runs > 1 {
		what += " or more"
	}
	changed := s.changedBefore(s.firstOfNewest(u.Runs))
	switch {
	case u.Runs == 0:
		return ""
	case u.Runs == 1 && changed != "":
		return fmt.Sprintf("%s is %s, and %s changed before it: seen once, not confirmed.", last, what, changed)
	case u.Runs == 1:
		return fmt.Sprintf("%s is %s: seen once, not confirmed.", last, what)
	case changed != "":
		what += ", and " + changed + " changed before the first of them"
	}
	return fmt.Sprintf("The last %d runs are %s: not confirmed yet.", u.Runs, what)
}

// firstOfNewest returns the index of the first of the n newest runs with a value, -1 for fewer.
func (s JudgedHistory) firstOfNewest(n int) int {
	for i, v := range slices.Backward(s.Y) {
		if math.IsNaN(v) {
			continue
		}
		if n--; n == 0 {
			return i
		}
	}
	return -1
}

// changedBefore names the recorded fields, apart from the nodes, that have a value in run k that no run before has, and
// keep it in all runs since; "" for none, or if the run before has no value.
func (s JudgedHistory) changedBefore(k int) string {
	if k < 1 {
		return ""
	}
	var names []string
	for _, field := range slices.Sorted(maps.Keys(s.Meta)) {
		v := s.Meta[field]
		name := fieldName(field)
		if k >= len(v) || v[k] == "" || v[k-1] == "" || slices.Contains(v[:k], v[k]) || name == "the nodes" ||
			slices.Contains(names, name) || slices.ContainsFunc(v[k:], func(x string) bool { return x != v[k] }) {
			continue
		}
		names = append(names, name)
	}
	return strings.Join(names, " and ")
}

// OnlyLastRun reports whether only the last run deviates: of any hundred histories a few do so on any day.
func (s JudgedHistory) OnlyLastRun() bool { return s.Unconfirmed.Runs == 1 }

// urgency returns the sort key of histories to watch: several runs before one, then the largest deviation.
func (s JudgedHistory) urgency() float64 {
	const several = 1e9
	if s.Unconfirmed.Runs > 1 {
		return several + s.Unconfirmed.Pct
	}
	return s.Unconfirmed.Pct
}
