package changepoint

import (
	"math"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// fittedLevel is the runs between two boundaries with the level and the noise fitted to them.
type fittedLevel struct {
	first, last int // inclusive
	level
	s  float64 // noise, log units
	df float64
}

// fitLevels fits a level to every piece of the history between boundaries, with the noise of earlier pieces as
// prior.
func (sc *scanner) fitLevels(bounds []int) []fittedLevel {
	var out []fittedLevel
	for q, first := range bounds {
		end := len(sc.x)
		if q+1 < len(bounds) {
			end = bounds[q+1]
		}
		out = append(out, sc.fitLevel(first, end))
	}
	return out
}

// fitLevel fits a level and its noise to the runs [first,end).
func (sc *scanner) fitLevel(first, end int) fittedLevel {
	x := sc.x[first:end]
	b := priorNoise(sc.buf, sc.x[:first])
	sorted := rankedQuartiles(nil, x)
	s := max(math.Sqrt((b.weight*b.s*b.s+float64(len(x)-1)*sq(robust.MAD(x)))/(b.weight+float64(len(x)-1))),
		scatter.LeastNoise)
	var v level
	for range 3 {
		l := sc.loss(s)
		v = l.fitLevel(x, sorted)
		ss := 0.0
		for _, y := range x {
			ss += l.Weight(y-v.mu) * sq(y-v.mu)
		}
		s = max(math.Sqrt((b.weight*b.s*b.s+ss)/(b.weight+max(v.weight-1, 0.5))), scatter.LeastNoise)
	}
	return fittedLevel{first: first, last: end - 1, level: v, s: s, df: b.weight + max(v.weight-1, 0.5)}
}

// sq returns the square of v.
func sq(v float64) float64 { return v * v }

// regimeOf converts a fitted level to the units of the input and returns its outliers: runs with a weight below
// one half.
func (sc *scanner) regimeOf(st fittedLevel) (Regime, []int) {
	l := sc.loss(st.s)
	var kept []float64
	var far []int
	for i := st.first; i <= st.last; i++ {
		if l.Weight(sc.x[i]-st.mu) < 0.5 {
			far = append(far, i)
		} else {
			kept = append(kept, math.Exp(sc.x[i]))
		}
	}
	mean, sd := robust.Mean(kept)
	return Regime{First: st.first, Last: st.last, N: st.last - st.first + 1, Mean: mean, Median: robust.Median(kept),
		SD: sd}, far
}
