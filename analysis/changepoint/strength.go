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

// judge decides whether split c of the window [i,j) is committed: against
// independent noise, against correlated noise and against two levels that take
// turns, each with what is asked for few runs and unsure noise.
func (sc *scanner) judge(i, j int, c split, b belief) verdict {
	if math.IsInf(c.evidence, -1) {
		return verdict{}
	}
	few := sc.fewRuns(c.right.weight, c.right.mu > c.left.mu)
	if i == 0 {
		few += sc.fewRuns(c.left.weight, c.left.mu > c.right.mu)
	}
	if sc.flips != nil && sc.flips[i+c.k] > 0 {
		few *= 1 - sc.p.FlipFew
	}
	v := verdict{asked: sc.p.Threshold + few + sc.p.SmallSample/c.df}
	v.margin = c.evidence - v.asked
	if v.margin <= 0 {
		return v
	}
	v.asked = max(1, v.asked-sc.expected(i+c.k)) // of the values alone
	left, correlation := sc.dependence(i, j, c, b)
	correlated := left - few - sc.p.SmallCorrelated/c.df - sc.p.Correlated
	if sc.prior != nil {
		correlated += sc.prior[i+c.k] // other series do not share this one's streaks
	}
	if correlated <= 0 {
		return v
	}
	turns := sc.alternating(i, j, c) + max(0, sc.expected(i+c.k))
	if turns < 0 {
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
