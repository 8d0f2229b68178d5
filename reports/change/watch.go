package change

import (
	"fmt"

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
	switch {
	case u.Runs == 0:
		return ""
	case u.Runs == 1:
		return fmt.Sprintf("%s is %s: seen once, not confirmed.", last, what)
	case u.Least:
		what += " or more"
	}
	return fmt.Sprintf("The last %d runs are %s: not confirmed yet.", u.Runs, what)
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
