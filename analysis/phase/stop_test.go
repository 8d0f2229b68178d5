package phase

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
)

// checkpoints returns a table of n loops of the given lengths with gaps of g.
func checkpoints(g float64, lengths ...float64) []Phase {
	table := []Phase{{Kind: StartUp, EndS: 10}}
	at := 10.0
	for i, l := range lengths {
		if i > 0 {
			table = append(table, Phase{Kind: Gap, StartS: at, EndS: at + g})
			at += g
		}
		table = append(table, Phase{Kind: Loop, Pattern: "A", StartS: at, EndS: at + l})
		at += l
	}
	for i := range table {
		table[i].Share = (table[i].EndS - table[i].StartS) / at
	}
	return table
}

func TestTotals(t *testing.T) {
	got := ""
	for _, x := range Totals(checkpoints(5, 60, 61, 59, 60)) {
		got += fmt.Sprintf("%s%s %d %g %.3f; ", x.Kind, x.Pattern, x.Count, x.S, x.Share)
	}
	if want := "start-up 1 10 0.038; loopA 4 240 0.906; checkpoint 3 15 0.057; "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, table := range [][]Phase{
		checkpoints(5, 60, 20, 90, 45), // at no regular distance
		checkpoints(5, 60, 60, 60),     // too few
	} {
		for _, x := range Totals(table) {
			if x.Kind == Checkpoint {
				t.Errorf("checkpoints in %v", table)
			}
		}
	}
	if len(Totals(nil)) != 0 {
		t.Error("totals of nothing")
	}
}

func TestStoppedIn(t *testing.T) {
	a := pattern.Pattern{ID: "A", Timing: periodicity.Timing{PeriodS: 2},
		Regions: []periodicity.Region{{StartS: 10, EndS: 50, Count: 20}}}
	table := []Phase{{Kind: StartUp, EndS: 10}, {Kind: Loop, Pattern: "A", StartS: 10, EndS: 50},
		{Kind: Tail, StartS: 50, EndS: 60}}
	for _, c := range []struct {
		end  float64
		want Stop
	}{
		{60, Stop{Kind: Tail, SinceS: 10}},
		{51, Stop{Kind: Loop, Pattern: "A", Iterations: 20, Into: 0.5, SinceS: 41}},
		{50, Stop{Kind: Loop, Pattern: "A", Iterations: 20, SinceS: 40}},
		{4, Stop{Kind: StartUp, SinceS: 4}},
	} {
		s, ok := PhaseAtEnd(table, []pattern.Pattern{a}, c.end)
		if !ok || s != c.want {
			t.Errorf("end %v: %+v, want %+v", c.end, s, c.want)
		}
	}
	if _, ok := PhaseAtEnd(nil, nil, 1); ok {
		t.Error("stopped in nothing")
	}
	s, _ := PhaseAtEnd([]Phase{{Kind: Aperiodic, EndS: 9}}, nil, 9)
	if (s != Stop{Kind: Aperiodic, SinceS: 9}) {
		t.Errorf("%+v", s)
	}
}

func TestDecompose(t *testing.T) {
	run := func(elapsed, start, loop, check float64, steps int) Breakdown {
		return Breakdown{ElapsedS: elapsed, Steps: steps, StepS: loop / float64(steps), Totals: []Total{
			{Kind: StartUp, S: start}, {Kind: Loop, Pattern: "A", S: loop}, {Kind: Checkpoint, S: check}}}
	}
	a, b := run(3000, 100, 2800, 100, 1000), run(3491, 147, 3232, 112, 1000)
	d := Decompose(a, b)
	if want := "491 [{steps 432} {start-up 47} {checkpoint 12}]"; parts(d) != want {
		t.Errorf("%s, want %s", parts(d), want)
	}
	if math.Abs(d.LongerS-432) > 1e-9 || math.Abs(d.MoreS) > 1e-9 {
		t.Errorf("longer %v more %v", d.LongerS, d.MoreS)
	}
	if got := parts(Decompose(b, a)); got != "-491 [{steps -432} {start-up -47} {checkpoint -12}]" {
		t.Error(got)
	}
	if got := parts(Decompose(a, run(3020, 100, 2800, 100, 1000))); got != "20 [{not sampled 20}]" {
		t.Error(got)
	}
	more := Decompose(a, run(3280, 100, 3080, 100, 1100))
	if math.Abs(more.LongerS) > 1e-6 || math.Abs(more.MoreS-280) > 1e-6 {
		t.Errorf("100 more steps: %+v", more)
	}
	if got := parts(Decompose(a, a)); got != "0 []" {
		t.Error(got)
	}
}

func parts(d Difference) string { return fmt.Sprint(d.ExtraS, d.Parts) }

// The parts add up to the whole for runs of any form.
func TestDecomposeAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for range 300 {
		var runs [2]Breakdown
		for i := range runs {
			var lengths []float64
			for range 1 + rng.IntN(6) {
				lengths = append(lengths, 50+50*rng.Float64())
			}
			table := checkpoints(10*rng.Float64(), lengths...)
			runs[i] = BreakdownOf(table[len(table)-1].EndS+rng.Float64(), table,
				[]pattern.Pattern{{Instances: 1 + rng.IntN(99), Timing: periodicity.Timing{PeriodS: rng.Float64()}}})
		}
		d := Decompose(runs[0], runs[1])
		sum, steps := 0.0, 0.0
		for _, p := range d.Parts {
			sum += p.ExtraS
			if p.Name == "steps" {
				steps = p.ExtraS
			}
		}
		if math.Abs(sum-d.ExtraS) > 1e-6 || math.Abs(d.LongerS+d.MoreS-steps) > 1e-6 {
			t.Fatalf("%+v", d)
		}
	}
}
