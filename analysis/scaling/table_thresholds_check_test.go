package scaling

import (
	"regexp"
	"strings"
	"testing"
)

// A small table has a row for every number of points, the same from the same seed.
func TestThresholdsTable(t *testing.T) {
	table := func() string {
		var out strings.Builder
		thresholds(tableSettings{seed: 3, count: 20}, &out)
		return out.String()
	}
	out := table()
	row := regexp.MustCompile(`(?m)^\{\d+, \d+\.\d\d, \d+\.\d\d\},$`)
	if got := len(row.FindAllString(out, -1)); got != 14 {
		t.Errorf("%d rows in\n%s", got, out)
	}
	if again := table(); again != out {
		t.Errorf("again:\n%s\nnot\n%s", again, out)
	}
}

func TestMark(t *testing.T) {
	m := strengths{allowed: 4, count: 100}
	m.strength[0] = []float64{9, 1, 5, 3, 7}
	// Half of four may lie above: the third largest.
	if got := m.mark(0, 0.5); got != 5 {
		t.Errorf("mark %g, want 5", got)
	}
	if got := m.mark(1, 0.5); got != 0 {
		t.Errorf("mark %g of nothing, want 0", got)
	}
}
