package change

import (
	"testing"

	"jobgait/analysis/changepoint"
)

func TestDetectable(t *testing.T) {
	of := func(n int, pct float64, runs int) JudgedHistory {
		s := JudgedHistory{Result: changepoint.SeriesResult{Regimes: []changepoint.Regime{{N: n}}}}
		if pct > 0 {
			s.Result.DetectablePct = &pct
		}
		if runs > 0 {
			s.Result.RunsForTenPct = &runs
		}
		return s
	}
	few, some, many := of(6, 0, 14), of(9, 24, 14), of(40, 3.1, 0)
	for _, c := range []struct {
		series []JudgedHistory
		want   string
	}{
		{nil, ""},
		{[]JudgedHistory{of(2, 0, 0)}, ""},
		{[]JudgedHistory{few}, "A change of 10 % needs 14 runs of this level; there are 6."},
		{[]JudgedHistory{many}, "With these runs a change of 3.1 % or more would be reported after 5 more runs in 9 of 10 " +
			"cases."},
		{[]JudgedHistory{some}, "With these runs a change of 24.0 % or more would be reported after 5 more runs in 9 of " +
			"10 cases. " +
			"A change of 10 % needs 14 runs of this level; there are 9."},
		{[]JudgedHistory{few, some, many},
			"With these runs changes of 24.0 % or more (median of 2 histories; the largest 24.0 " +
				"%) would be " +
				"reported after 5 more runs in 9 of 10 cases. Too short or too scattered to show any: 1 history."},
	} {
		if got := (Report{Series: c.series}).Detectable(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
