package job

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"jobgait/analysis/history"
)

// A site's waste is counted by the findings of reports: of one run of each situation the
// history earns those that its report has, as far as its columns tell.
func TestWasteIsWhatReportsFind(t *testing.T) {
	counted := []string{"out_of_memory", "time_limit", "ended_by_signal", "failed", "crowded", "throttled", "stolen", "cpus_idle",
		"files_slow", "start_up_long", "checkpoints_cost", "memory_unused"}
	seen := map[string]bool{}
	for _, c := range situations() {
		db, err := history.Open(t.Context(), filepath.Join(t.TempDir(), "history.db"))
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Put(t.Context(), c.s, history.Ingest{}); err != nil {
			t.Fatal(err)
		}
		site, err := db.Site(t.Context(), c.s.End+60)
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, w := range site.Waste {
			cost := "-"
			if w.LostNodeHours != nil {
				cost = fmt.Sprintf("%.3f", *w.LostNodeHours)
			}
			got, seen[w.Code] = append(got, w.Code+" "+cost), true
		}
		r := c.report()
		for _, f := range r.Findings {
			if slices.Contains(counted, f.Code) {
				cost := "-"
				if f.CostCoreS != nil { // of CPUs that are all of a node's
					cost = fmt.Sprintf("%.3f", *f.CostCoreS/3600*float64(c.s.Job.NNodes)/float64(*c.s.Job.NCPUs))
				}
				want = append(want, f.Code+" "+cost)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) && !slices.Contains([]string{"hung", "node-idle"}, c.name) { // what was idle for a reason that no column has
			t.Errorf("%s: the history has %q, the report %q", c.name, got, want)
		}
		_ = db.Close()
	}
	for _, code := range counted {
		if !seen[code] {
			t.Errorf("no situation earns %s", code)
		}
	}
}
