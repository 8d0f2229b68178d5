package scaling

import (
	"math"
	"slices"
)

// atMeasured replaces a prediction at a measured size by the mean of its runs, with the interval that their scatter
// gives, if the predicted interval is much wider (repeatedWider, singleWider) or does not contain the mean. It does
// nothing at other sizes, or if the scatter is hardly known.
func (w *seriesWork) atMeasured(v *Prediction, g grid) {
	measured := slices.Index(g.p, v.P)
	if measured < 0 || !positive(g.y) {
		return
	}
	scatter, dof := w.scatter(g)
	if dof < 1 || g.dof == 0 && dof < singleLeast {
		return
	}
	// A new mean and the measured one scatter alike.
	scatter = max(scatter, predictScale)
	y := g.y[measured]
	m := blend{{weight: 1, centre: y, law: scatter * y, run: math.Sqrt2 * scatter * y, dof: dof}}
	lo, hi := m.quantile((1-predictLevel)/2, true), m.quantile((1+predictLevel)/2, true)
	allowed := repeatedWider
	if g.dof == 0 {
		allowed = singleWider
	}
	if v.Hi-v.Lo <= allowed*(hi-lo) && y >= v.Lo && y <= v.Hi {
		return
	}
	v.Value, v.Lo, v.Hi = y, lo, hi
	v.LawLo, v.LawHi = m.quantile((1-predictLevel)/2, false), m.quantile((1+predictLevel)/2, false)
}

// repeatedWider and singleWider are how many times as wide as the measurements allow
// an interval may be, with repetitions and where no size has any. The choice of the
// laws makes the scatter around them small: at 1 and 2, .02 fewer of the intervals
// would hold.
const repeatedWider, singleWider = 1.5, 4

// singleLeast is the least degrees of freedom of the scatter around the laws where no
// size has repetitions: laws of three or four points follow these too closely.
const singleLeast = 5

// scatter returns the standard deviation of the mean at a size, relative to it, with its degrees of freedom:
// that of the points around the laws of the segments, and at least that of the repetitions.
func (w *seriesWork) scatter(g grid) (sd, dof float64) {
	squares := 0.0
	for _, s := range w.result.Segments {
		if s.Model == nil {
			continue
		}
		p, y := g.p[s.First:s.Last+1], g.y[s.First:s.Last+1]
		if free := len(p) - 1 - len(s.Model.Terms); free > 0 {
			squares += relativeSquares(*s.Model, p, y, weights(y))
			dof += float64(free)
		}
	}
	if !(dof > 0) || squares/dof < g.within {
		return math.Sqrt(g.within), g.dof
	}
	return math.Sqrt(squares / dof), dof
}
