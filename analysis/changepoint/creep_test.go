package changepoint

import (
	"math"
	"math/rand/v2"
	"testing"
)

// creepingRuns are 25 runs of one level and 75 in which it creeps by pct percent, beside noise
// sd with outliers and correlation phi.
func creepingRuns(r *rand.Rand, pct, sd, phi float64) []float64 {
	const lead, long = 25, 75
	x := make([]float64, lead+long)
	e := r.NormFloat64()
	for i := range x {
		x[i] = math.Log(60) + math.Log1p(pct/100)*rampFraction(i, lead, lead+long) + sd*e
		if r.Float64() < 0.04 {
			x[i] += 0.05 + math.Abs(r.NormFloat64())*0.4
		}
		e = phi*e + math.Sqrt(1-phi*phi)*r.NormFloat64()
	}
	return x
}

// seconds are the values of logarithms.
func seconds(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = math.Exp(v)
	}
	return y
}

// judged is what is said of runs, one a day.
func judged(x []float64) SeriesResult {
	t := make([]float64, len(x))
	for i := range t {
		t[i] = float64(i)
	}
	return Analyse([]Series{{ID: "x", T: t, Y: seconds(x)}}, Sequential, Default()).Series[0]
}

// A slow drift is reported as one, with its range and its beginning; its continuation is not reported as news
// of the newest runs.
func TestCreepsAreReported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sd, phi     float64
		good, watch int
	}{{0.02, 0, 95, 4}, {0.026, 0, 90, 4}, {0.026, 0.5, 55, 8}} {
		r := rand.New(rand.NewPCG(16, 12))
		good, watch := 0, 0
		for range 100 {
			x := creepingRuns(r, 24, c.sd, c.phi)
			res := judged(x)
			k := res.Creep
			if k == nil {
				continue
			}
			if math.Abs(k.EffectPct-24) <= 5 && math.Abs(100*(k.To/k.From-1)-k.EffectPct) < 1e-6 && abs(k.FirstIndex-25) <= 8 &&
				k.LastIndex > 85 {
				good++
			}
			if u := res.Unconfirmed(seconds(x), 2); u.Runs > 1 {
				watch++
			}
		}
		t.Logf("noise %.3f, correlation %.1f: %d of 100 creeps told right, %d with news of the last runs", c.sd, c.phi, good,
			watch)
		if good < c.good || watch > c.watch {
			t.Errorf("noise %.3f, correlation %.1f: %d of 100 creeps told right, want %d; %d with news of the last runs, "+
				"want %d at most",
				c.sd, c.phi, good, c.good, watch, c.watch)
		}
	}
}

// No drift is reported for noise, correlated or not, for two levels, and for one to three steps of the same
// total size.
func TestStepsAndNoiseAreNoCreep(t *testing.T) {
	t.Parallel()
	steps := func(n int) func(*rand.Rand, int) []float64 {
		return func(r *rand.Rand, _ int) []float64 {
			x := creepingRuns(r, 0, 0.02, 0)
			for i := range x {
				x[i] += math.Log1p(0.24) * math.Floor(float64(i*(n+1))/float64(len(x))) / float64(n)
			}
			return x
		}
	}
	for name, draw := range map[string]func(*rand.Rand, int) []float64{
		"noise":          func(r *rand.Rand, _ int) []float64 { return creepingRuns(r, 0, 0.02, 0) },
		"correlation .7": func(r *rand.Rand, _ int) []float64 { return creepingRuns(r, 0, 0.02, 0.7) },
		"two levels":     func(_ *rand.Rand, i int) []float64 { return turning(uint64(i), 100, 0.1, 0.1) },
		"one step":       steps(1), "two steps": steps(2), "three steps": steps(3),
	} {
		r := rand.New(rand.NewPCG(16, 13))
		told := 0
		for i := range 100 {
			if judged(draw(r, i)).Creep != nil {
				told++
			}
		}
		t.Logf("%s: %d of 100 told as a creep", name, told)
		if told > 1 {
			t.Errorf("%s: %d of 100 told as a creep", name, told)
		}
	}
}
