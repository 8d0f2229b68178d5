package change

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"jobgait/analysis/changepoint"
)

// The number expected by chance is printed for changes whose noise is known, together with the number of
// others; further metrics of the same runs do not count.
func TestExpected(t *testing.T) {
	known, unknown := changepoint.Change{FalsePer1000: ptr(.05)}, changepoint.Change{}
	of := func(support bool, c ...changepoint.Change) JudgedHistory {
		return JudgedHistory{History: History{Support: support}, Result: changepoint.SeriesResult{Changes: c}}
	}
	for name, c := range map[string]struct {
		series []JudgedHistory
		chance float64
		told   bool
	}{
		"known":          {[]JudgedHistory{of(false, known, known)}, 1.2, true},
		"some unknown":   {[]JudgedHistory{of(false, known, unknown), of(false, unknown)}, 2.4, true},
		"all unknown":    {[]JudgedHistory{of(false, unknown)}, 1, false},
		"known besides":  {[]JudgedHistory{of(false, unknown), of(true, known)}, 1, false},
		"unknown aside":  {[]JudgedHistory{of(false, known), of(true, unknown)}, 2.4, true},
		"not calibrated": {[]JudgedHistory{of(false, known)}, math.NaN(), false},
		"no change":      {[]JudgedHistory{of(false)}, 0, true},
	} {
		r := Report{Series: c.series, Expected: c.chance}
		if n := r.expected(); (n != nil) != c.told || c.told && *n != c.chance {
			t.Errorf("%s: %v", name, n)
		}
	}
}

func TestTitles(t *testing.T) {
	var list []JudgedHistory
	for i := range 15 {
		list = append(list, JudgedHistory{History: History{Name: fmt.Sprint("h", i)}})
	}
	if got := titles(list[:2]); got != "h0, h1" {
		t.Error(got)
	}
	if got := titles(list[:12]); strings.Contains(got, "more") || !strings.HasSuffix(got, "h11") {
		t.Error(got)
	}
	if got := titles(list); !strings.HasSuffix(got, "h11 and 3 more") {
		t.Error(got)
	}
}

// An interval is worded like its effect: for runs that became faster, by how much.
func TestEffectBounds(t *testing.T) {
	for _, c := range []struct {
		effect   float64
		lo, hi   *float64
		from, to float64
		ok       bool
	}{
		{5, ptr(3.), ptr(7.), 3, 7, true}, {-5, ptr(-7.), ptr(-3.), 3, 7, true}, {0, ptr(-1.), ptr(2.), -1, 2, true},
		{5, nil, ptr(7.), 0, 0, false}, {5, ptr(math.NaN()), ptr(7.), 0, 0, false},
		{5, ptr(3.), ptr(math.Inf(1)), 0, 0, false},
	} {
		if from, to, ok := bounds(c.effect, c.lo, c.hi); from != c.from || to != c.to || ok != c.ok {
			t.Errorf("%+v: %v %v %v", c, from, to, ok)
		}
	}
}
