package change

import (
	"math"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/note"
	"jobgait/analysis/table"
)

func ptr[T any](v T) *T { return &v }

// wave is n values about a level, the same each time: no test needs noise that
// it does not know.
func wave(n int, level float64) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = level * (1 + .01*math.Sin(float64(7*i)))
	}
	return y
}

// firstDay is 1 October 2026.
const firstDay = 20727

// history has a run a day at noon; from run 20 on the level is 15 % higher.
func aHistory(id string) History {
	y := append(wave(20, 50), wave(16, 57.5)...)
	h := History{Runs: table.Runs{Calendar: true, Unit: "s"}}
	h.ID, h.Y, h.T = id, y, make([]float64, len(y))
	for i := range h.T {
		h.T[i] = firstDay + float64(i) + .5
		h.Jobs = append(h.Jobs, string(rune('A'+i%26))+"1")
	}
	h.Meta = map[string][]string{"commit": make([]string, len(y))}
	for i := range y {
		h.Meta["commit"][i] = map[bool]string{false: "4c1d7a2e00", true: "9e66dad100"}[i >= 20]
	}
	return h
}

func step(index int, day, pct float64) changepoint.Change {
	return changepoint.Change{Index: index, T: day, DetectedIndex: index + 3, EffectPct: pct, LoPct: ptr(pct - 1.8),
		HiPct: ptr(pct + 1.8), Level: .95,
		FirstIndex: index, LastIndex: index, FalsePer1000: ptr(.06), Kind: changepoint.Step, Causes: []changepoint.Cause{}}
}

func result(id string, changes ...changepoint.Change) changepoint.SeriesResult {
	r := changepoint.SeriesResult{ID: id, N: 36, Changes: append([]changepoint.Change{}, changes...),
		Regimes:  []changepoint.Regime{{First: 20, Last: 35, N: 16, Mean: 50, Median: 50, SD: .4}},
		Outliers: []int{}, SlowNodes: []changepoint.SlowNode{}, Notes: []note.Note{}}
	return r
}

// everything is a report with one history of each kind.
func everything() ([]History, changepoint.Analysis) {
	slower := step(20, firstDay+20.5, 14.9)
	slower.Causes = []changepoint.Cause{{Field: "binary", From: "4c1d7a2", To: "9e66dad", P: .05},
		{Field: "module.mpi", From: "openmpi/4.1.4", To: "", P: .1}, {Field: "job", From: "1", To: "2", P: 1}}
	changed := result("nemo", slower)
	changed.Regimes = []changepoint.Regime{{First: 0, Last: 19, N: 20, Mean: 50, Median: 50.01, SD: .4},
		{First: 20, Last: 35, N: 16, Mean: 57.5, Median: 57.6, SD: .5}}
	changed.SlowNodes = []changepoint.SlowNode{{Node: "dahu-12", EffectPct: 12.3, P: .008}}

	up, down := step(10, firstDay+10.5, 7), step(14, firstDay+14.5, -6.5)
	up.Group, down.Group, up.Kind, down.Kind = ptr(1), ptr(1), changepoint.Excursion, changepoint.Excursion
	faster := step(30, firstDay+30.5, -20)
	faster.FalsePer1000 = nil
	drift := step(5, firstDay+5.5, 9)
	drift.Kind, drift.EndIndex, drift.LoPct, drift.HiPct = changepoint.Drift, ptr(25), nil, nil

	watch := result("watch")
	watch.Outliers = []int{35}
	watched := aHistory("watch")
	watched.Y[35] = 60
	small := result("small", step(8, firstDay+8.5, 1.2))
	noted := result("quiet")
	noted.Notes = []note.Note{note.New(note.FewRuns, "4 runs are too few to see a change")}

	bad := History{Runs: table.Runs{Bad: true,
		Notes: []note.Note{note.New(note.BadSeries, "t has 2 entries, y has 1: the series is not analysed")}}}
	bad.ID = "bad"
	days := aHistory("days")
	days.Calendar = false
	hs := []History{aHistory("nemo"), aHistory("both"), bad, aHistory("drift"), watched, aHistory("small"),
		aHistory("quiet"), aHistory("calm"), days}
	return hs, changepoint.Analysis{Method: changepoint.Sequential, Expected: .4,
		Series: []changepoint.SeriesResult{changed, result("both", up, down, faster), result("drift", drift), watch, small,
			noted, result("calm"), result("days", step(12, firstDay+12.5, 4))},
		Machine: []changepoint.MachineEvent{{Start: 1790812800, End: ptr(1790813400.), EffectPct: 4.6,
			Series: []string{"nemo", "both", "drift", "small", "calm"}},
			{Start: 1790899200, EffectPct: -3, Series: []string{"nemo", "both", "drift", "small", "calm", "quiet"}}}}
}

func options() Options {
	o := Default()
	o.Now = firstDay + 40
	return o
}
