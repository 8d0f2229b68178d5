package job

import (
	"slices"
	"testing"

	"jobgait/analysis/finding"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// A run that was killed after half of it was idle is reported as idle from there on; one that was busy to its
// end is not.
func TestQuietEndOfAKilledRun(t *testing.T) {
	for name, quiet := range map[string]bool{"idle half": true, "busy to its end": false} {
		s := stopped(flat(note.NotTracked, "x", 1.5), "", 15, 0)
		i := slices.IndexFunc(s.Timeline.Columns, func(c summary.TimelineColumn) bool { return c.Name == busyColumn })
		if i < 0 {
			t.Fatal("the fixture has no busy CPUs")
		}
		mean := slices.Clone(s.Timeline.Columns[i].Mean)
		for k := len(mean) / 2; quiet && k < len(mean); k++ {
			mean[k] = 0
		}
		mean[len(mean)-1] = 0.5 // the end itself takes CPU time
		s.Timeline.Columns[i].Mean = mean
		found := New(s, nil, options()).Findings
		if got := slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Code == "idle_since" }); got != quiet {
			t.Errorf("%s: findings are %+v", name, found)
		}
	}
}
