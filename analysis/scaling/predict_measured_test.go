package scaling

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/analysis/note"
)

// A size measured several times within 2 % has an interval of that order, whatever
// laws the points allow. The values fall almost linearly towards zero, which many
// laws follow up to there and few beyond.
func TestIntervalAtMeasuredSize(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, repetitions := range []int{3, 6} {
		s := Series{Parameter: "x", Metric: "time", Targets: []float64{55, 50}}
		for k, v := range []float64{725, 504, 318, 180, 82} {
			for range repetitions {
				s.Observations = append(s.Observations, Observation{P: 20 + 10*float64(k), Value: v * (1 + 0.008*r.NormFloat64())})
			}
		}
		result := Analyse([]Series{s}, Likelihood)[0]
		sound(t, result)
		p := result.Predictions[0]
		if p.P != 60 || p.Lo < 60 || p.Hi > 104 || p.LawLo < p.Lo || p.LawHi > p.Hi || math.Abs(p.Value/82-1) > 0.05 {
			t.Errorf("%d repetitions: %+v, want 82 within the scatter of the measurements", repetitions, p)
		}
		for _, p := range result.Predictions {
			// A smaller size must not get the value of the largest one.
			if between := p.P == 55 && (p.Value < 90 || p.Value > 150); between ||
				p.P == 50 && math.Abs(p.Value/180-1) > 0.1 {
				t.Errorf("%d repetitions: %+v, want the law between 180 and 82", repetitions, p)
			}
		}
		for _, n := range result.Notes {
			if n.Code == note.Unbounded && n.Text[:9] == "at x = 60" {
				t.Errorf("%d repetitions: %s", repetitions, n.Text)
			}
		}
	}
}

// Intervals at the largest size of two laws hold the mean that was measured.
func TestMeasuredMeanIsInItsInterval(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for k := range 40 {
		n := 6 + k%6
		f, g := drawLaw(r, k%2 == 0), drawLaw(r, k%3 == 0)
		s := runsOf(upTo(n), 3, func(p float64) float64 {
			if p > float64(n-2) {
				return g(p)
			}
			return f(p)
		})
		result := Analyse([]Series{s}, Likelihood)[0]
		p, y := result.Predictions[0], Means(s.Observations)[n-1]
		if p.P == float64(n) && (y < p.Lo || y > p.Hi) {
			t.Errorf("series %d: mean %g outside %g .. %g", k, y, p.Lo, p.Hi)
		}
	}
}

// At a measured size no interval is wider than the measurements there allow, whatever the laws.
func TestIntervalsAtMeasuredSizesAreNotTooWide(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for k := range 120 {
		n, repetitions, noise := 6+r.IntN(5), 2+r.IntN(5), 0.002+0.03*r.Float64()
		law, step := drawLaw(r, k%2 == 0), 1.0
		if k%3 == 0 {
			step = 2
		}
		s := Series{Parameter: "p", Metric: "time"}
		for p := range n {
			f := law(float64(p + 1))
			if p >= n/2 {
				f *= step
			}
			for range repetitions {
				s.Observations = append(s.Observations, Observation{P: float64(p + 1), Value: f * (1 + noise*r.NormFloat64())})
			}
			s.Targets = append(s.Targets, float64(p+1))
		}
		result := Analyse([]Series{s}, Likelihood)[0]
		sound(t, result)
		if slices.ContainsFunc(result.Notes, func(n note.Note) bool { return n.Code == note.LoneExtreme }) {
			continue // the size of a value that was left out is not a measured one
		}
		measured := Means(s.Observations)
		misfit := misfitOf(result, measured)
		for _, p := range result.Predictions {
			if p.Extrapolated {
				continue
			}
			mean := measured[int(p.P)-1]
			if mean < p.Lo || mean > p.Hi {
				t.Errorf("series %d: at %g %.4g .. %.4g, but %.4g was measured", k, p.P, p.Lo, p.Hi, mean)
			}
			// The interval of a new mean in view of the measured one has a width of 5.5 standard deviations, of runs
			// or of sizes around the laws; it may be 1.5 times as wide, and the deviation is estimated from few runs.
			if limit := (12*max(noise, misfit) + 0.02) * mean; p.Hi-p.Lo > limit {
				t.Errorf("series %d, noise %.3f, misfit %.3f: at %g %.4g .. %.4g, want a width of at most %.4g", k, noise, misfit,
					p.P, p.Lo, p.Hi, limit)
			}
		}
	}
}

// misfitOf returns the standard deviation of the measured means around the laws of the segments, relative to them.
func misfitOf(r Result, measured []float64) float64 {
	squares, free := 0.0, 0
	for _, s := range r.Segments {
		if s.Model == nil {
			continue
		}
		for k := s.First; k <= s.Last; k++ {
			d := s.Model.At(float64(k+1))/measured[k] - 1
			squares += d * d
		}
		free += s.Last - s.First - len(s.Model.Terms)
	}
	return math.Sqrt(squares / float64(max(free, 1)))
}
