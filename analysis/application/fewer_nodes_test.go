package application

import (
	"testing"

	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

func TestFewerNodes(t *testing.T) {
	runs := func(size string, nodes, n int, step float64, exit *run.Exit) history.ApplicationRuns {
		h := history.ApplicationRuns{Cluster: "hpc", User: "alice", App: "nemo", Shape: "x"}
		for range n {
			nodes, step := nodes, step
			h.Runs = append(h.Runs, history.Run{NNodes: &nodes, Size: size, StepS: &step, Exit: exit})
		}
		return h
	}
	runOf := func(size string, step float64) summary.Summary {
		return summary.Summary{Key: run.Key{Cluster: "hpc", JobID: 1}, StepS: &step,
			Job: run.Job{App: "nemo", User: "alice", NNodes: 16, Size: size}}
	}
	failed := &run.Exit{Code: 1}
	for name, c := range map[string]struct {
		stored []history.ApplicationRuns
		run    summary.Summary
		fewer  int
	}{
		"four do as much each hour as sixteen": {[]history.ApplicationRuns{runs("L", 4, 3, 1.9, nil),
			runs("L", 8, 3, 1.9, nil)}, runOf("L", 1), 4},
		"the most that are enough": {[]history.ApplicationRuns{runs("L", 2, 3, 3, nil),
			runs("L", 4, 3, 1.5, nil)}, runOf("L", 1), 4},
		"sixteen do it in a quarter": {[]history.ApplicationRuns{runs("L", 4, 5, 4, nil)}, runOf("L", 1), 0},
		"of another size":            {[]history.ApplicationRuns{runs("S", 4, 5, 1, nil)}, runOf("L", 1), 0},
		"unknown size":               {[]history.ApplicationRuns{runs("", 4, 5, 1, nil)}, runOf("", 1), 0},
		"two runs":                   {[]history.ApplicationRuns{runs("L", 4, 2, 1, nil)}, runOf("L", 1), 0},
		"runs that failed":           {[]history.ApplicationRuns{runs("L", 4, 5, 1, failed)}, runOf("L", 1), 0},
		"more nodes":                 {[]history.ApplicationRuns{runs("L", 32, 5, .1, nil)}, runOf("L", 1), 0},
	} {
		got := FewerNodes(c.stored, c.run)
		if (got == nil) != (c.fewer == 0) || got != nil && (got.Fewer != c.fewer || got.Nodes != 16 || got.StepS != 1) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
