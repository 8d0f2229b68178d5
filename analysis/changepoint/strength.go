package changepoint

import "math"

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

// judge decides whether a claim is committed: against independent noise, against
// correlated noise and against two levels that take turns, each with what is
// asked for few runs and unsure noise.
func (sc *scanner) judge(c *claim, b belief) verdict {
	if math.IsInf(c.evidence, -1) {
		return verdict{}
	}
	few := sc.few(c)
	v := verdict{asked: sc.p.Threshold + few + sc.p.SmallSample/c.df}
	v.margin = c.evidence - v.asked
	if c.boundaries == 2 {
		v.margin = min(v.margin, c.evidence-max(0, c.single)-sc.p.EpisodeOwn)
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
	correlated := left - few - sc.p.SmallCorrelated/c.df - sc.p.Correlated
	correlated += c.others // other series do not share this one's streaks
	correlated = min(correlated, sc.alikeDays(c, b))
	if correlated <= 0 {
		return v
	}
	v.committed = true
	v.margin = min(v.margin, correlated)
	v.doubtful = correlation > sc.p.DoubtPhi || turns < sc.p.DoubtTurns
	return v
}

// rate returns how many events of this margin or more 1000 runs without a
// change give, nil where it is not known.
func (v verdict) rate(p Params) *float64 {
	if v.doubtful {
		return nil
	}
	r := p.Rate.At(v.margin)
	return &r
}

// Rate is how often chance gives an event: PerThousand at a margin of 0, a
// factor e less for every Fold nats, never below Floor, beyond which nothing was seen.
type Rate struct{ PerThousand, Fold, Floor float64 }

// At returns the rate of events of at least that margin.
func (r Rate) At(margin float64) float64 {
	return max(r.Floor, r.PerThousand*math.Exp(-margin/r.Fold))
}
