package summary

import (
	"fmt"
	"math"
	"testing"

	"jobgait/analysis/periodicity"
)

// The nearest regions are joined first.
func TestBoundJoinsTheNearest(t *testing.T) {
	periods := []periodicity.Period{
		{Regions: []periodicity.Region{{StartS: 100, EndS: 110, Count: 1}, {StartS: 150, EndS: 190, Count: 2},
			{StartS: 191, EndS: 200, Count: 4}, {StartS: 220, EndS: 221, Count: 8}}}}
	boundRegions(periods, 4)
	if len(periods[0].Regions) != 4 {
		t.Error(periods[0].Regions)
	}
	boundRegions(periods, 2)
	if got := fmt.Sprint(periods[0].Regions); got != "[{100 110 1} {150 221 14}]" {
		t.Error(got)
	}
}

// Joined regions keep their number of instances.
func TestBounds(t *testing.T) {
	var q periodicity.Period
	for i := range 5000 {
		at, gap := float64(i)*10, 0.5+0.4*math.Sin(float64(i))
		q.Regions = append(q.Regions, periodicity.Region{StartS: at, EndS: at + 10 - gap, Count: 3})
	}
	periods := []periodicity.Period{q}
	boundRegions(periods, 1000)
	count := 0
	for _, r := range periods[0].Regions {
		count += r.Count
	}
	if count != 15_000 || len(periods[0].Regions) > 1000 {
		t.Errorf("%d instances in %d regions", count, len(periods[0].Regions))
	}
}
