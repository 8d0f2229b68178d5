package periodicity

import (
	"slices"
	"testing"

	"jobgait/analysis/series"
)

const (
	bridgeCycle = 40 // slots
	bridgeStep  = .005
)

// loopWithBreak returns a set of 30 cycles of two pages, with a break of the given columns of code per slot between
// the twentieth and the twenty-first, and the period of the cycles that were followed.
func loopWithBreak(brk [][3]float32) (series.Set, Period) {
	values := [3]series.Values{}
	add := func(slot [3]float32) {
		for c, v := range slot {
			values[c] = append(values[c], v)
		}
	}
	p := Period{Column: series.CodeGroup, Kind: Equal, Axis: series.CPU,
		Timing: Timing{PeriodS: bridgeCycle * bridgeStep, PeriodSamples: bridgeCycle}}
	for k := range 30 {
		if k == 20 {
			for _, slot := range brk {
				add(slot)
			}
		}
		p.Instances = append(p.Instances, Instance{First: len(values[0]), Length: bridgeCycle})
		for i := range bridgeCycle {
			add(bridgeSlot(i, 5))
		}
	}
	set := series.Set{StepS: bridgeStep}
	for c, name := range []string{"code:1", "code:2", "code:3"} {
		set.Columns = append(set.Columns, series.Column{Name: name, Group: series.CodeGroup, Values: values[c]})
	}
	return set, p
}

// bridgeSlot returns the code of slot i of a cycle: a quarter of it runs the second page.
func bridgeSlot(i int, samples float32) [3]float32 {
	if i%bridgeCycle >= 30 {
		return [3]float32{0, samples, 0}
	}
	return [3]float32{samples, 0, 0}
}

func TestBreaksOfSeveralCycles(t *testing.T) {
	var faster, slower, other [][3]float32
	for i := range 7 * bridgeCycle / 2 { // seven cycles with twice the CPU
		faster = append(faster, bridgeSlot(2*i, 10))
	}
	for i := range 6 * bridgeCycle { // three cycles with half of it
		slower = append(slower, bridgeSlot(i/2, 2.5))
	}
	for range 4 * bridgeCycle {
		other = append(other, [3]float32{0, 0, 5})
	}
	for _, c := range []struct {
		name  string
		brk   [][3]float32
		added int
	}{{"seven with twice the CPU", faster, 7}, {"three with half the CPU", slower, 3}, {"other code", other, 0},
		{"more than are counted", slices.Repeat(slower, 5), 0}} {
		set, p := loopWithBreak(c.brk)
		q := p.withClosedBreaks(set)
		if got := len(q.Instances) - len(p.Instances); got != c.added {
			t.Errorf("%s: %d cycles are added, want %d", c.name, got, c.added)
		}
		total := 30*bridgeCycle*bridgeStep + float64(min(c.added, 1)*len(c.brk))*bridgeStep
		if want := total / float64(30+c.added); q.PeriodS < .99*want || q.PeriodS > 1.01*want {
			t.Errorf("%s: the period is %v s, want %v s", c.name, q.PeriodS, want)
		}
	}
}

// TestTwoCyclesAreNotOne has a break of .45 cycles after an instance that holds 1.2 cycles: together they are nearly
// two.
func TestTwoCyclesAreNotOne(t *testing.T) {
	var brk [][3]float32
	for i := range bridgeCycle * 65 / 100 {
		brk = append(brk, bridgeSlot(i, 5))
	}
	set, p := loopWithBreak(brk)
	p.Instances[19].Length += bridgeCycle / 5
	if q := p.withClosedBreaks(set); !slices.Equal(q.Instances, p.Instances) {
		t.Errorf("an instance of two cycles is made: %v", q.Instances[19])
	}
}
