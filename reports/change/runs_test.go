package change

import (
	"strings"
	"testing"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/phase"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// melt is a run of 100 s with a loop; b of it differ as edit says.
func melt(id run.JobID, edit func(s *summary.Summary)) summary.Summary {
	s := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "c", JobID: id},
		Job: run.Job{User: "alice", App: "melt", Executable: "melt", NNodes: 4, NodeList: "n[1-4]"}, ElapsedS: 100,
		Exit:     &run.Exit{},
		Patterns: []pattern.Pattern{{ID: "A", Timing: periodicity.Timing{PeriodS: 1}, Instances: 90}},
		Phases: []phase.Phase{{Kind: phase.StartUp, StartS: 0, EndS: 10, Share: .1},
			{Kind: phase.Loop, Pattern: "A", StartS: 10, EndS: 100, Share: .9}}}
	if edit != nil {
		edit(&s)
	}
	return s
}

func runsText(t *testing.T, a, b summary.Summary) string {
	t.Helper()
	var text strings.Builder
	if err := RunsText(&text, CompareRuns(a, b)); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// Two runs are compared field by field and phase by phase.
func TestRunsText(t *testing.T) {
	longer := func(s *summary.Summary) {
		s.ElapsedS, s.Patterns[0].PeriodS = 200, 2
		s.Phases[1].EndS = 200
	}
	got := runsText(t, melt(1, nil), melt(2, longer))
	table := strings.Join(strings.Fields(got), " ")
	for _, want := range []string{"elapsed 100.0 s 200.0 s +100 %", "before cycles 10.00 s 10.00 s 0 %",
		"in steps 90.00 s 190.0 s +111 %"} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if !strings.HasPrefix(got, "Job 2 against job 1: 1:40 more (+100 %): steps +1:40.") ||
		strings.Contains(got, "not runs of one history") {
		t.Error(got)
	}
	if got := runsText(t, melt(2, longer), melt(1, nil)); !strings.HasPrefix(got,
		"Job 1 against job 2: 1:40 less (-50.0 %): steps -1:40.") {
		t.Error(got)
	}
	if got := runsText(t, melt(1, nil), melt(2, nil)); !strings.HasPrefix(got, "Job 2 against job 1: as long.") {
		t.Error(got)
	}
}

// A failed run, or a run of another application, is not a fair comparison.
func TestRunsThatAreNotComparable(t *testing.T) {
	got := runsText(t, melt(1, nil),
		melt(2, func(s *summary.Summary) { s.Exit.Code, s.Job.NNodes, s.Job.User = 1, 8, "bob" }))
	for _, want := range []string{"Job 2 ended: with exit code 1; it may not have done all of its work.",
		"They are not runs of one history: not the same number of nodes and user."} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	got = runsText(t, melt(1, func(s *summary.Summary) { s.Exit.Signal = 15 }),
		melt(2, func(s *summary.Summary) { s.Exit, s.State = nil, "TIMEOUT" }))
	for _, want := range []string{"Job 1 ended: by signal 15;", "Job 2 ended: TIMEOUT;"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := runsText(t, summary.Summary{}, summary.Summary{}); !strings.Contains(got, "not known of both") {
		t.Error(got)
	}
}

// The comparison names the functions whose CPU time differs, the largest difference first.
func TestRunsTextNamesFunctions(t *testing.T) {
	sampled := func(seconds map[string]float64) func(s *summary.Summary) {
		return func(s *summary.Summary) {
			s.Code = &anatomy.Anatomy{Samples: 1000}
			for _, name := range []string{"assemble", "solve", "rare", "precondition"} {
				if v, ok := seconds[name]; ok {
					s.Code.Run.Functions = append(s.Code.Run.Functions,
						anatomy.Share{Function: anatomy.Function{Library: "melt", Name: name}, Share: v / 100, Seconds: v})
				}
			}
		}
	}
	before := melt(1, sampled(map[string]float64{"assemble": 20, "solve": 40, "rare": .5}))
	after := melt(2, sampled(map[string]float64{"assemble": 21, "solve": 80, "rare": 1, "precondition": 10}))
	table := strings.Join(strings.Fields(runsText(t, before, after)), " ")
	want := "CPU time in 1 2 B against A solve 40.00 s 80.00 s +100 % precondition - 10.00 s - " +
		"assemble 20.00 s 21.00 s +5.0 %"
	if !strings.Contains(table, want) || strings.Contains(table, "rare") {
		t.Errorf("no %q in\n%s", want, table)
	}
	if got := runsText(t, before, melt(2, nil)); strings.Contains(got, "CPU time in") {
		t.Error("functions are listed although one run has none\n" + got)
	}
}
