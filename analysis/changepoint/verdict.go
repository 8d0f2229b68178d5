package changepoint

import "math"

const (
	// smallSample and smallCorrelated, divided by the degrees of freedom, are added to the two thresholds if the
	// noise is unknown. With a spread of correlations (phiSD) of 0.15 and thresholds of 5 correlation .5 gives 3
	// false events per 1000 runs, with 0.2 and 8.5 it gives 0.5.
	smallSample     = 70
	smallCorrelated = 15

	// maxRatedPhi is the correlation of the residuals, in standard errors, above which no false alarm rate is
	// given, and minRatedTurns the margin over alternation, in nats, below which none is given: it would be wrong.
	// With 5.5 nats levels that stay with .9 give up to .06 events with a rate per 1000 runs, where a third of
	// that was said; with 6.5 up to .02, and one true change in six has a rate, not four.
	maxRatedPhi   = 1
	minRatedTurns = 6.5
)

// verdict is the decision on a claim and its margin.
type verdict struct {
	committed bool
	// margin is the margin, in nats, of the weakest of the tests.
	margin float64
	// required is the evidence, in nats, that was required against independent noise.
	required float64
	// doubtful reports that dependent noise nearly explains the claim, so that its false alarm rate is unknown.
	doubtful bool
}

// testClaim decides whether a claim is committed. It must pass the tests against independent noise, alternation between
// two levels, noise correlated from run to run, and noise that the runs of a day share, each with additional
// requirements for few runs and unknown noise. After a failed test the others are not made.
func (sc *scanner) testClaim(c *claim, b noisePrior) verdict {
	if math.IsInf(c.evidence, -1) {
		return verdict{}
	}
	few := sc.requiredForFewRuns(c)
	v := verdict{required: sc.p.Threshold + few + smallSample/c.df}
	v.margin = c.evidence - v.required
	if c.boundaries == 2 {
		v.margin = min(v.margin, c.evidence-max(0, c.single)-episodeOwn)
	}
	if v.margin <= 0 {
		return v
	}
	v.required = max(1, v.required-c.expected) // of the values alone
	// Turns first: they cost a tenth of what correlation does.
	turns := sc.marginOverTurns(c, 0)
	if turns < 0 {
		return v
	}
	// Other series do not share this one's streaks: their evidence counts here too.
	required := few + smallCorrelated/c.df + sc.p.Threshold
	left, correlation := sc.correlatedEvidence(c, b, required-c.others-roundingNats)
	correlated := left - few - smallCorrelated/c.df - sc.p.Threshold
	correlated += c.others
	if correlated <= 0 {
		return v
	}
	if correlated = min(correlated, sc.dayMargin(c, b)); correlated <= 0 {
		return v
	}
	v.committed = true
	v.margin = min(v.margin, correlated)
	v.doubtful = correlation > maxRatedPhi || turns < minRatedTurns
	return v
}

// rate returns the number of events of at least this margin in 1000 runs without a change, nil if unknown.
func (v verdict) rate() *float64 {
	if v.doubtful {
		return nil
	}
	r := falseAlarmRate(v.margin)
	return &r
}
