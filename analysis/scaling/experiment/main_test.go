package main

import (
	"math"
	"runtime"
	"strings"
	"testing"

	"jobgait/analysis/scaling"
)

func runs(t *testing.T, args ...string) string {
	t.Helper()
	var out, errors strings.Builder
	if code := run(args, &out, &errors); code != 0 {
		t.Fatalf("%v: exit %d, %s", args, code, errors.String())
	}
	return out.String()
}

// Every table has its lines, and what it says does not depend on the cores.
func TestTables(t *testing.T) {
	tests := []struct {
		tables string
		want   []string
	}{
		{"averaged", []string{"in       0 %", "out     15 %", "middle"}},
		{"splits", []string{"5+1 out", "all in", "3+3 in"}},
		{"measured", []string{"kink", "two changes", "measured"}},
		{"rough", []string{"day 5%", "absolute 1% of mean"}},
		{"chance", []string{"all", "expected"}},
	}
	for _, test := range tests {
		out := runs(t, "-count", "3", "-list", "1", "-tables", test.tables)
		for _, want := range test.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", test.tables, want, out)
			}
		}
		cores := runtime.GOMAXPROCS(1)
		again := runs(t, "-count", "3", "-list", "1", "-tables", test.tables)
		runtime.GOMAXPROCS(cores)
		if out != again {
			t.Errorf("%s: one core draws another table", test.tables)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-tables", "none"}, {"-count", "0"}, {"-nothing"}} {
		var out, errors strings.Builder
		if code := run(args, &out, &errors); code != 2 || errors.Len() == 0 {
			t.Errorf("%v: exit %d, %q", args, code, errors.String())
		}
	}
}

func TestTally(t *testing.T) {
	at := func(cut int, common bool) scaling.Change {
		c := scaling.Change{Cut: cut}
		if common {
			p := 1.0
			c.Common = &p
		}
		return c
	}
	tests := []struct {
		changes []scaling.Change
		truth   []int
		want    bool
	}{
		{[]scaling.Change{at(5, false)}, []int{5}, true},
		{[]scaling.Change{at(4, false)}, []int{5}, false},
		{[]scaling.Change{at(4, true)}, []int{5}, true},
		{[]scaling.Change{at(5, true)}, []int{5}, true},
		{[]scaling.Change{at(6, true)}, []int{5}, false},
		{[]scaling.Change{at(5, false), at(8, false)}, []int{5}, false},
		{nil, []int{5}, false},
	}
	for _, test := range tests {
		if got := right(test.changes, test.truth); got != test.want {
			t.Errorf("%+v for %v: %v", test.changes, test.truth, got)
		}
	}
	if lo, hi := bounds(0, 100); lo != 0 || math.Abs(hi-0.037) > 0.001 {
		t.Errorf("none of 100: %g to %g", lo, hi)
	}
	if lo, hi := bounds(50, 100); math.Abs(lo-0.404) > 0.001 || math.Abs(hi-0.596) > 0.001 {
		t.Errorf("50 of 100: %g to %g", lo, hi)
	}
}
