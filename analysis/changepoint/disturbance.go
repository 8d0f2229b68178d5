package changepoint

import (
	"math"

	"jobgait/analysis/changepoint/scatter"
)

// disturbance is a Markov chain of runs at their level (first state) and outliers (second state): share is the
// share of outliers, enter and stay are the chances that a run after a normal run and after an outlier is an
// outlier.
type disturbance struct{ share, enter, stay float64 }

// outlierStay is the chance that a run after an outlier is one too.
const outlierStay float64 = 0.3

// newDisturbance returns the chain with the share of outliers of o, in which a run after an outlier is one with
// chance stay.
func newDisturbance(o scatter.Outliers, stay float64) disturbance {
	share := o.Up + o.Down
	return disturbance{share, share * (1 - stay) / (1 - share), stay}
}

// next returns the chances of the two states of the next run, given those of this one.
func (d disturbance) next(now [2]float64) [2]float64 {
	return [2]float64{now[0]*(1-d.enter) + now[1]*(1-d.stay), now[0]*d.enter + now[1]*d.stay}
}

// previous returns the likelihood of the later runs for each state of the run before, given that for each state
// of this one.
func (d disturbance) previous(now [2]float64) [2]float64 {
	return [2]float64{(1-d.enter)*now[0] + d.enter*now[1], (1-d.stay)*now[0] + d.stay*now[1]}
}

// likelihood returns the likelihood of residual r in each of the two states.
func (d disturbance) likelihood(l *loss, r float64) [2]float64 {
	return [2]float64{math.Exp(-sq(r/l.Scale) / 2), l.Floor(r) * (1 - d.share) / d.share}
}

// multiplyStates multiplies two pairs of numbers state by state.
func multiplyStates(a, b [2]float64) [2]float64 { return [2]float64{a[0] * b[0], a[1] * b[1]} }
