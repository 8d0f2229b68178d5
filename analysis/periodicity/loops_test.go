package periodicity

import (
	"math"
	"testing"

	"jobgait/analysis/series"
)

// Forms of an application's rhythm, and the periods that each has.
func TestDetectLoops(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(l *loop) series.Set
		want []float64 // samples
	}{
		{"runs", func(l *loop) series.Set {
			l.app(l.shape(220, 6, 4), 30000, 21, 0.77, 0.004)
			return l.set(0.03)
		}, []float64{220}},
		{"jitter", func(l *loop) series.Set {
			l.app(l.shape(220, 6, 4), 30000, 21, 0.85, 0.04)
			return l.set(0.03)
		}, []float64{220}},
		{"as much noise as signal", func(l *loop) series.Set {
			l.app(l.shape(220, 6, 4), 40000, 40, 0.9, 0.004)
			return l.set(0.3)
		}, []float64{220}},
		{"two shapes of one length", func(l *loop) series.Set {
			a, b := l.shape(300, 5, 3), l.shape(300, 7, 4)
			l.app(a, 40000, 20, 0.9, 0.004)
			l.app(b, 40000, 20, 0.9, 0.004)
			return l.set(0.03)
		}, []float64{300, 300}},
		{"slowing down by 30 %", func(l *loop) series.Set {
			s := l.shape(220, 6, 4)
			for i := range 240 {
				l.run(s, 1, 0.004, 1+0.3*float64(i)/240)
			}
			return l.set(0.03)
		}, []float64{220 * 1.15}},
		{"another level from the middle on", func(l *loop) series.Set {
			s := l.shape(220, 6, 4)
			l.run(s, 120, 0.004, 1)
			for i := len(l.x) / 2; i < len(l.x); i++ {
				l.x[i] *= 0.85
			}
			return l.set(0.03)
		}, []float64{220}},
		{"four iterations", func(l *loop) series.Set {
			l.run(l.shape(220, 5, 4), 4, 0, 1)
			return l.set(0.03)
		}, []float64{220}},
		{"three samples", func(l *loop) series.Set {
			l.run([]float64{1.4, 0.9, 0.3}, 3000, 0, 1)
			return l.set(0.03)
		}, []float64{3}},
	} {
		for seed := range uint64(3) {
			l := newLoop(seed + 10)
			set := c.make(l)
			r := detect(t, set)
			if len(r.Periods) != len(c.want) {
				t.Errorf("%s, draw %d: %d periods %v, want %d", c.name, seed, len(r.Periods), r.Notes, len(c.want))
				continue
			}
			for i, p := range r.Periods {
				if math.Abs(p.PeriodSamples/c.want[i]-1) > 0.02 {
					t.Errorf("%s, draw %d: found %.1f samples, want %.1f", c.name, seed, p.PeriodSamples, c.want[i])
				}
			}
			if a := l.agrees(r.Periods); a < 0.85 {
				t.Errorf("%s, draw %d: %.2f of the samples are rightly in an instance or not", c.name, seed, a)
			}
		}
	}
}

// The iterations of a solver inside a time step are a child of its loop, not an alternative.
func TestDetectChild(t *testing.T) {
	l := newLoop(3)
	inner, rest := l.shape(24, 3, 1), l.shape(136, 4, 2)
	var step []float64
	for range 16 {
		step = append(step, inner...)
	}
	l.app(append(step, rest...), 60000, 20, 0.9, 0.002)
	r := detect(t, l.set(0.03))
	if len(r.Periods) != 1 || math.Abs(r.Periods[0].PeriodSamples/520-1) > 0.02 {
		t.Fatalf("%d periods of %.1f samples, %+v", len(r.Periods), r.Periods[0].PeriodSamples, r.Notes)
	}
	c := r.Periods[0].Children
	if len(c) != 1 || math.Abs(c[0].PeriodS/0.12-1) > 0.03 {
		t.Fatalf("children %+v, want one of 0.12 s", c)
	}
	if per := float64(c[0].Count) / float64(len(r.Periods[0].Instances)); per < 12 || per > 20 {
		t.Errorf("%.1f children in an instance, want 16", per)
	}
}

// The interval from checkpoint to checkpoint is a macro cycle, not an alternative.
func TestDetectMacro(t *testing.T) {
	l := newLoop(4)
	s := l.shape(260, 8, 5)
	for range 5 {
		l.run(s, 40, 0.005, 1)
		l.other(3000)
	}
	r := detect(t, l.set(0.03))
	if len(r.Periods) != 1 || math.Abs(r.Periods[0].PeriodSamples/260-1) > 0.02 {
		t.Fatalf("%d periods, %+v", len(r.Periods), r.Notes)
	}
	want := (40*260 + 3000) * 0.005
	if m := r.Macros; len(m) != 1 || math.Abs(m[0].PeriodS/want-1) > 0.05 || m[0].Count != 4 || len(m[0].Of) != 1 {
		t.Errorf("macros %+v, want one of %.0f s, 4 times", m, want)
	}
}

// Of columns that disagree, the one with which others agree decides; clocks do not count.
func TestDetectManyColumns(t *testing.T) {
	l := newLoop(5)
	l.app(l.shape(90, 4, 2), 20000, 60, 0.95, 0.01)
	set := l.set(0.05)
	n := set.Len()
	add := func(name string, at func(i int) float64) {
		v := make(series.Values, n)
		for i := range v {
			v[i] = float32(at(i) + 0.05*l.rng.NormFloat64())
		}
		set.Columns = append(set.Columns, series.Column{Name: name, Scope: series.JobScope, Values: v})
	}
	add("tick", func(i int) float64 { return float64(i % 4 / 3) })
	add("tick2", func(i int) float64 { return 2 * float64(i%4/2) })
	add("daemon", func(i int) float64 { return float64(i % 200 / 190) })
	add("writes", func(i int) float64 { return float64(l.x[i]) * l.x64(i/7) })
	add("noise", func(i int) float64 { return 0 })
	r := detect(t, set)
	if len(r.Periods) != 1 || math.Abs(r.Periods[0].PeriodSamples/90-1) > 0.02 {
		t.Fatalf("%d periods, %+v", len(r.Periods), r.Notes)
	}
	set.Columns = set.Columns[1:4]
	if r = detect(t, set); len(r.Periods) != 0 || r.Notes[0].Code != "only_clocks" {
		t.Errorf("of clocks alone: %d periods, %+v", len(r.Periods), r.Notes)
	}
}

// x64 is a slow wave.
func (l *loop) x64(i int) float64 { return 1 + 0.2*math.Sin(float64(i)) }

// Columns named page0, page1, .. that hold counts are one vector.
func TestDetectNumberedColumns(t *testing.T) {
	j := newJob(8)
	j.iterations(60, 44, 0.02, 8)
	for p := range j.set.Columns {
		j.set.Columns[p].Name = "page" + string(rune('0'+p))
		j.set.Columns[p].Group, j.set.Columns[p].Unit = "", ""
	}
	r := detect(t, j.set)
	if len(r.Periods) == 0 || r.Periods[0].Column != "page" || math.Abs(r.Periods[0].PeriodSamples/44-1) > 0.02 {
		t.Fatalf("%+v %+v", r.Periods, r.Notes)
	}
}

// The number of samples in a slot shows who else had the CPU, not what the job does.
func TestDetectContention(t *testing.T) {
	j := newJob(9)
	for i := range 4000 {
		k := 8
		if i%7 < 3 {
			k = 2 // the scheduler's turns
		}
		j.slot(k, [pages]float64{5, 2, 1, 1, 1})
	}
	if r := detect(t, j.set); len(r.Periods) > 0 {
		t.Errorf("found %.1f samples, the turns of the scheduler", r.Periods[0].PeriodSamples)
	}
}

// Columns without a period have none together either.
func TestDetectManyNothing(t *testing.T) {
	l := newLoop(6)
	set := series.Set{StepS: 0.005}
	for c := range 24 {
		v, y := make(series.Values, 3000), 0.0
		for i := range v {
			switch c % 4 {
			case 0:
				y = l.rng.NormFloat64()
			case 1:
				y = 0.97*y + l.rng.NormFloat64()
			case 2:
				y += l.rng.NormFloat64()
			case 3:
				if l.rng.Float64() < 0.02 {
					y = l.rng.Float64()
				}
			}
			v[i] = float32(y)
		}
		set.Columns = append(set.Columns, series.Column{Name: "c" + string(rune('a'+c)), Scope: series.JobScope, Values: v})
	}
	if r := detect(t, set); len(r.Periods) > 0 {
		t.Errorf("%s: %.1f samples, %d instances", r.Periods[0].Column, r.Periods[0].PeriodSamples,
			len(r.Periods[0].Instances))
	}
}
