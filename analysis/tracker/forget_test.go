package tracker

import (
	"testing"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// squareWave returns n samples of a loop of period samples whose first half is low.
func squareWave(n, period int) series.Values {
	v := make(series.Values, n)
	for i := range v {
		if i%period >= period/2 {
			v[i] = 1
		}
	}
	return v
}

// If the current loop is forgotten with its column, another loop that runs becomes the current one at once, and
// the cycles that both had are counted once.
func TestForgetKeepsTheOtherLoop(t *testing.T) {
	const stepS, n, period = 0.005, 8000, 100
	set := series.Set{StepS: stepS, Columns: []series.Column{
		{Name: "a", Values: squareWave(n, period)}, {Name: "b", Values: squareWave(n, period)}}}
	var loops []Loop
	for _, c := range set.Columns {
		p := periodicity.Period{}
		p.PeriodS, p.Confidence, p.Column = period*stepS, 0.9, c.Name
		for i := 0; i < n/period; i++ {
			p.Instances = append(p.Instances, periodicity.Instance{First: i * period, Length: period})
		}
		l, ok := Learn(set, 1, p)
		if !ok {
			t.Fatalf("the loop of column %s was not learned", c.Name)
		}
		l.effort = learnEffort(set, 1, p)
		loops = append(loops, l)
	}
	past := func(yield func([]float32) bool) {
		for i := range n {
			if !yield([]float32{set.Columns[0].Values[i], set.Columns[1].Values[i]}) {
				return
			}
		}
	}
	follow := New(stepS)
	for i := range n {
		follow.Add([]float32{set.Columns[0].Values[i], set.Columns[1].Values[i]})
	}
	for _, l := range loops {
		follow.Follow(l, past, n)
	}
	add := func(cycles int) {
		for i := range cycles * period {
			follow.Add([]float32{set.Columns[0].Values[i], set.Columns[1].Values[i]})
		}
	}
	add(10)
	before := follow.Cycles()
	if follow.held == nil || len(follow.pulses) != 2 {
		t.Fatalf("%d loops are followed, the current one is %v", len(follow.pulses), follow.held)
	}
	follow.Forget(follow.held.loop.from[0])
	if _, ok := follow.CurrentLoop(); !ok || follow.LostS() != 0 {
		t.Errorf("no current loop for %g s although another one runs", follow.LostS())
	}
	add(5)
	if more := follow.Cycles() - before; more < 4 || more > 6 {
		t.Errorf("%d cycles counted in 5", more)
	}
	follow.Forget(follow.held.loop.from[0])
	if _, ok := follow.CurrentLoop(); ok {
		t.Error("a current loop after all were forgotten")
	}
}
