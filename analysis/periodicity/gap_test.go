package periodicity

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
)

// A gap is unknown time: it does not count as time without a cycle, and the instances keep their places.
func TestDetectAcrossAGap(t *testing.T) {
	l := newLoop(2)
	shape := l.shape(47, 3, 2)
	l.run(shape, 12, 0.01, 1)
	const gap = 36000
	begin := len(l.x)
	for range gap {
		l.x = append(l.x, series.Missing())
	}
	l.run(shape, 12, 0.01, 1)
	r := detect(t, l.set(0.02))
	if len(r.Periods) == 0 {
		t.Fatal(r.Notes)
	}
	p := r.Periods[0]
	if !near(p.PeriodSamples, 47, 0.03) || p.Coverage < 0.85 || len(p.Instances) < 20 || len(p.Regions) != 2 {
		t.Errorf("%.1f samples (47), coverage %.2f, %d instances in %d regions", p.PeriodSamples, p.Coverage,
			len(p.Instances), len(p.Regions))
	}
	for _, in := range p.Instances {
		if in.First < begin+gap && in.First+in.Length > begin+1 {
			t.Errorf("an instance lies in the gap: %+v", in)
		}
	}
}

// Two wraps of a counter that were missed in 1,800 samples do not hide a clean cycle.
func TestDetectBesideOutliers(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	v := make(series.Values, 1800)
	for i := range v {
		v[i] = float32(180 + 4*rng.NormFloat64())
		if i%9 < 4 {
			v[i] += 90
		}
	}
	v[500], v[1300] = -261969, -261890
	set := series.Set{StepS: 1, Columns: []series.Column{{Name: "power", Unit: "W", Scope: series.JobScope, Values: v}}}
	r := detect(t, set)
	if len(r.Periods) == 0 || math.Abs(r.Periods[0].PeriodS-9) > 0.05 || r.Periods[0].Coverage < 0.9 {
		t.Errorf("%+v %v, want 9 s", r.Periods, r.Notes)
	}
}

// A power trace has long flat stretches between steps of work: cycles of 28 s with jitter, of
// which every fourth is followed by a pause, at each rate that resolves them.
func TestDetectPowerTrace(t *testing.T) {
	for _, hz := range []float64{1, 2, 5, 10} {
		rng := rand.New(rand.NewPCG(7, 7))
		var v series.Values
		level := func(watts, seconds float64) {
			for range int(math.Round(seconds * hz)) {
				v = append(v, float32(watts+1.5*rng.NormFloat64()))
			}
		}
		for i := range 24 {
			level(545, 13.5+0.3*rng.NormFloat64())
			level(152, 14.5+0.3*rng.NormFloat64())
			if i%8 == 7 {
				level(126, 25+30*rng.Float64())
			}
		}
		set := series.Set{StepS: 1 / hz,
			Columns: []series.Column{{Name: "power", Unit: "W", Scope: series.JobScope, Values: v}}}
		r := detect(t, set)
		if len(r.Periods) == 0 || !near(r.Periods[0].PeriodS, 28, 0.03) {
			t.Errorf("at %g Hz: %+v %v, want 28 s", hz, r.Periods, r.Notes)
		}
	}
}
