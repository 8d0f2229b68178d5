package changepoint

import (
	"math"

	"jobgait/analysis/changepoint/scatter"
)

// disturbance is how runs at their level (first state) and outliers (second)
// follow each other: share of all runs are outliers, and a run after one is one
// with chance stay.
type disturbance struct{ share, enter, stay float64 }

// outlierStay is the chance that a run after an outlier is one too.
const outlierStay float64 = 0.3

func newDisturbance(o scatter.Outliers, stay float64) disturbance {
	share := o.Up + o.Down
	return disturbance{share, share * (1 - stay) / (1 - share), stay}
}

// next returns the chances of the two states of the next run.
func (d disturbance) next(now [2]float64) [2]float64 {
	return [2]float64{now[0]*(1-d.enter) + now[1]*(1-d.stay), now[0]*d.enter + now[1]*d.stay}
}

// previous returns the likelihood of what follows for the states of the run before.
func (d disturbance) previous(now [2]float64) [2]float64 {
	return [2]float64{(1-d.enter)*now[0] + d.enter*now[1], (1-d.stay)*now[0] + d.stay*now[1]}
}

// likelihood returns that of residual r in the two states, in the units of the loss.
func (d disturbance) likelihood(l *loss, r float64) [2]float64 {
	return [2]float64{math.Exp(-sq(r/l.Scale) / 2), l.Floor(r) * (1 - d.share) / d.share}
}

// times multiplies state by state.
func times(a, b [2]float64) [2]float64 { return [2]float64{a[0] * b[0], a[1] * b[1]} }
