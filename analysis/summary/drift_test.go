package summary

import (
	"fmt"
	"math"
	"testing"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/phase"
	"jobgait/analysis/series"
)

func TestCorrelation(t *testing.T) {
	x := series.Values{1, 5, 2, 8, 3, 9}
	for name, c := range map[string]struct {
		y    series.Values
		want float64
	}{
		"itself":    {x, 1},
		"scaled":    {series.Values{7, 15, 9, 21, 11, 23}, 1}, // 5 + 2 x
		"turned":    {series.Values{9, 5, 8, 2, 7, 1}, -1},
		"stretched": {series.Values{1, 1, 5, 5, 2, 2, 8, 8, 3, 3, 9, 9}, 1},
		"flat":      {series.Values{4, 4, 4, 4, 4, 4}, 0},
		"empty":     {nil, 0},
		"by hand":   {series.Values{2, 1, 4, 3, 6, 5}, 0.13093},
	} {
		if got := correlation(x, c.y); math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%s: %.5f, want %.5f", name, got, c.want)
		}
	}
	if got := correlation(nil, x); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

// Two loops that take turns more than twice are two parts of a program; one that
// becomes another, or does so for a while, is one that changed.
func TestInterleaved(t *testing.T) {
	at := func(starts ...float64) periodicity.Period {
		var p periodicity.Period
		for _, s := range starts {
			p.Regions = append(p.Regions, periodicity.Region{StartS: s})
		}
		return p
	}
	for _, c := range []struct {
		a, b periodicity.Period
		want bool
	}{
		{at(1, 2), at(3, 4), false}, {at(3, 4), at(1, 2), false}, {at(1, 2, 5, 6), at(3, 4), false},
		{at(1, 3), at(2, 4), true}, {at(2, 4), at(1, 3), true}, {at(1, 2), at(), false},
	} {
		if got := takeTurns(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %v", c.a.Regions, c.b.Regions, got)
		}
	}
}

// An iteration reaches to the next one unless the break is long, holds whole
// iterations that were not recognised, or has no samples.
func TestFilled(t *testing.T) {
	v := make(series.Values, 200)
	v[105] = series.Missing()
	set := series.Set{StepS: 0.1, Columns: []series.Column{{Name: "x", Values: v}}}
	q := periodicity.Period{Timing: periodicity.Timing{PeriodS: 1}}
	for _, in := range [][2]int{{0, 10}, {10, 6}, {20, 10}, {40, 10}, {70, 10}, {80, 9}, {90, 12}, {110, 9}, {122, 10}} {
		q.Instances = append(q.Instances, periodicity.Instance{First: in[0], Length: in[1]})
	}
	// 20: a whole iteration behind it is missing. 40: two are. 90: no samples.
	want := "[10 10 10 10 10 10 12 12 10]"
	var got []int
	for _, in := range withBreaks(q, set) {
		got = append(got, in.Length)
	}
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// Lost work is computed from the use of CPUs if that was sampled, else from the first column.
func TestLost(t *testing.T) {
	good, bad := make(series.Values, 10), make(series.Values, 10)
	bad[4] = series.Missing()
	one := func(name string, v series.Values) series.Column { return series.Column{Name: name, Values: v} }
	for name, c := range map[string]struct {
		cols []series.Column
		a, b int
		want bool
	}{
		"there":           {[]series.Column{one("x", bad)}, 3, 6, true},
		"beside":          {[]series.Column{one("x", bad)}, 5, 9, false},
		"behind":          {[]series.Column{one("x", bad)}, 8, 99, false},
		"of busy CPUs":    {[]series.Column{one("x", good), one(busyColumn, bad)}, 3, 6, true},
		"not of busy":     {[]series.Column{one("x", bad), one(busyColumn, good)}, 3, 6, false},
		"without columns": {nil, 3, 6, false},
	} {
		if got := hasMissing(series.Set{Columns: c.cols}, c.a, c.b); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Steps in one direction that follow each other at once are one, at the time of
// the largest.
func TestStepsAreJoined(t *testing.T) {
	got := stepsOf([]phase.Step{
		{Iteration: 100, TS: 10, EffectPct: 5, BeforeS: 1, AfterS: 1.05},
		{Iteration: 105, TS: 11, EffectPct: 20, BeforeS: 1.05, AfterS: 1.26},
		{Iteration: 110, TS: 12, EffectPct: -10, BeforeS: 1.26, AfterS: 1.134},
		{Iteration: 150, TS: 15, EffectPct: -10, BeforeS: 1.134, AfterS: 1.02},
	})
	want := "[{0 11 26 1 1.26} {0 12 -10 1.26 1.134} {0 15 -10 1.134 1.02}]" // a record has no number of the iteration
	for i := range got {
		got[i].EffectPct = math.Round(1e6*got[i].EffectPct) / 1e6
	}
	if fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}
