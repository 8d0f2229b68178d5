package summary

import (
	"math"
	"testing"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/phase"
)

// Bounded phases still follow each other without gap or overlap, and regions keep
// their number of instances.
func TestBounds(t *testing.T) {
	var table []phase.Phase
	var q pattern.Pattern
	for i := range 5000 {
		at, gap := float64(i)*10, 0.5+0.4*math.Sin(float64(i))
		table = append(table, phase.Phase{Kind: phase.Loop, Pattern: "A", StartS: at, EndS: at + 10 - gap, Share: (10 - gap) / 50_000},
			phase.Phase{Kind: phase.Gap, StartS: at + 10 - gap, EndS: at + 10, Share: gap / 50_000})
		q.Regions = append(q.Regions, periodicity.Region{StartS: at, EndS: at + 10 - gap, Count: 3})
	}
	got := boundPhases(table, 1000)
	if len(got) > 1002 || len(got) < 900 {
		t.Errorf("%d phases", len(got))
	}
	share, at := 0.0, 0.0
	for _, p := range got {
		if p.StartS != at {
			t.Fatalf("a hole at %v", at)
		}
		share, at = share+p.Share, p.EndS
	}
	if math.Abs(share-1) > 1e-9 || at != 50_000 {
		t.Errorf("share %v to %v", share, at)
	}
	patterns := []pattern.Pattern{q}
	boundRegions(patterns, 1000)
	count := 0
	for _, r := range patterns[0].Regions {
		count += r.Count
	}
	if count != 15_000 || len(patterns[0].Regions) > 1000 {
		t.Errorf("%d instances in %d regions", count, len(patterns[0].Regions))
	}
	if same := boundPhases(table[:10], 1000); len(same) != 10 {
		t.Errorf("%d of 10 phases", len(same))
	}
}
