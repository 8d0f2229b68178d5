package history

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// Node hours are summed by state, partition and application: those of the window, and never more than 20 applications.
func TestAggregates(t *testing.T) {
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	id := run.JobID(0)
	put := func(app, partition, state string, nodes int, start, hours, busy float64) {
		id++
		cpus := 4 * nodes
		s := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "c", JobID: id}, State: state,
			Job: run.Job{App: app, User: "u", NNodes: nodes, NCPUs: &cpus, Partition: partition}, Start: start,
			End: start + 3600*hours, ElapsedS: 3600 * hours, Exit: &run.Exit{}, Quality: run.Quality{Scope: "job"}}
		for i := range nodes {
			share := busy * 4
			s.Nodes = append(s.Nodes, summary.Node{Name: fmt.Sprint("n", i), Reported: true, BusyCPUs: &share})
		}
		if err := db.Put(t.Context(), s, Ingest{}); err != nil {
			t.Fatal(err)
		}
	}
	const now = 1.8e9
	put("old", "main", "COMPLETED", 1, now-40*86400, 100, 1)
	put("a", "main", "COMPLETED", 2, now-20000, 1, 1)
	put("a", "main", "FAILED", 2, now-10000, 1, 0.1)
	for i := range 30 {
		put(fmt.Sprint("app", i), "long", "", 1, now-9000, 0.5, 1)
	}
	runs, err := db.Runs(t.Context(), Query{App: "a"})
	if err != nil || len(runs) != 2 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	if err := db.PutEvents(t.Context(), runs[0].SeriesID,
		[]ChangeRow{{Metric: "elapsed_s", RunID: runs[0].ID, Kind: "step",
			EffectPct: 25, Causes: "[]"}}, now); err != nil {
		t.Fatal(err)
	}
	a, err := db.Aggregates(t.Context(), now-86400)
	if err != nil {
		t.Fatal(err)
	}
	near := func(x, want float64) bool { return math.Abs(x-want) < 1e-6 }
	if len(a.ByState) != 3 || !near(a.ByState["COMPLETED"], 2) || !near(a.ByState["FAILED"], 2) ||
		!near(a.ByState["UNKNOWN"], 15) {
		t.Errorf("by state %v", a.ByState)
	}
	if m := a.ByPartition["main"]; len(a.ByPartition) != 2 || !near(m.All, 4) || !near(m.Idle, 2) || !near(m.Lost, 0.4) {
		t.Errorf("by partition %v", a.ByPartition)
	}
	sum := 0.0
	for _, h := range a.ByApplication {
		sum += h.All
	}
	if len(a.ByApplication) != 21 || !near(sum, 19) || !near(a.ByApplication["other"].All, 11*0.5) {
		t.Errorf("%v: %v", slices.Collect(maps.Keys(a.ByApplication)), sum)
	}
}
