package change

import (
	"fmt"
	"slices"

	"jobgait/analysis/quantity"
)

// Detectable says how large a change the runs of a history would show, or how many runs it needs; "" where
// neither is known.
func (s JudgedHistory) Detectable() string {
	pct, runs := s.Result.DetectablePct, s.Result.RunsForTenPct
	var text string
	if pct != nil {
		text = fmt.Sprintf("With these runs a change of %s or more would be reported after 5 more runs in 9 of 10 cases.",
			quantity.Percent(*pct))
	}
	if runs == nil {
		return text
	}
	more := fmt.Sprintf("A change of 10 %% needs %s of this level; there are %d.", quantity.Plural(*runs, "run"),
		s.levelRuns())
	if text == "" {
		return more
	}
	return text + " " + more
}

// levelRuns returns the number of runs at the newest level of a history.
func (s JudgedHistory) levelRuns() int {
	if n := len(s.Result.Regimes); n > 0 {
		return s.Result.Regimes[n-1].N
	}
	return s.Values()
}

// Detectable says how large a change the histories would show; for several histories it gives the median.
func (r Report) Detectable() string {
	var pct []float64
	judged, last := 0, JudgedHistory{}
	for _, s := range r.Series {
		if s.Support {
			continue
		}
		judged, last = judged+1, s
		if p := s.Result.DetectablePct; p != nil {
			pct = append(pct, *p)
		}
	}
	switch {
	case judged == 1:
		return last.Detectable()
	case len(pct) == 0:
		return ""
	}
	slices.Sort(pct)
	text := fmt.Sprintf("With these runs changes of %s or more (median of %d histories; the largest %s) would be "+
		"reported after 5 more runs in 9 of 10 cases.",
		quantity.Percent(pct[len(pct)/2]), len(pct), quantity.Percent(pct[len(pct)-1]))
	if n := judged - len(pct); n > 0 {
		text += fmt.Sprintf(" Too short or too scattered to show any: %s.", quantity.Plural(n, "history"))
	}
	return text
}
