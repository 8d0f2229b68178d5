package history

import (
	"testing"

	"jobgait/analysis/run"
)

// TestRunsOfACommandHaveAFinalState selects runs by state: runs of `jobgait run` have the one
// that their exit code gives, other runs only the scheduler's.
func TestRunsOfACommandHaveAFinalState(t *testing.T) {
	db := open(t)
	for id, x := range map[int64]struct {
		cluster, state string
		exit           *run.Exit
	}{
		1: {run.LocalCluster + "a", "", &run.Exit{}}, 2: {run.LocalCluster + "a", "", &run.Exit{Code: 1}},
		3: {run.LocalCluster + "a", "", &run.Exit{Signal: 11}}, 4: {run.LocalCluster + "a", "", nil},
		5: {"hpc", "", &run.Exit{Code: 1}}, 6: {"hpc", "FAILED", &run.Exit{Code: 1}},
	} {
		s := oneNode(id)
		s.Key.Cluster, s.State, s.Exit = x.cluster, x.state, x.exit
		mustPut(t, db, s, Ingest{NowS: t0})
	}
	failed := Query{Failed: true}
	if runs, err := db.Runs(t.Context(), failed); err != nil || len(runs) != 4 {
		t.Errorf("failed: %d runs, %v", len(runs), err)
	} else {
		for _, r := range runs {
			if r.EndedNormally() {
				t.Errorf("job %d ended normally", r.JobID)
			}
		}
	}
	for _, c := range []struct {
		q    Query
		want int
	}{{failed, 4}, {Query{Limit: 1}, 6}, {Query{Cluster: "hpc", Failed: true}, 2}, {Query{User: "nemo"}, 0}} {
		if n, err := db.Count(t.Context(), c.q); err != nil || n != c.want {
			t.Errorf("%+v: %d runs, %v, want %d", c.q, n, err, c.want)
		}
	}
	for state, want := range map[string][]run.JobID{"FAILED": {6, 3, 2}, "COMPLETED": {1}, "TIMEOUT": nil} {
		runs, err := db.Runs(t.Context(), Query{State: state})
		if err != nil || len(runs) != len(want) {
			t.Fatalf("%s: %d runs, %v, want %v", state, len(runs), err, want)
		}
		for i, r := range runs {
			if r.JobID != want[i] || r.FinalState() != state {
				t.Errorf("%s: job %d with state %q", state, r.JobID, r.FinalState())
			}
		}
	}
}
