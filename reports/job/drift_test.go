package job

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"jobgait/analysis/finding"
	"jobgait/analysis/pattern"
	"jobgait/analysis/phase"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
)

// drifting is a run of 1000 iterations of one second with these changes.
func drifting(d summary.Drift) Report {
	s := nemo()
	s.ElapsedS, d.Iterations, d.Lengths = 1000, 1000, summary.Lengths{Group: 10}
	for i := range 100 {
		length := 1.0
		for _, step := range d.Steps {
			if float64(i)*10 >= step.TS {
				length = step.AfterS
			}
		}
		d.Lengths.TS = append(d.Lengths.TS, float32(i*10))
		d.Lengths.MeanS, d.Lengths.MaxS = append(d.Lengths.MeanS, float32(length)), append(d.Lengths.MaxS, float32(length))
	}
	s.Loops = []summary.Loop{{Pattern: "A", Drift: &d}}
	return New(s, nil, options())
}

func step(at, before, after float64) phase.Step {
	return phase.Step{TS: at, BeforeS: before, AfterS: after, EffectPct: 100 * (after/before - 1)}
}

// The report mentions that iterations slowed down only if the amount matters.
func TestDriftInShort(t *testing.T) {
	for _, c := range []struct {
		name string
		d    summary.Drift
		text string
	}{
		{"none", summary.Drift{}, ""},
		{"noise", summary.Drift{SlopePctPerHour: 30, Lo: -2, Hi: 60}, ""},
		{"small step", summary.Drift{Steps: []phase.Step{step(500, 1, 1.015)}}, ""},
		{"faster", summary.Drift{Steps: []phase.Step{step(500, 1, 0.8)}}, ""},
		{"step", summary.Drift{Steps: []phase.Step{step(500, 1, 1.12)}}, "Cycles slowed down by 12.0 % from 0:08:20 on."},
		{"mild step", summary.Drift{Steps: []phase.Step{step(500, 1, 1.03)}}, "Cycles slowed down by 3.0 % from 0:08:20 on."},
		{"two steps", summary.Drift{Steps: []phase.Step{step(500, 1, 1.1), step(700, 1.1, 1.2)}},
			"Cycles slowed down by 20.0 % in 2 steps, from 0:08:20 on."},
		{"excursion", summary.Drift{Steps: []phase.Step{step(500, 1, 1.3), step(700, 1.3, 1.0)}},
			"Cycles were 30.0 % slower from 0:08:20 to 0:11:40."},
		{"slope", summary.Drift{SlopePctPerHour: 36, Lo: 30, Hi: 42}, "Cycles slowed down steadily, by 9.9 % over the run."},
		{"slow ones", summary.Drift{SlowCount: 12, SlowS: 40},
			"12 cycles took much longer than their neighbours: 40.0 s in all, 4.0 % of the run."},
		{"a few slow ones", summary.Drift{SlowCount: 2, SlowS: 4}, ""},
	} {
		if got := drifting(c.d).driftInShort(); got != c.text {
			t.Errorf("%s: %q, want %q", c.name, got, c.text)
		}
	}
}

// The cost of a step is the time that iterations took beyond the old length.
func TestDriftCost(t *testing.T) {
	d := drifting(summary.Drift{Steps: []phase.Step{step(500, 1, 1.12)}}).Rhythm.drift()
	if d.CostS < 59 || d.CostS > 61 {
		t.Errorf("500 cycles of 0.12 s more cost %v s", d.CostS)
	}
	d = drifting(summary.Drift{SlopePctPerHour: 36, Lo: 30, Hi: 42}).Rhythm.drift()
	if d.CostS < 48 || d.CostS > 51 {
		t.Errorf("1000 cycles that grow by 9.9 %% cost %v s", d.CostS)
	}
}

// The section is not printed if it has no content; the chart is drawn.
func TestDriftSectionOnlyWithSomethingToSay(t *testing.T) {
	for _, c := range []struct {
		d    summary.Drift
		want bool
	}{{summary.Drift{SlowCount: 1, SlowS: 0.5}, false}, {summary.Drift{SlowCount: 3, SlowS: 3}, true},
		{summary.Drift{Steps: []phase.Step{step(500, 1, 0.9)}}, true}} {
		r := drifting(c.d)
		var b strings.Builder
		if err := Text(&b, r); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(b.String(), "CYCLES OVER THE RUN"); got != c.want {
			t.Errorf("%+v: section %v", c.d, got)
		}
		if r.driftChart() == nil {
			t.Errorf("%+v: no chart", c.d)
		}
	}
}

// A drift that another version wrote, or that is broken, is left out whole.
func TestBrokenDriftIsLeftOut(t *testing.T) {
	if newDrift(&summary.Drift{Lengths: summary.Lengths{TS: series.Values{1}}}) != nil || newDrift(nil) != nil {
		t.Error("a drift without lengths")
	}
}

func TestStoppedIn(t *testing.T) {
	s := cancelled()
	for _, c := range []struct {
		name string
		s    summary.Summary
		want string
	}{
		{"in a loop", s, "in loop B, 38.0 % into about cycle 142"},
		{"ended in order", steady(nemo()), ""},
		{"the scheduler says so", func() summary.Summary {
			x := cancelled()
			x.Exit, x.State = nil, "TIMEOUT"
			return x
		}(), "in loop B, 38.0 % into about cycle 142"},
		{"short cycles", func() summary.Summary {
			x := fast()
			x.Exit = &run.Exit{Code: 1}
			return x
		}(), "in loop A, after about 12 cycles"},
		{"long after the last", arrayElement(), "41.1 s after the last cycle that was recognized"},
		{"samples end early", func() summary.Summary { x := cancelled(); x.ElapsedS = 4000; return x }(), ""},
		{"no pattern", func() summary.Summary {
			x := cancelled()
			x.Patterns, x.Phases = nil, []phase.Phase{{Kind: phase.Aperiodic, EndS: 3604, Share: 1}}
			return x
		}(), ""},
	} {
		got := ""
		if stop := New(c.s, nil, options()).Rhythm.Stopped; stop != nil {
			got = stop.Text
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Gaps at regular distances are called checkpoints, in the table.
func TestCheckpointsAreNamed(t *testing.T) {
	s := steady(nemo())
	s.Phases = nil
	for i := range 5 {
		at := float64(i) * 700
		s.Phases = append(s.Phases, phase.Phase{Kind: phase.Loop, Pattern: "A", StartS: at, EndS: at + 650, Share: 0.18},
			phase.Phase{Kind: phase.Gap, StartS: at + 650, EndS: at + 700, Share: 0.014})
	}
	s.Phases = append(s.Phases, phase.Phase{Kind: phase.Loop, Pattern: "A", StartS: 3500, EndS: 3600, Share: 0.03})
	r := New(s, nil, options())
	if rows := fmt.Sprint(r.phaseRows()); !strings.Contains(rows, "checkpoint") || !strings.Contains(rows, "4:10") {
		t.Error(rows)
	}
}

// Low stretches are worded as a chance, three lines at most.
func TestLowStretches(t *testing.T) {
	s := nemo()
	act := s.Loops[0].Activity
	for range 5 {
		act.Low = append(act.Low, act.Low[0])
	}
	act.Low = append(act.Low, pattern.LowRegion{Share: 0.001})
	lines := New(s, nil, options()).lowTexts()
	if len(lines) != maxLow {
		t.Errorf("%d lines", len(lines))
	}
	if strings.Contains(lines[0], "saves less") || !strings.Contains(lines[0], " of a cycle), in ") {
		t.Errorf("without energy: %q", lines[0])
	}
	s.Counters = append(s.Counters, run.Counter{Name: "energy_pkg", Unit: "uJ", Scope: "node", Total: 20000e6})
	r := New(s, nil, options())
	l := r.Rhythm.Patterns[0].Low[0]
	if l.SavingMostJ == nil || math.Abs(*l.SavingMostJ-20000*l.Share) > 1e-6 ||
		!strings.Contains(r.lowTexts()[0], "A lower clock there saves less than ") {
		t.Errorf("of 20 kJ: %+v, %q", l, r.lowTexts())
	}
	tenth := nemo() // as seen on a machine where others worked
	low := &tenth.Loops[0].Activity.Low[0]
	low.Level, low.Above = 0.552, 0.617
	if lines := New(tenth, nil, options()).lowTexts(); len(lines) != 0 {
		t.Errorf("a tenth lower than elsewhere: %q", lines)
	}
	if r.disturbed {
		t.Error("nobody took CPUs from this run")
	}
	r.disturbed = true
	if lines := r.lowTexts(); len(lines) != 0 {
		t.Errorf("low while others ran: %q", lines)
	}
	for code, want := range map[string]bool{"crowded": true, "throttled": true, "oversubscribed": false} {
		if isDisturbance(finding.Finding{Code: code}) != want {
			t.Errorf("%s disturbs: %v", code, !want)
		}
	}
	var b strings.Builder
	if err := Text(&b, New(s, nil, options())); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "not measured") {
		t.Error("nothing says that the cost was not measured")
	}
}

// Of very many nodes that differ a few are named and the rest is counted.
func TestAgreementIsBounded(t *testing.T) {
	s := manyNodes()
	s.Agreement.Nodes, s.Agreement.Compared, s.Agreement.Odd, s.Agreement.List = 10_000, 256, 60, nil
	for i := range 16 {
		s.Agreement.List = append(s.Agreement.List,
			summary.DifferingNode{NodeAgreement: pattern.NodeAgreement{Node: fmt.Sprintf("dahu-%03d", i+1),
				DistancePct: ptr(float64(40 - i)), Odd: true, ForS: 1, DiffersPct: 12}})
	}
	text := New(s, nil, options()).Nodes.Agreement.texts()
	if len(text) != maxListedApart+2 || !strings.HasPrefix(text[0], "Cycles of 256 of 10,000 nodes") ||
		text[maxListedApart+1] != "And 56 more nodes that differ." {
		t.Errorf("%q", text)
	}
}

// A report of an ordinary run fits on two screens.
func TestOrdinaryReportsAreShort(t *testing.T) {
	for _, run := range runs() {
		var b strings.Builder
		if err := Text(&b, New(run.s, run.past, options())); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "\n"); n > 104 && // four of them for CPU, MEM, I/O, TIME
			run.name != "hostile" {
			t.Errorf("%s has %d lines", run.name, n)
		}
	}
}

// No line is drawn across a time without iterations.
func TestLengthsBreakWhereNoneRan(t *testing.T) {
	d := CycleDrift{Lengths: summary.Lengths{Group: 2, TS: series.Values{0, 2, 4, 60, 62},
		MeanS: series.Values{1, 1, 1, 1, 1.1}}}
	x, y := d.broken()
	if len(x) != 6 || !math.IsNaN(x[3]) || !math.IsNaN(y[3]) || x[4] != 60 || float32(y[5]) != 1.1 {
		t.Errorf("%v %v", x, y)
	}
}

// A change per hour is not printed for a run of minutes: a run of ten seconds had "-5,099 % an hour".
func TestTrendOfAShortRun(t *testing.T) {
	d := CycleDrift{ChangePct: -12.6, Slope: -5099, Lo: -8794, Hi: -26.9}
	if got := d.trend(); got != "The length of cycles changed steadily, by -12.6 % over the run (95 % interval -21.7 "+
		".. -0.07 %)." {
		t.Error(got)
	}
}
