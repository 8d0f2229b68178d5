package changepoint

import (
	"math"

	"jobgait/analysis/changepoint/scatter"
)

// leaving lists the tried chances to leave a level from one run to the next. Less than one in ten cannot be
// distinguished from changes.
var leaving = [...]float64{0.1, 0.2, 0.35, 0.5, 0.7}

// lookback is how many runs are used to detect two alternating levels, and the correlation of runs.
const lookback = 120

// telling is a claim told with some of the earlier regimes before it: levels
// since run first, and the two levels that turns would take.
type telling struct {
	first  int
	pieces []piece
	a, b   float64
	// extra is what counts against changes beside their misfit: committed changes
	// from one of the levels to the other, for their rarity and for meeting an old
	// level by chance; less what a change among runs of one time would spare.
	extra float64
}

// chargeNats is what each earlier change from one of the two levels to the other
// counts against changes, beside what meeting an old level by chance is worth.
const chargeNats = 3

// tellings are the ways to tell a claim: alone, and with ever more of the regimes
// before it that began within lookback runs.
func (sc *scanner) tellings(c *claim) []telling {
	l := sc.loss(c.s)
	charge := chargeNats + max(0, -math.Log(2.5*c.s))
	from := min(c.from, max(sc.start, c.until-lookback))
	t := telling{first: from}
	for q, v := range c.pieces() {
		t.pieces = append(t.pieces, piece{max(from, v.first), max(from, v.end), v.mu})
		if q > 0 {
			t.extra += sc.slack(c.pieces()[q-1], v, &l)
		}
	}
	a := seat{c.left.mu, c.left.weight}
	b := seat{c.right.mu, c.right.weight}
	t.a, t.b = a.mu, b.mu
	all := []telling{t}
	next := &a
	for q := len(sc.past) - 1; q >= 0 && sc.past[q].first >= c.until-lookback; q-- {
		p := sc.past[q]
		at := &a
		if math.Abs(p.mu-b.mu) < math.Abs(p.mu-a.mu) {
			at = &b
		}
		at.join(p.mu, float64(p.end-p.first))
		if at != next {
			t.extra += charge // from one to the other, which turns explain
		}
		next = at
		t.first, t.a, t.b = p.first, a.mu, b.mu
		t.pieces = append([]piece{{p.first, p.end, p.mu}}, t.pieces...)
		all = append(all, t)
	}
	return all
}

// turnScales divide the noise of a claim. Where runs took turns before, the noise of the claim contains the distance
// of the two levels, and hides them.
var turnScales = [...]float64{1, 1.4, 2, 2.8}

// alternating returns by how many nats claim c explains the runs better than two levels that take turns at
// random (two kinds of nodes), beyond the requirement: the least over the number of earlier regimes that are
// explained too, as far as it decides. Both explanations take the noise that suits them best. A chain from the first
// run on needs less evidence than one that starts late.
func (sc *scanner) alternating(c *claim) float64 {
	least := math.Inf(1)
	for _, t := range sc.tellings(c) {
		x := sc.x[t.first:c.until]
		steps, turns := math.Inf(1), math.Inf(1)
		for _, divisor := range turnScales {
			s := c.s / divisor
			if divisor > 1 && s < scatter.Least {
				break
			}
			l := sc.loss(s)
			noise := float64(len(x)) * math.Log(s)
			steps = min(steps, noise+sc.stepsCost(&t, &l))
			turns = min(turns, noise+sc.turnsCost(x, t.a, t.b, &l))
		}
		least = min(least, turns-steps-t.extra-sc.askedOfTurns(t.first, c))
		if least+max(0, c.expected) <= -episodeNear {
			break // no caller distinguishes less
		}
	}
	return least
}

// stepsCost is the loss of the runs of a telling at the levels of its pieces.
func (sc *scanner) stepsCost(t *telling, l *loss) float64 {
	cost := 0.0
	for _, q := range t.pieces {
		cost += l.Total(sc.x[q.first:q.end], q.mu)
	}
	return cost
}

// turnsCost is the loss of x under a two-state chain at levels a and b, or at the levels of the runs that lie nearer
// to each: the level of a regime that took turns lies between the two.
func (sc *scanner) turnsCost(x []float64, a, b float64, l *loss) float64 {
	cost := sc.chains(x, a, b, l)
	if nearA, nearB := nearerLevels(x, a, b, l); nearA != a || nearB != b {
		cost = min(cost, sc.chains(x, nearA, nearB, l))
	}
	return cost
}

// nearerRounds is how often runs are assigned to the nearer of two levels and the levels fitted to them.
const nearerRounds = 3

// nearerLevels fits levels a and b to those of runs x that lie nearer to each.
func nearerLevels(x []float64, a, b float64, l *loss) (nearA, nearB float64) {
	for range nearerRounds {
		var p, q seat
		for _, v := range x {
			if math.Abs(v-a) < math.Abs(v-b) {
				p.join(v, l.Weight(v-a))
			} else {
				q.join(v, l.Weight(v-b))
			}
		}
		if min(p.n, q.n) < 1.5 {
			break
		}
		a, b = p.mu, q.mu
	}
	return a, b
}

// seat is one of two levels and the runs it was taken from.
type seat struct{ mu, n float64 }

// join adds n runs at level mu.
func (s *seat) join(mu, n float64) {
	if n == 0 {
		return
	}
	s.mu = (s.mu*s.n + mu*n) / (s.n + n)
	s.n += n
}

// By how many nats a change must beat turns; what they cost: MEASURED.md.
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

// Two kinds of nodes or inputs of one shape seldom differ by more than a quarter: from
// usualGap (log units) on other evidence against turns is required of the first change of
// a history, and from rareGap on turnsBrief, which 12 runs with one change give, so that
// six and six runs are a change. Where a recorded field changed there is no difference.
const (
	turnsBrief = 4.0
	usualGap   = 0.22
	rareGap    = 0.26
	// Until the first level has briefRuns, the difference of the two levels must be worth
	// lastingWorth runs: six and six, five and eight. Afterwards the new level must have
	// lastingRuns, and turnsLasting is required, which 18 runs with one change give.
	briefRuns    = 6.5
	lastingWorth = 3
	lastingRuns  = 6
	turnsLasting = 4.6
	turnsShort   = 10
)

// rare returns the evidence against turns that is required of claim c, a first change of a
// history, where usual is required of levels that are not far apart.
func rare(usual float64, c *claim) float64 {
	const rounding = .05 // a run of a level has a weight of a little less than 1
	share := min(1, (math.Abs(c.right.mu-c.left.mu)-usualGap)/(rareGap-usualGap))
	before, after := c.around[0], c.right.weight
	brief := before < briefRuns
	switch {
	case share <= 0 || c.flipped:
		return usual
	case brief && 1/(1/before+1/after) >= lastingWorth-rounding:
		return usual + (turnsBrief-usual)*share
	case !brief && after >= lastingRuns-rounding:
		return usual + (turnsLasting-usual)*share
	case before >= settledRuns:
		return turnsShort // three runs after eleven or more: chance gives them as often
	}
	return usual
}

// askedOfTurns is by how many nats claim c must beat turns since run from. A kind of nodes that stays with .8
// lasts for five runs: a first level that has lasted longer is seldom one of two, so less is required once it
// has settled. Requiring more everywhere instead holds back more changes for the same number of false events.
// Where a recorded field changed, the kind of nodes is the less likely reason. Both ends of an episode are
// turns themselves: with fewer runs they are less informative.
func (sc *scanner) askedOfTurns(from int, c *claim) float64 {
	switch {
	case from != 0:
		return turnsLate
	case c.boundaries == 2 && c.until < returnRuns:
		return returnEarly
	case c.boundaries == 2:
		return turnsReturn
	case sc.returns(c):
		return turnsAgain
	case c.around[0] < settledRuns && !c.flipped:
		return rare(turnsEarly, c)
	case c.around[0] >= longRuns:
		return turnsLong
	}
	return rare(turnsFirst, c)
}

// returns says whether a claim is of a level that was there before, and left.
func (sc *scanner) returns(c *claim) bool {
	for _, q := range sc.past {
		if math.Abs(q.mu-c.right.mu) < c.s {
			return true
		}
	}
	return false
}

// slack is by how much the steps of two pieces would cost less if the change had
// come among runs of one time, where it is not looked for; never above 0.
func (sc *scanner) slack(left, right piece, l *loss) float64 {
	best := 0.0
	d := 0.0
	for at := right.first; at+1 < right.end && !sc.separate(at+1); at++ {
		d += l.Cost(sc.x[at]-left.mu) - l.Cost(sc.x[at]-right.mu)
		best = min(best, d)
	}
	d = 0
	for at := right.first - 1; at > left.first && !sc.separate(at); at-- {
		d += l.Cost(sc.x[at]-right.mu) - l.Cost(sc.x[at]-left.mu)
		best = min(best, d)
	}
	return best
}

// chains is the least loss of x under a two-state chain at two levels.
func (sc *scanner) chains(x []float64, levelA, levelB float64, l *loss) float64 {
	sc.cum = sc.cum[:0]
	for _, v := range x {
		sc.cum = append(sc.cum, l.Likelihood(v-levelA), l.Likelihood(v-levelB))
	}
	best := math.Inf(1)
	for _, u := range leaving {
		for _, v := range leaving {
			best = min(best, chain(sc.cum, u, v))
		}
	}
	return best
}

// chain is the negative log likelihood of a two-state chain that leaves the
// first state with chance u and the second with v, given the likelihoods of
// each run in the two states.
func chain(like []float64, u, v float64) float64 {
	a, b := v/(u+v), u/(u+v)
	total := 0.0
	for q := 0; q < len(like); q += 2 {
		a, b = a*like[q], b*like[q+1]
		a, b = a*(1-u)+b*v, a*u+b*(1-v)
		if q%32 == 30 { // 16 likelihoods are above 1e-112
			s := a + b
			total += math.Log(s)
			a, b = a/s, b/s
		}
	}
	return -(total + math.Log(a+b))
}
