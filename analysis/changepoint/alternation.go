package changepoint

import (
	"math"
	"slices"

	"jobgait/analysis/changepoint/scatter"
)

// leaveChances lists the tried chances to leave a level from one run to the next. Less than one in ten cannot
// be distinguished from changes.
var leaveChances = [...]float64{0.1, 0.2, 0.35, 0.5, 0.7}

// lookback is how many runs are used to detect two alternating levels, and the correlation of runs.
const lookback = 120

// claimWithHistory is a claim extended by some of the regimes before it: its levels since run first, and the
// two levels a and b between which the alternative, alternation, would switch.
type claimWithHistory struct {
	first  int
	pieces []levelPiece
	a, b   float64
	// extra is the penalty of the changes in nats, beyond their misfit: for each committed change from one of the
	// levels to the other, less the gain of a change among runs of one time.
	extra float64
}

// chargeNats is the penalty for each earlier change from one of the two levels to the other, in addition to
// that for returning to an old level by chance.
const chargeNats = 3

// claimsWithHistory returns the claim alone, and extended by the last one, two and more of the regimes before it, as
// far as they began within lookback runs of the end of its window. The levels a and b are means over the claim and
// those of the regimes that are nearer to each.
func (sc *scanner) claimsWithHistory(c *claim) []claimWithHistory {
	l := sc.loss(c.s)
	charge := chargeNats + max(0, -math.Log(2.5*c.s))
	from := min(c.from, max(sc.start, c.until-lookback))
	t := claimWithHistory{first: from}
	for q, v := range c.pieces() {
		t.pieces = append(t.pieces, levelPiece{max(from, v.first), max(from, v.end), v.mu})
		if q > 0 {
			t.extra += sc.sameTimeGain(c.pieces()[q-1], v, &l)
		}
	}
	a := turnLevel{c.left.mu, c.left.weight}
	b := turnLevel{c.right.mu, c.right.weight}
	t.a, t.b = a.mu, b.mu
	all := []claimWithHistory{t}
	next := &a
	for q := len(sc.past) - 1; q >= 0 && sc.past[q].first >= c.until-lookback; q-- {
		p := sc.past[q]
		at := &a
		if math.Abs(p.mu-b.mu) < math.Abs(p.mu-a.mu) {
			at = &b
		}
		at.addRuns(p.mu, float64(p.end-p.first))
		if at != next {
			t.extra += charge // from one to the other, which turns explain
		}
		next = at
		t.first, t.a, t.b = p.first, a.mu, b.mu
		t.pieces = append([]levelPiece{{p.first, p.end, p.mu}}, t.pieces...)
		all = append(all, t)
	}
	return all
}

// alternationScales divide the noise of a claim. Where runs took turns before, the noise of the claim contains the
// distance of the two levels, and hides them.
var alternationScales = [...]float64{1, 1.4, 2, 2.8}

// marginOverTurns returns by how many nats claim c explains the runs better than two levels that take turns at
// random (two kinds of nodes), beyond the requirement and with the evidence from outside the values: the least over
// the number of earlier regimes that are explained too. Both explanations take the noise that suits them best. A
// chain from the first run on needs less evidence than one that starts late. The value is exact only from least on:
// most claims are refused, and one chain of the many suffices for that.
func (sc *scanner) marginOverTurns(c *claim, least float64) float64 {
	margin := math.Inf(1)
	for _, t := range sc.claimsWithHistory(c) {
		x := sc.x[t.first:c.until]
		noises := sc.turnNoises(c.s)
		steps := math.Inf(1)
		for k := range noises {
			l := &noises[k]
			steps = min(steps, float64(len(x))*math.Log(l.Scale)+sc.stepsCost(&t, l))
		}
		beyond := max(0, c.expected) - steps - t.extra - sc.requiredOverTurns(t.first, c)
		for k := range noises {
			l := &noises[k]
			noise := float64(len(x)) * math.Log(l.Scale)
			margin = min(margin, noise+sc.turnsCost(x, t.a, t.b, l, least-noise-beyond)+beyond)
			if margin < least {
				return margin
			}
		}
	}
	return margin
}

// turnNoises returns the loss functions for noise s divided by each of alternationScales, without those whose noise
// would be below scatter.LeastNoise.
func (sc *scanner) turnNoises(s float64) []loss {
	noises := make([]loss, 0, len(alternationScales))
	for _, divisor := range alternationScales {
		if divisor > 1 && s/divisor < scatter.LeastNoise {
			break
		}
		noises = append(noises, sc.loss(s/divisor))
	}
	return noises
}

// stepsCost returns the total loss, in nats, of the runs of t around the levels of its pieces.
func (sc *scanner) stepsCost(t *claimWithHistory, l *loss) float64 {
	cost := 0.0
	for _, q := range t.pieces {
		cost += l.Total(sc.x[q.first:q.end], q.mu)
	}
	return cost
}

// turnsCost returns the lower of two losses of x, in nats: that under a two-state chain at levels a and b, and that at
// the levels which nearerLevels fits, because the level of a regime that alternated lies between the two. It may return
// any loss below enough instead.
func (sc *scanner) turnsCost(x []float64, a, b float64, l *loss, enough float64) float64 {
	cost := sc.bestChainLoss(x, a, b, l, enough)
	if cost < enough {
		return cost
	}
	if nearA, nearB := nearerLevels(x, a, b, l); nearA != a || nearB != b {
		cost = min(cost, sc.bestChainLoss(x, nearA, nearB, l, enough))
	}
	return cost
}

// nearerRounds is how often runs are assigned to the nearer of two levels and the levels fitted to them.
const nearerRounds = 3

// nearerLevels fits levels a and b to those of runs x that lie nearer to each, in up to nearerRounds rounds. A round
// that leaves fewer than one and a half runs, by weight, to one of the two ends this and does not count.
func nearerLevels(x []float64, a, b float64, l *loss) (nearA, nearB float64) {
	for range nearerRounds {
		var p, q turnLevel
		for _, v := range x {
			if math.Abs(v-a) < math.Abs(v-b) {
				p.addRuns(v, l.Weight(v-a))
			} else {
				q.addRuns(v, l.Weight(v-b))
			}
		}
		if min(p.n, q.n) < 1.5 {
			break
		}
		a, b = p.mu, q.mu
	}
	return a, b
}

// turnLevel is one of the two levels of an alternation, with the number of runs from which it was estimated.
type turnLevel struct{ mu, n float64 }

// addRuns updates the level with n runs at level mu.
func (s *turnLevel) addRuns(mu, n float64) {
	if n == 0 {
		return
	}
	s.mu = (s.mu*s.n + mu*n) / (s.n + n)
	s.n += n
}

// Evidence, in nats, by which a change must explain the runs better than alternation between two levels;
// MEASURED.md has its price.
const (
	// turnsFirst is required against alternation since the first run: a change at the 12th run, when the 17th is
	// known, just passes.
	turnsFirst = 4.55
	// turnsLate is required against alternation since a later run.
	turnsLate = 0
	// turnsAgain is required for a change to a level that occurred before. Required for all later changes, it held
	// back a real one of 12 %.
	turnsAgain = 6
	// turnsLong is required where the first level had lasted for longRuns: of levels that
	// stay with .8 one in 200 does.
	turnsLong = 2
	longRuns  = 24
	// turnsEarly is required if the first level had not lasted for settledRuns (more than ten): a change passes
	// when 21 runs are known.
	turnsEarly  = 5
	settledRuns = 10.1
	// turnsReturn is required for both ends of an episode (20 runs), and returnEarly before run returnRuns: an
	// eighth of the false events of 20 % levels that stay with .8 were such episodes, two events each.
	turnsReturn = 7
	returnEarly = 10
	returnRuns  = 60
)

// Two kinds of nodes or inputs of one shape seldom differ by more than a quarter. For the first change of a
// history, the evidence required against alternation therefore falls from usualGap (log units) on. From rareGap
// on, turnsBrief suffices, which 12 runs with one change give, so that six and six runs are a change. If a
// recorded field changed, the usual evidence is required.
const (
	turnsBrief = 4.0
	usualGap   = 0.22
	rareGap    = 0.26
	// Until the first level has briefRuns, the difference of the two levels must be worth
	// lastingWorth runs: six and six, five and eight; a level of briefest or fewer is a turn. Afterwards the new
	// level must have lastingRuns, and turnsLasting is required, which 18 runs with one change give; until the first
	// level is settled turnsUnsettled, which 20 give. A change to faster runs can wait: it needs lastingWorthFaster, six
	// and twelve. With eight or ten runs instead of lastingRuns there are a sixth fewer false events, but a level that
	// ends before hides all later changes for 25 runs.
	briefest           = 4.5
	briefRuns          = 6.5
	lastingWorth       = 3
	lastingWorthFaster = 4
	lastingRuns        = 6
	turnsLasting       = 4.6
	turnsUnsettled     = 4.8
	lastSettling       = 9.5
	turnsShort         = 10
)

// requiredForWideGap returns the evidence against alternation, in nats, required of claim c, the first change of a
// history. It is usual for levels up to usualGap apart, if a recorded field changed, or if a level has too few runs.
// Otherwise it moves with the gap, up to rareGap, from usual to turnsBrief, turnsUnsettled or turnsLasting, depending
// on the numbers of runs. A new level of few runs after a settled one needs turnsShort.
func requiredForWideGap(usual float64, c *claim) float64 {
	const rounding = .05 // a run of a level has a weight of a little less than 1
	share := min(1, (math.Abs(c.right.mu-c.left.mu)-usualGap)/(rareGap-usualGap))
	before, after := c.around[0], c.right.weight
	brief, worth := before < briefRuns, float64(lastingWorth)
	if c.right.mu < c.left.mu {
		worth = lastingWorthFaster
	}
	switch {
	case share <= 0 || c.flipped || before < briefest:
		return usual
	case brief && 1/(1/before+1/after) >= worth-rounding:
		return usual + (turnsBrief-usual)*share
	case !brief && after >= lastingRuns-rounding && before < lastSettling:
		return usual + (turnsUnsettled-usual)*share
	case !brief && after >= lastingRuns-rounding:
		return usual + (turnsLasting-usual)*share
	case before >= settledRuns:
		return turnsShort // three runs after eleven or more: chance gives them as often
	}
	return usual
}

// requiredOverTurns returns by how many nats claim c must explain the runs better than alternation since run from. From
// a later run than the first, turnsLate is required. Otherwise more is required for an episode, because its two ends
// are turns themselves, for a return to an earlier level, and after a short first level: a kind of nodes that stays
// with .8 lasts for five runs. Less is required after a long level, and if a recorded field changed, which is a
// likelier reason than the kind of nodes.
func (sc *scanner) requiredOverTurns(from int, c *claim) float64 {
	switch {
	case from != 0:
		return turnsLate
	case c.boundaries == 2 && c.until < returnRuns:
		return returnEarly
	case c.boundaries == 2:
		return turnsReturn
	case sc.returnsToOldLevel(c):
		return turnsAgain
	case c.around[0] < settledRuns && !c.flipped:
		return requiredForWideGap(turnsEarly, c)
	case c.around[0] >= longRuns:
		return turnsLong
	}
	return requiredForWideGap(turnsFirst, c)
}

// returnsToOldLevel reports whether the new level of a claim differs from the level of an earlier regime by less than
// the noise of the claim.
func (sc *scanner) returnsToOldLevel(c *claim) bool {
	for _, q := range sc.past {
		if math.Abs(q.mu-c.right.mu) < c.s {
			return true
		}
	}
	return false
}

// sameTimeGain returns by how much the loss would change, at most 0, if the boundary between two consecutive pieces
// moved to the best place among runs of the same time, where no change is searched.
func (sc *scanner) sameTimeGain(left, right levelPiece, l *loss) float64 {
	best := 0.0
	d := 0.0
	for at := right.first; at+1 < right.end && !sc.startsNewTime(at+1); at++ {
		d += l.Cost(sc.x[at]-left.mu) - l.Cost(sc.x[at]-right.mu)
		best = min(best, d)
	}
	d = 0
	for at := right.first - 1; at > left.first && !sc.startsNewTime(at); at-- {
		d += l.Cost(sc.x[at]-right.mu) - l.Cost(sc.x[at]-left.mu)
		best = min(best, d)
	}
	return best
}

// bestChainLoss returns the least loss of x, in nats, under a two-state Markov chain at two levels, or the first that
// is below enough.
func (sc *scanner) bestChainLoss(x []float64, levelA, levelB float64, l *loss, enough float64) float64 {
	sc.cum = sc.cum[:0]
	for _, v := range x {
		sc.cum = append(sc.cum, l.Likelihood(v-levelA), l.Likelihood(v-levelB))
	}
	best := math.Inf(1)
	for _, u := range leaveChances {
		losses := chainLosses(sc.cum, u, &leaveChances)
		if best = min(best, slices.Min(losses[:])); best < enough {
			break
		}
	}
	return best
}

// chainLosses returns the negative log likelihood of two-state chains that leave the first state with chance u and
// the second with each of chances, given the likelihoods of each run in the two states. The chains advance together:
// each alone would wait for its own products.
func chainLosses(like []float64, u float64, chances *[len(leaveChances)]float64) [len(leaveChances)]float64 {
	var a, b, losses [len(leaveChances)]float64
	for k, v := range chances {
		a[k], b[k] = v/(u+v), u/(u+v)
	}
	for q := 0; q+1 < len(like); q += 2 {
		inA, inB := like[q], like[q+1]
		for k, v := range chances {
			p, r := a[k]*inA, b[k]*inB
			a[k], b[k] = p*(1-u)+r*v, p*u+r*(1-v)
		}
		if q%32 == 30 { // 16 likelihoods are above 1e-112
			for k := range chances {
				s := a[k] + b[k]
				losses[k] -= math.Log(s)
				a[k], b[k] = a[k]/s, b[k]/s
			}
		}
	}
	for k := range chances {
		losses[k] -= math.Log(a[k] + b[k])
	}
	return losses
}
