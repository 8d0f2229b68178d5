package change

import (
	"fmt"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/quantity"
)

// unconfirmed returns what the newest runs within the reported days show that is not a confirmed change yet.
func (s Judged) unconfirmed(o Options) changepoint.Unconfirmed {
	if o.Days > 0 && o.Now-s.at(len(s.T)-1) > o.Days {
		return changepoint.Unconfirmed{}
	}
	return s.Result.Unconfirmed(s.Y, o.MinEffectPct)
}

// WatchSentence says what was seen and is not confirmed, "" if nothing was; last
// names the last run.
func (s Judged) WatchSentence(last string) string {
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

// Once says that only the last run is out of the ordinary: of any hundred
// histories a few are so on every day.
func (s Judged) Once() bool { return s.Unconfirmed.Runs == 1 }

// urgent orders what is to be watched: several runs before one, then the largest.
func (s Judged) urgent() float64 {
	const several = 1e9
	if s.Unconfirmed.Runs > 1 {
		return several + s.Unconfirmed.Pct
	}
	return s.Unconfirmed.Pct
}
