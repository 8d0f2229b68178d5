package application

import (
	"math"
	"testing"

	"jobgait/analysis/history"
	"jobgait/analysis/run"
)

// madeRuns are runs of a loop of 2 s with a minute of other work, newest first.
func madeRuns(cycles ...int) []history.Run {
	var runs []history.Run
	for _, n := range cycles {
		period := 2.0
		runs = append(runs, history.Run{Iterations: &n, PeriodS: &period, ElapsedS: 60 + 2*float64(n), Exit: &run.Exit{}})
	}
	return runs
}

func TestUsualNeedsThreeRunsThatAgree(t *testing.T) {
	failed, unknown := madeRuns(1000), madeRuns(1000)
	failed[0].Exit, unknown[0].Iterations = &run.Exit{Code: 1}, nil
	cancelled := madeRuns(1000)
	cancelled[0].State = "CANCELLED"
	old := append(madeRuns(1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000), madeRuns(5)...)
	for _, c := range []struct {
		name    string
		runs    []history.Run
		periodS float64
		want    UsualCycles
		ok      bool
	}{
		{"none", nil, 2, UsualCycles{}, false},
		{"two", madeRuns(1000, 1000), 2, UsualCycles{}, false},
		{"three", madeRuns(1000, 1000, 1000), 2, UsualCycles{3, 1000, 1000, 1000, 60, 60, 60}, true},
		{"within two percent", madeRuns(1000, 1010, 1020), 2, UsualCycles{3, 1000, 1010, 1020, 60, 60, 60}, true},
		{"beyond two percent", madeRuns(1000, 1010, 1021), 2, UsualCycles{}, false},
		{"one failed", append(madeRuns(1000, 1000), failed...), 2, UsualCycles{}, false},
		{"one was cancelled", append(madeRuns(1000, 1000), cancelled...), 2, UsualCycles{}, false},
		{"one without a loop", append(madeRuns(1000, 1000), unknown...), 2, UsualCycles{}, false},
		{"those are left out", append(failed, append(cancelled, madeRuns(1000, 1000, 1000)...)...), 2,
			UsualCycles{3, 1000, 1000, 1000, 60, 60, 60}, true},
		{"long ago it was another input", old, 2, UsualCycles{10, 1000, 1000, 1000, 60, 60, 60}, true},
		{"slower today", madeRuns(1000, 1000, 1000), 2.9, UsualCycles{3, 1000, 1000, 1000, 60, 60, 60}, true},
		{"half of the loop", madeRuns(1000, 1000, 1000), 1, UsualCycles{}, false},
		{"two of the loop", madeRuns(1000, 1000, 1000), 4, UsualCycles{}, false},
		{"no period", madeRuns(1000, 1000, 1000), math.NaN(), UsualCycles{}, false},
	} {
		got, ok := UsualCyclesOfRuns(c.runs, c.periodS)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%s: %+v, %v", c.name, got, ok)
		}
	}
}

func TestEnds(t *testing.T) {
	usual := UsualCycles{3, 1000, 1000, 1000, 60, 60, 60}
	spread := UsualCycles{3, 990, 1000, 1010, 50, 60, 70}
	for _, c := range []struct {
		name       string
		u          UsualCycles
		p          Progress
		lo, at, hi float64
	}{
		{"as usual", usual, Progress{100, 20, 220, 2, 2, 2}, 2060, 2060, 2060},
		{"ten cycles were not counted", usual, Progress{100, 40, 240, 2, 2, 2}, 2060, 2060, 2060},
		{"the interval of the period", usual, Progress{100, 20, 220, 2, 1.9, 2.2}, 1970, 2060, 2240},
		{"the interval of the runs", spread, Progress{100, 20, 220, 2, 0, 0}, 2030, 2060, 2090},
		{"a pause is a part of the rest", usual, Progress{100, 20, 250, 2, 2, 2}, 2060, 2060, 2060},
		{"pauses longer than usual", usual, Progress{100, 20, 420, 2, 2, 2}, 2200, 2200, 2200},
		{"faster than before", usual, Progress{100, 20, 220, 1, 1, 1}, 1100, 1100, 1100},
		{"all of them made", usual, Progress{1000, 20, 2020, 2, 2, 2}, 2060, 2060, 2060},
		{"the user says", UsualCyclesFromUser(1000, Progress{100, 20, 220, 2, 2, 2}), Progress{100, 20, 220, 2, 2, 2}, 2000,
			2010,
			2020},
	} {
		lo, at, hi, ok := EstimateEnd(c.u, c.p)
		for k, pair := range [][2]float64{{lo, c.lo}, {at, c.at}, {hi, c.hi}} {
			if !ok || math.Abs(pair[0]-pair[1]) > 1e-6 {
				t.Errorf("%s: %d is %v, want %v", c.name, k, pair[0], pair[1])
			}
		}
	}
	for name, p := range map[string]Progress{"no period": {Cycles: 5},
		"more cycles than ever": {1021, 20, 2100, 2, 2, 2}} {
		if _, at, _, ok := EstimateEnd(usual, p); ok {
			t.Errorf("%s: %v", name, at)
		}
	}
}
