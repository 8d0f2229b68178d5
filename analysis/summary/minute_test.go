package summary

import (
	"math"
	"testing"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// A timeline of 20 minutes hides cycles of 1.1 s. In the minute each cycle covers many bins, and all of them are
// visible.
func TestMinuteShowsCycles(t *testing.T) {
	const periodS = 1.1
	set := loopSet(240_000, loopPlan{periodS: periodS, seed: 3})
	p := []pattern.Pattern{{Timing: periodicity.Timing{PeriodS: periodS}, ValuesColumn: busyColumn,
		Regions: []periodicity.Region{{StartS: 5, EndS: 90}, {StartS: 100, EndS: 1200}}}}
	line := decimate(set, timelineColumns(set), 960)
	m := minuteOf(set, line, p)
	if m == nil || len(m.Columns) != 2 || m.Columns[0].Name != busyColumn {
		t.Fatalf("%+v", m)
	}
	v := m.Columns[0].Mean
	spanS := m.StepS * float64(len(v))
	if mid := m.StartS + spanS/2; math.Abs(mid-650) > 1 || math.Abs(spanS-mostCycles*periodS) > 0.1 ||
		periodS/m.StepS < 20 {
		t.Errorf("%g s around %g s in steps of %g s", spanS, mid, m.StepS)
	}
	falls := 0
	for i := 1; i < len(v); i++ {
		if v[i-1] > 2 && v[i] <= 2 {
			falls++
		}
	}
	if falls < mostCycles-1 || falls > mostCycles+1 {
		t.Errorf("%d cycles of %d are seen", falls, mostCycles)
	}
}

func TestMinuteOnlyWhereItShowsMore(t *testing.T) {
	of := func(n int, periodS float64) *Timeline {
		set := loopSet(n, loopPlan{periodS: 1, seed: 3})
		var p []pattern.Pattern
		if periodS > 0 {
			p = []pattern.Pattern{{Timing: periodicity.Timing{PeriodS: periodS}, ValuesColumn: busyColumn}}
		}
		return minuteOf(set, decimate(set, timelineColumns(set), 960), p)
	}
	for _, c := range []struct {
		samples int
		periodS float64
		want    bool
	}{{240_000, 1.1, true}, {240_000, 0.02, true}, {240_000, 40, false}, {240_000, 0, true}, {4000, 1.1, false},
		{4000, 0, false}, {1, 0, false}, {0, 0, false}} {
		m := of(c.samples, c.periodS)
		if (m != nil) != c.want {
			t.Errorf("%d samples, period %g s: %+v", c.samples, c.periodS, m)
		}
		if m != nil && (len(m.Columns[0].Mean) > minuteBins || len(m.Columns[0].Mean) < 2) {
			t.Errorf("%d samples, period %g s: %d bins", c.samples, c.periodS, len(m.Columns[0].Mean))
		}
	}
}

// A damaged minute is rejected, like a damaged timeline.
func TestMinuteIsChecked(t *testing.T) {
	r := valid()
	r.Minute = nil
	if err := r.Valid(now); err != nil {
		t.Error(err)
	}
	r.Minute = &Timeline{StepS: math.NaN()}
	if r.Valid(now) == nil {
		t.Error("a step that is no number passes")
	}
	r.Minute = &Timeline{Columns: []TimelineColumn{{Mean: series.Values{1}}}}
	if r.Valid(now) == nil {
		t.Error("a column without its least and largest passes")
	}
}
