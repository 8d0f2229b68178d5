package phase

import (
	"testing"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// pausing is a loop of n cycles of 40 samples of which those that last says are that
// much longer, busy as then says meanwhile.
func pausing(n int, last func(cycle int) int, then float32) (series.Set, periodicity.Period) {
	s := series.Set{StepS: 0.005, Columns: []series.Column{{Name: "busy_cpus"}}}
	p := periodicity.Period{PeriodS: 0.3}
	for c := range n {
		length := 40 + last(c)
		p.Instances = append(p.Instances, periodicity.Instance{First: len(s.Columns[0].Values), Length: length})
		for i := range length {
			v := float32(0.9)
			if i >= 40 {
				v = then
			}
			s.Columns[0].Values = append(s.Columns[0].Values, v)
		}
	}
	p.Regions = []periodicity.Region{{StartS: 0, EndS: float64(s.Len()) * s.StepS, Count: n}}
	return s, p
}

// Pauses that recur within the cycles of the job's own clock are checkpoints. A cycle
// that others made long, two pauses, cycles of twice the length and a set that does not
// say what the job did are none.
func TestPausesWithinCycles(t *testing.T) {
	every := func(k, samples int) func(int) int {
		return func(c int) int {
			if c%k == k-1 {
				return samples
			}
			return 0
		}
	}
	for _, c := range []struct {
		name  string
		last  func(int) int
		then  float32
		bare  bool
		count int
		s     float64
	}{
		{"every 25 cycles for 3 s", every(25, 600), 0, false, 7, 21}, // the eighth ends the run
		{"busy meanwhile", every(25, 600), 0.5, false, 0, 0},
		{"twice in all", every(90, 600), 0, false, 0, 0},
		{"twice as long", every(25, 40), 0, false, 0, 0},
		{"nobody knows what it did", every(25, 600), 0, true, 0, 0},
	} {
		set, p := pausing(200, c.last, c.then)
		if c.bare {
			set.Columns[0].Name = "x"
		}
		count, s := 0, 0.0
		table := Table(set, []pattern.Pattern{{ID: "A"}}, []periodicity.Period{p})
		for _, x := range Totals(table) {
			if x.Kind == Checkpoint {
				count, s = x.Count, x.S
			}
		}
		if count != c.count || s != 0 && (s < c.s-0.01 || s > c.s+0.01) {
			t.Errorf("%s: %d checkpoints of %.2f s, want %d of %.2f", c.name, count, s, c.count, c.s)
		}
		checkCover(t, table, 0, float64(set.Len())*set.StepS)
	}
}
