package scaling

import (
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
)

func tableText(t *testing.T, name string, count int) string {
	t.Helper()
	var out strings.Builder
	if err := (tableSettings{seed: 1, count: count, list: 1}).print(name, &out); err != nil {
		t.Fatal(err)
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
		out := tableText(t, test.tables, 3)
		for _, want := range test.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", test.tables, want, out)
			}
		}
		cores := runtime.GOMAXPROCS(1)
		again := tableText(t, test.tables, 3)
		runtime.GOMAXPROCS(cores)
		if out != again {
			t.Errorf("%s: one core draws another table", test.tables)
		}
	}
}

func TestUnknownTable(t *testing.T) {
	if err := (tableSettings{count: 1}).print("none", io.Discard); err == nil {
		t.Error("a table that does not exist was printed")
	}
}

func TestTally(t *testing.T) {
	at := func(cut int, common bool) Change {
		c := Change{Cut: cut}
		if common {
			p := 1.0
			c.Common = &p
		}
		return c
	}
	tests := []struct {
		changes []Change
		truth   []int
		want    bool
	}{
		{[]Change{at(5, false)}, []int{5}, true},
		{[]Change{at(4, false)}, []int{5}, false},
		{[]Change{at(4, true)}, []int{5}, true},
		{[]Change{at(5, true)}, []int{5}, true},
		{[]Change{at(6, true)}, []int{5}, false},
		{[]Change{at(5, false), at(8, false)}, []int{5}, false},
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
