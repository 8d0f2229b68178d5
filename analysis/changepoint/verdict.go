package changepoint

import "math"

const (
	// smallSample and smallCorrelated, divided by the degrees of freedom, are added to the two thresholds if the
	// noise is unknown. With a spread of correlations (phiSD) of 0.15 and thresholds of 5 correlation .5 gives 3
	// false events per 1000 runs, with 0.2 and 8.5 it gives 0.5.
	smallSample     = 70
	smallCorrelated = 15

	// doubtPhi is the correlation of the residuals in standard errors above
	// which, and doubtTurns the nats over two levels below which, no rate of
	// false alarms is given: it would not be true. With 5.5 nats levels that stay
	// with .9 give up to .06 events with a rate per 1000 runs, where a third of that
	// was said; with 6.5 up to .02, and one true change in six has a rate, not four.
	doubtPhi   = 1
	doubtTurns = 6.5
)

// verdict is what is decided of a split and how clearly.
type verdict struct {
	committed bool
	// margin is by how many nats the weakest of the tests was passed.
	margin float64
	// asked is the evidence in nats by which the values had to beat independent
	// noise.
	asked float64
	// doubtful says that dependence was near to explaining it: how often
	// chance alone would do the same is then not known.
	doubtful bool
}

// judge decides whether a claim is committed: against independent noise, against correlated noise and against
// two levels that take turns, each with the additional requirements for few runs and unknown noise.
func (sc *scanner) judge(c *claim, b belief) verdict {
	if math.IsInf(c.evidence, -1) {
		return verdict{}
	}
	few := sc.few(c)
	v := verdict{asked: sc.p.Threshold + few + smallSample/c.df}
	v.margin = c.evidence - v.asked
	if c.boundaries == 2 {
		v.margin = min(v.margin, c.evidence-max(0, c.single)-episodeOwn)
	}
	if v.margin <= 0 {
		return v
	}
	v.asked = max(1, v.asked-c.expected) // of the values alone
	// Turns first: they cost a tenth of what correlation does.
	turns := sc.alternating(c) + max(0, c.expected)
	if turns < 0 {
		return v
	}
	left, correlation := sc.dependence(c, b)
	correlated := left - few - smallCorrelated/c.df - sc.p.Threshold
	correlated += c.others // other series do not share this one's streaks
	correlated = min(correlated, sc.alikeDays(c, b))
	if correlated <= 0 {
		return v
	}
	v.committed = true
	v.margin = min(v.margin, correlated)
	v.doubtful = correlation > doubtPhi || turns < doubtTurns
	return v
}

// rate returns how many events of this margin or more 1000 runs without a
// change give, nil where it is not known.
func (v verdict) rate() *float64 {
	if v.doubtful {
		return nil
	}
	r := rateAt(v.margin)
	return &r
}
