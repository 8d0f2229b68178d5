package seff

import (
	"strings"
	"testing"

	"jobgait/agent/job"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	report "jobgait/reports/job"
)

func of[T any](v T) *T { return &v }

func printed(t *testing.T, r Efficiency) string {
	t.Helper()
	var b strings.Builder
	if err := r.Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The lines are those of contribs/seff/seff 2.1 for the same job, read from its source.
func TestLinesOfSeff(t *testing.T) {
	u := job.Usage{JobID: 8, ArrayID: "7_1", Cluster: "c1", User: "alice", Group: "staff", State: "FAILED",
		ExitCode: of(3), Nodes: 2, CPUs: 8, CPUSeconds: of(8.0 * 3600), ElapsedS: 90061.4,
		MemoryUsage: job.MemoryUsage{MemoryBytes: of(1.5 * (1 << 30)), AllocatedBytes: of(4.0 * (1 << 30))}}
	want := `Job ID: 8
Array Job ID: 7_1
Cluster: c1
User/Group: alice/staff
State: FAILED (exit code 3)
Nodes: 2
Cores per node: 4
CPU Utilized: 08:00:00
CPU Efficiency: 4.00% of 8-08:08:08 core-walltime
Job Wall-clock time: 1-01:01:01
Memory Utilized: 1.50 GB
Memory Efficiency: 37.50% of 4.00 GB (2.00 GB/node)
`
	if got := printed(t, Efficiency{Usage: u}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	uneven := u
	uneven.TaskMaxBytes, uneven.TaskMeanBytes, uneven.CPUSeconds = of(1.6e8), of(1e8), of(8.0*3600+.4)
	const task = "The task which had the largest memory consumption differs by 160.00% from the average task max memory " +
		"consumption\n"
	if got := printed(t, Efficiency{Usage: uneven}); got != want+task {
		t.Errorf("got\n%swant\n%s%s", got, want, task)
	}
	u.CPUs, u.Nodes, u.PerCPU, u.State, u.ArrayID = 1, 1, true, "RUNNING", ""
	got := printed(t, Efficiency{Usage: u})
	for _, line := range []string{"State: RUNNING\n", "\nCores: 1\n", "(4.00 GB/core)\n",
		"\nWARNING: Efficiency statistics"} {
		if !strings.Contains(got, line) {
			t.Errorf("no %q in\n%s", line, got)
		}
	}
	u.State = "PENDING"
	if got := printed(t, Efficiency{Usage: u}); !strings.HasSuffix(got,
		"Cores: 1\nEfficiency not available for jobs in the PENDING state.\n") {
		t.Errorf("got\n%s", got)
	}
}

// A stored run has two lines that seff cannot print, and no 0 for what was not measured.
func TestStoredRun(t *testing.T) {
	s := summary.Summary{Key: run.Key{Cluster: "c1", JobID: 8}, Job: run.Job{User: "alice", NNodes: 1, NCPUs: of(2)},
		ElapsedS: 100, End: 100, Exit: &run.Exit{}, State: "COMPLETED", Quality: run.Quality{Scope: "job", Samples: 20000},
		Patterns: []pattern.Pattern{{Timing: periodicity.Timing{PeriodS: 0.5, Coverage: 0.9, Confidence: 0.9},
			Instances: 180}}}
	got := printed(t, EfficiencyOfStored(s))
	for _, line := range []string{"Memory Utilized: not measured\n", "\nCycle: 500 ms, 180 times, 90.0 % of the run\n",
		"\nFinding: "} {
		if !strings.Contains(got, line) {
			t.Errorf("no %q in\n%s", line, got)
		}
	}
	comment, _, err := report.New(s, nil, report.Options{}).Digest().Comment()
	if err != nil {
		t.Fatal(err)
	}
	if got := printed(t, EfficiencyOfAccounting(job.Usage{JobID: 8, Comment: comment})); !strings.Contains(got,
		"\nCycle: 500 ms, 180 times") {
		t.Errorf("the comment is not read:\n%s", got)
	}
}
