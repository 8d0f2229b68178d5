package changepoint

import (
	"math"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// stay is the runs between two boundaries with the level fitted to them.
type stay struct {
	first, last int // inclusive
	level
	s  float64 // noise, log units
	df float64
}

// stays fits a level to every piece of the history between boundaries, with a
// noise that leans on that of the pieces before it.
func (sc *scanner) stays(bounds []int) []stay {
	var out []stay
	for q, first := range bounds {
		end := len(sc.x)
		if q+1 < len(bounds) {
			end = bounds[q+1]
		}
		out = append(out, sc.stay(first, end))
	}
	return out
}

// stay fits the runs [first,end).
func (sc *scanner) stay(first, end int) stay {
	x := sc.x[first:end]
	b := memory(sc.buf, sc.x[:first])
	sorted := ranked(nil, x)
	s := max(math.Sqrt((b.weight*b.s*b.s+float64(len(x)-1)*sq(robust.MAD(x)))/(b.weight+float64(len(x)-1))), scatter.Least)
	var v level
	for range 3 {
		l := sc.loss(s)
		v = l.fit(x, sorted)
		ss := 0.0
		for _, y := range x {
			ss += l.Weight(y-v.mu) * sq(y-v.mu)
		}
		s = max(math.Sqrt((b.weight*b.s*b.s+ss)/(b.weight+max(v.weight-1, 0.5))), scatter.Least)
	}
	return stay{first: first, last: end - 1, level: v, s: s, df: b.weight + max(v.weight-1, 0.5)}
}

func sq(v float64) float64 { return v * v }

// regime puts a stay in the units of the input and names its outliers: runs
// that belong to the floor rather than to the level.
func (sc *scanner) regime(st stay) (Regime, []int) {
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
