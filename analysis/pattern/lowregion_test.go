package pattern

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// ipc returns n instances of about l samples of 5 ms: level 1.2, and 0.3 from
// the given share of the instance on for a fifth of it, with noise; jitter moves
// single samples.
func ipc(seed uint64, n, l int, from, noise float64, jitter int) (series.Set, periodicity.Period) {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := periodicity.Period{Column: "ipc", Timing: periodicity.Timing{PeriodSamples: float64(l),
		PeriodS: float64(l) * 0.005, Coverage: 0.5, PeriodCV: 0.01}}
	var v series.Values
	for range n {
		first := len(v)
		for k := range l {
			level := 1.2
			if u := math.Mod(float64(k)/float64(l)-from+1, 1); u < 0.2 {
				level = 0.3
			}
			copies := 1
			if jitter > 0 {
				copies = max(0, 1+rng.IntN(jitter)/(jitter-1)-rng.IntN(jitter)/(jitter-1))
			}
			for range copies {
				v = append(v, float32(level+noise*rng.NormFloat64()))
			}
		}
		p.Instances = append(p.Instances, periodicity.Instance{First: first, Length: len(v) - first})
	}
	return series.Set{StepS: 0.005, Columns: []series.Column{{Name: "ipc", Unit: "1", Values: v}}}, p
}

func TestLow(t *testing.T) {
	for _, c := range []struct{ from, offset float64 }{{0.3, 0.3}, {0.9, 0.9}, {0, 0}} {
		s, p := ipc(1, 60, 200, c.from, 0.03, 0)
		q := Represent(s, []periodicity.Period{p})[0]
		if len(q.Low) != 1 {
			t.Fatalf("from %v: %d regions: %+v", c.from, len(q.Low), q.Low)
		}
		l := q.Low[0]
		if math.Abs(l.OffsetS-c.offset) > 0.011 || math.Abs(l.DurationS-0.2) > 0.011 || l.DurationSDS > 0.01 {
			t.Errorf("from %v: %+v", c.from, l)
		}
		if l.Repeatability != 1 || math.Abs(l.Share-0.1) > 0.006 || math.Abs(l.SecondsPerHour-360) > 20 {
			t.Errorf("share: %+v", l)
		}
		if math.Abs(l.Level-0.3) > 0.02 || math.Abs(l.Above-1.2) > 0.05 {
			t.Errorf("levels: %+v", l)
		}
	}
}

// A flat shape, a shape of noise and one that is low only now and then have no
// opportunity.
func TestNoLow(t *testing.T) {
	s, p := ipc(2, 60, 200, 0.3, 0.03, 0)
	for i := range s.Columns[0].Values {
		s.Columns[0].Values[i] = 100 + 0.01*s.Columns[0].Values[i]
	}
	if q := Represent(s, []periodicity.Period{p})[0]; len(q.Low) != 0 {
		t.Errorf("1 %% of modulation: %+v", q.Low)
	}
	rng := rand.New(rand.NewPCG(3, 1))
	for i := range s.Columns[0].Values {
		s.Columns[0].Values[i] = float32(1 + 0.2*rng.NormFloat64())
	}
	if q := Represent(s, []periodicity.Period{p})[0]; len(q.Low) != 0 {
		t.Errorf("noise: %+v", q.Low)
	}
	s, p = ipc(4, 60, 200, 0.3, 0.03, 0)
	for k, in := range p.Instances {
		if k%3 > 0 {
			for i := range in.Length {
				s.Columns[0].Values[in.First+i] = 1.2
			}
		}
	}
	if q := Represent(s, []periodicity.Period{p})[0]; len(q.Low) != 0 {
		t.Errorf("low in a third of the instances: %+v", q.Low)
	}
}

// A level at which most of the period is spent is not low; the dips in it are.
func TestLowLevelIsNotTheCommonLevel(t *testing.T) {
	s, p := ipc(7, 60, 200, 0.3, 0.02, 0)
	for i := range s.Columns[0].Values {
		if k := i % 200; k >= 110 && k < 150 {
			s.Columns[0].Values[i] += 3
		}
	}
	q := Represent(s, []periodicity.Period{p})[0]
	if len(q.Low) != 1 || math.Abs(q.Low[0].OffsetS-0.3) > 0.011 || math.Abs(q.Low[0].DurationS-0.2) > 0.011 {
		t.Errorf("%+v", q.Low)
	}
}

// With jitter the aligned average keeps the depth and the edges of the dip that
// a plain mean smears, and its sum of squares is smaller.
// A single sample above the level does not end a stretch, two do.
func TestLowAround(t *testing.T) {
	v := series.Values{9, 1, 1, 9, 1, 1, 9, 9, 1}
	for _, c := range []struct{ i, lo, hi, want int }{{1, 0, 9, 5}, {4, 0, 9, 5}, {8, 0, 9, 1}, {4, 2, 5, 3},
		{4, -3, 99, 5}} {
		if got := lowAround(v, c.i, c.lo, c.hi, 1); got != c.want {
			t.Errorf("around %d in [%d, %d): %d samples, want %d", c.i, c.lo, c.hi, got, c.want)
		}
	}
}

func TestElastic(t *testing.T) {
	s, p := ipc(5, 120, 200, 0.5, 0.02, 12)
	aligned := Represent(s, []periodicity.Period{p})[0]
	g, _ := newGroup(s.Columns[0], p)
	plain := g.wgss(toValues(meanShape(s.Columns[0].Values, p.Instances, len(aligned.Values))), len(p.Instances))
	if aligned.Aligned < 20 || !(aligned.WGSS < 0.7*plain) {
		t.Errorf("wgss %v of %d aligned, %v plain", aligned.WGSS, aligned.Aligned, plain)
	}
	between := 0
	for _, v := range aligned.Values {
		if v > 0.4 && v < 1.1 {
			between++
		}
	}
	if between > 6 {
		t.Errorf("%d of 200 points are neither low nor high", between)
	}
	for i, v := range aligned.Values {
		if aligned.P10[i] > v+0.05 || aligned.P90[i] < v-0.05 || math.IsNaN(float64(v)) {
			t.Fatalf("point %d: %v [%v, %v]", i, v, aligned.P10[i], aligned.P90[i])
		}
	}
}

// The figures are the same from run to run, to the last bit.
func TestRepresentIsDeterministic(t *testing.T) {
	s, p := ipc(6, 50, 100, 0.5, 0.05, 9)
	a, b := Represent(s, []periodicity.Period{p})[0], Represent(s, []periodicity.Period{p})[0]
	if a.WGSS != b.WGSS || a.WGSS == 0 {
		t.Errorf("%v, %v", a.WGSS, b.WGSS)
	}
	for i := range a.Values {
		if a.Values[i] != b.Values[i] {
			t.Fatal("values differ")
		}
	}
}
