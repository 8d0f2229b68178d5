package job

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"jobgait/analysis/history"
)

// The history stores the findings of reports: for one run of each situation the question
// week_waste returns those of the report, without comparisons with other runs and doubts.
func TestWasteEqualsTheFindings(t *testing.T) {
	counted := []string{"out_of_memory", "time_limit", "ended_by_signal", "failed", "crowded", "throttled", "stolen",
		"cpus_idle",
		"files_slow", "start_up_long", "checkpoints_cost", "memory_unused"}
	seen := map[string]bool{}
	for _, c := range situations() {
		c.s = divided(c.s)
		db, err := history.Open(t.Context(), filepath.Join(t.TempDir(), "history.db"))
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Put(t.Context(), c.s, history.Ingest{Findings: Findings}); err != nil {
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
			_, compared := f.Evidence["effect_pct"]
			if !compared && !slices.Contains([]string{"too_many_nodes", "no_period", "not_sampled", "partly_sampled"}, f.Code) {
				cost := "-"
				if f.CostCoreS != nil { // of CPUs that are all of a node's
					cost = fmt.Sprintf("%.3f", *f.CostCoreS/3600*float64(c.s.Job.NNodes)/float64(*c.s.Job.NCPUs))
				}
				want = append(want, f.Code+" "+cost)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
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

// BenchmarkFindings is what the findings add to putting a run into the history.
func BenchmarkFindings(b *testing.B) {
	all := situations()
	for i := 0; b.Loop(); i++ {
		Findings(all[i%len(all)].s)
	}
}
