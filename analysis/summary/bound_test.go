package summary

import (
	"fmt"
	"math"
	"testing"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/phase"
)

// Only a gap between two stretches of one loop becomes part of it, and of regions
// the nearest are joined.
func TestBoundJoinsWhatIsOne(t *testing.T) {
	at := 0.0
	add := func(table []phase.Phase, kind phase.Kind, id string, s float64) []phase.Phase {
		table = append(table, phase.Phase{Kind: kind, Pattern: id, StartS: at, EndS: at + s})
		at += s
		return table
	}
	var table []phase.Phase
	for _, p := range []struct {
		kind phase.Kind
		id   string
		s    float64
	}{{phase.Loop, "A", 10}, {phase.Gap, "", 1}, {phase.Loop, "B", 10}, {phase.Gap, "", 3}, {phase.Loop, "B", 10}, {phase.Gap, "", 2}, {phase.Loop, "B", 10}, {phase.Gap, "", 1}, {phase.Tail, "", 5}} {
		table = add(table, p.kind, p.id, p.s)
	}
	if got := boundPhases(table, 7); len(got) != 7 || got[4].Pattern != "B" || got[4].EndS-got[4].StartS != 22 {
		t.Errorf("the shortest gap within a loop: %+v", got)
	}
	if got := boundPhases(table, 1); len(got) != 5 || got[2].EndS-got[2].StartS != 35 {
		t.Errorf("no gap is left within a loop: %+v", got)
	}
	patterns := []pattern.Pattern{{Regions: []periodicity.Region{{StartS: 100, EndS: 110, Count: 1}, {StartS: 150, EndS: 190, Count: 2}, {StartS: 191, EndS: 200, Count: 4}, {StartS: 220, EndS: 221, Count: 8}}}}
	boundRegions(patterns, 2)
	if got := fmt.Sprint(patterns[0].Regions); got != "[{100 110 1} {150 221 14}]" {
		t.Error(got)
	}
}

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
