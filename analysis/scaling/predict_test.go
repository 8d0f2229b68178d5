package scaling

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/note"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestStudentBelow(t *testing.T) {
	for _, dof := range []float64{1, 2, 3, 5, 10, 40} {
		exact := distuv.StudentsT{Sigma: 1, Nu: dof}
		tolerance := 0.004
		if dof < 3 {
			tolerance = 0.02
		}
		for x := -30.0; x <= 30; x += 0.37 {
			if got, want := studentBelow(x, dof), exact.CDF(x); math.Abs(got-want) > tolerance {
				t.Errorf("%g degrees of freedom at %g: %.4f, want %.4f", dof, x, got, want)
			}
		}
	}
}

func TestMixtureQuantile(t *testing.T) {
	m := blend{{weight: 0.7, centre: 10, law: 1, run: 2, dof: 30}, {weight: 0.3, centre: 1000, law: 5, run: 50, dof: 4}}
	for _, run := range []bool{true, false} {
		for _, q := range []float64{0.025, 0.3, 0.5, 0.69, 0.75, 0.975} {
			if got := m.below(m.quantile(q, run), run); math.Abs(got-q) > 2*quantileError {
				t.Errorf("below the %g-quantile is %g", q, got)
			}
		}
	}
}

func TestMergingKeepsTheDistribution(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var o outlook
	var whole blend
	for range 500 {
		s := spread{centre: 100 + 20*r.NormFloat64(), law: 1 + 3*r.Float64(), run: 5}
		w := math.Exp(2 * r.NormFloat64())
		o.candidates = append(o.candidates, candidate{weight: w, dof: 6, at: []spread{s}})
		whole = append(whole, mergedLaw{w, s.centre, s.law, s.run, 6})
	}
	sum := 0.0
	for _, b := range whole {
		sum += b.weight
	}
	for i := range whole {
		whole[i].weight /= sum
		o.candidates[i].weight /= sum
	}
	merged := o.at(0)
	if len(merged) >= len(whole)/2 {
		t.Errorf("%d of %d candidates are left", len(merged), len(whole))
	}
	for _, q := range []float64{0.025, 0.5, 0.975} {
		a, b := whole.quantile(q, false), merged.quantile(q, false)
		if math.Abs(a-b) > 1 { // of a width of 80
			t.Errorf("%g-quantile %.2f, merged %.2f", q, a, b)
		}
	}
}

// drawLaw is a random function of the paper's experiment.
func drawLaw(r *rand.Rand, inside bool) func(float64) float64 {
	a, b := 1+99*r.Float64(), 1+99*r.Float64()
	t := Term{I: 3 * r.Float64(), J: 2 * r.Float64()}
	if inside {
		e := paperPairs()[r.IntN(20)]
		t = Term{I: e.i, J: e.j}
	}
	return func(p float64) float64 { return a + b*t.Shape(p) }
}

// TestCoverage is a small form of the coverage table (tables_test.go), wide
// enough not to fail by chance: of 160 intervals at a true coverage of .95, 140
// or fewer hold the new run once in 10,000 draws.
func TestCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	const draws = 160
	var held, broad [3]int
	for k := range draws {
		n, noise := 5+k%8, []float64{0, 0.02, 0.05, 0.10}[k%4]
		f := drawLaw(r, k%2 == 0)
		last, cut := f, n
		if k%3 == 0 {
			last, cut = drawLaw(r, k%2 == 0), 2+r.IntN(n-3)
		}
		s := Series{Parameter: "p", Metric: "time"}
		measure := func(v float64) float64 { return v * (1 + noise*(2*r.Float64()-1)) }
		for i := range n {
			p := float64(i + 1)
			if k%5 < 2 {
				p = math.Exp2(p)
			}
			v := f(p)
			if i >= cut {
				v = last(p)
			}
			s.Observations = append(s.Observations, Observation{P: p, Value: measure(v)})
		}
		for i, p := range Analyse([]Series{s}, Likelihood)[0].Predictions {
			if v := measure(last(p.P)); v >= p.Lo && v <= p.Hi {
				held[i]++
			}
			if p.Hi > 3*p.Lo {
				broad[i]++
			}
		}
	}
	for i, f := range ahead() {
		if held[i] <= 140 {
			t.Errorf("at %g times the largest p: %d of %d intervals hold a new run", f, held[i], draws)
		}
	}
	// Intervals that hold everything say nothing.
	if broad[0] > draws/5 || broad[2] > draws*2/3 {
		t.Errorf("intervals wider than a factor of three: %v of %d", broad, draws)
	}
}

func TestPredictionsOfAnExactLawAreClose(t *testing.T) {
	r := Analyse([]Series{ramp(10, func(p float64) float64 { return 5 + 2*p })}, Likelihood)[0]
	for _, p := range r.Predictions {
		want := 5 + 2*p.P
		if math.Abs(p.Value/want-1) > 0.02 || p.Lo > want || p.Hi < want || p.Hi/p.Lo > 1.6 {
			t.Errorf("at %g: %.3f [%.3f, %.3f], want %g", p.P, p.Value, p.Lo, p.Hi, want)
		}
		if p.Extrapolated != (p.P > 10) || p.Level != 0.95 {
			t.Errorf("%+v", p)
		}
	}
}

// TestPredictionsFollowTheLastLaw: what was before the change says nothing.
func TestPredictionsFollowTheLastLaw(t *testing.T) {
	s := ramp(14, func(p float64) float64 {
		if p > 7 {
			return 500 + p
		}
		return p * p * p
	})
	r := Analyse([]Series{s}, Likelihood)[0]
	if p := r.Predictions[1]; p.Lo > 528 || p.Hi < 528 || p.Hi > 700 {
		t.Errorf("at 28: [%.0f, %.0f], want about 528", p.Lo, p.Hi)
	}
}

// TestDisturbedRun: one run of ten at twice its law is not ten runs of noise.
func TestDisturbedRun(t *testing.T) {
	f := func(p float64) float64 { return (20 + 3*p) * (1 + 0.004*math.Sin(9*p)) }
	s := ramp(10, f)
	s.Observations[4].Value *= 2
	r := Analyse([]Series{s}, Likelihood)[0]
	for _, p := range r.Predictions {
		if want := 20 + 3*p.P; p.Lo > want || p.Hi < want || p.P == 10 && p.Hi/p.Lo > 1.1 {
			t.Errorf("at %g: [%.1f, %.1f], want %.1f and no wider than 10 %%", p.P, p.Lo, p.Hi, want)
		}
	}
}

// TestUnbounded: a prediction over a factor of ten is said to be none.
func TestUnbounded(t *testing.T) {
	p := []float64{1, 2, 4, 8, 16, 32}
	for _, c := range []struct {
		y    []float64
		want bool
	}{{[]float64{5, 7, 11, 19, 35, 67}, false}, {[]float64{10, 30, 4, 60, 9, 200}, true}} {
		r := Analyse([]Series{seriesOf(p, c.y)}, Likelihood)[0]
		if last := r.Predictions[2]; hasNote(r, note.Unbounded) != c.want || (last.Hi > 10*last.Lo) != c.want || last.Lo < 0 {
			t.Errorf("%v: %+v, %v", c.y, last, r.Notes)
		}
	}
}

// TestGrowingNoise: the interval at the end is wider when scatter is there.
func TestGrowingNoise(t *testing.T) {
	width := func(growing bool) float64 {
		s := ramp(12, func(p float64) float64 {
			scale := (13 - p) / 13
			if growing {
				scale = p / 13
			}
			return 100 * (1 + 0.1*scale*math.Sin(7*p))
		})
		p := Analyse([]Series{s}, Likelihood)[0].Predictions[0]
		return p.Hi - p.Lo
	}
	if g, s := width(true), width(false); g < 1.5*s {
		t.Errorf("width %.1f where noise grows, %.1f where it shrinks", g, s)
	}
}

func BenchmarkForesee(b *testing.B) {
	p, y := worked()
	g := grid{p: p, y: y}
	d := detect(g)
	for b.Loop() {
		o := makeOutlook(g, d, []float64{10, 20, 40})
		for t := range o.targets {
			m := o.at(t)
			for _, q := range []float64{0.025, 0.5, 0.975} {
				m.quantile(q, true)
			}
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "series/s")
}
