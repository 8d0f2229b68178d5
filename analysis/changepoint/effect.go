package changepoint

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"jobgait/analysis/changepoint/scatter"
)

// effectRuns is the most runs on each side of a change from which its effect is estimated: runs farther away
// may contain undetected changes.
const effectRuns = 30

// effects re-estimates the effect of every event from the levels before and after it, with all runs that have
// arrived since. Runs at which the change may have happened belong to neither side.
func (sc *scanner) effects(ev []event) {
	weak := newUnseen(len(ev), len(sc.x), sc.likeness(ev))
	for q := range ev {
		from, next := 0, len(sc.x)
		if q > 0 {
			from = ev[q-1].resumed
		}
		if q+1 < len(ev) {
			next = ev[q+1].index
		}
		e := &ev[q]
		before := max(from, e.index-effectRuns)
		after := min(next, e.resumed+effectRuns)
		l := sc.fitLevel(before, max(min(e.first, e.index), min(before+3, e.index)))
		r := sc.fitLevel(min(max(e.resumed, e.last), max(after-3, e.resumed)), after)
		sc.effect(e, l, r, weak)
	}
}

// effect sets the effect and the 95 % interval of one event from the levels on both sides, in log units.
func (sc *scanner) effect(e *event, l, r fittedLevel, weak unseenChanges) {
	s, df := sc.noiseAtEvent(l, r)
	inflL, inflR := sc.levelInflation(l, weak.like), sc.levelInflation(r, weak.like)
	alone := s * math.Sqrt(1/l.weight+1/r.weight) // if runs were independent
	se := s * math.Sqrt(inflL/l.weight+inflR/r.weight)
	weak.adjustForWeak(math.Abs(r.mu-l.mu) / se)
	before, varBefore := sc.levelNextToEvent(l, true, s, weak)
	after, varAfter := sc.levelNextToEvent(r, false, s, weak)
	wide := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(0.975) / 1.96 * math.Sqrt(1+(varBefore+varAfter)/sq(se))
	delta := r.mu + after - l.mu - before
	sign := 1.0
	if delta < 0 {
		sign = -1
	}
	z := sign * delta / se
	// Later runs may show less than the threshold: then the effect at detection was little above it, and only that
	// excess is removed from the estimate.
	share := math.Min(1, math.Sqrt(e.info/(1/(1/l.weight+1/r.weight))))
	sel := selection{bar: min(scoreShare*e.bar*alone/se, share*z-0.3), share: share}
	mid := max(0, sel.trueRatio(z, 0.5))
	lo, hi := sel.trueRatio(z, 0.975), max(mid, sel.trueRatio(z, 0.025))
	lo, hi = mid-(mid-lo)*wide, mid+(hi-mid)*wide
	e.effect, e.lo, e.hi = sign*mid*se, sign*lo*se, sign*hi*se
	if sign < 0 {
		e.lo, e.hi = e.hi, e.lo
	}
}

// priorFades is the number of degrees of freedom after which the prior of the noise has half its weight: with
// its full weight intervals of noise of 0.5 % are 12 % too wide beside 60 runs.
const priorFades = 5

// noiseAtEvent returns the noise of the runs on both sides of an event and, from differences of consecutive
// runs, of those before, in log units, with its degrees of freedom.
func (sc *scanner) noiseAtEvent(l, r fittedLevel) (s, df float64) {
	ss, sw := 0.0, -2.0
	for _, side := range []fittedLevel{l, r} {
		loss := sc.loss(side.s)
		for _, v := range sc.x[side.first : side.last+1] {
			w := loss.Weight(v - side.mu)
			ss, sw = ss+w*sq(v-side.mu), sw+w
		}
	}
	sw = max(sw, 0.5)
	if before := sc.x[max(0, l.first-memoryRuns):l.first]; len(before) >= 5 {
		m := min(memoryEach*float64(len(before)-1), memoryCap)
		ss, sw = ss+m*sq(scatter.NoiseOfSteps(sc.buf, before)), sw+m
	}
	m := scatter.PriorRuns / (1 + sw/priorFades)
	df = sw + m
	return max(math.Sqrt((ss+m*sq(scatter.PriorSD))/df), scatter.LeastNoise), df
}

// scoreShare is the share of the score required at detection for which effects are corrected: a change that
// misses once has further chances. At 0 effects of changes of strength 4.5 to 6 are 9 to 17 % too large.
const scoreShare = 0.9

// selection is the condition under which a change was detected: its statistic then, based on share of the
// information known now (as a ratio of standard errors), was above bar. An estimate that ignores this is 14 %
// too large for changes that were just detected.
type selection struct{ bar, share float64 }

// trueRatio returns the true ratio of effect to standard error for which a ratio up to z is observed with
// probability p, given the selection.
func (s selection) trueRatio(z, p float64) float64 {
	plain := z - distuv.UnitNormal.Quantile(p)
	if s.share*z > s.bar+5 {
		return plain
	}
	lo, hi := plain-6, plain+1
	for range 30 {
		m := (lo + hi) / 2
		if s.conditionalChance(z, m) > p {
			lo = m
		} else {
			hi = m
		}
	}
	return (lo + hi) / 2
}

// conditionalChance returns the probability of a ratio up to z if the true ratio is theta, given that the ratio
// at detection was above the bar.
func (s selection) conditionalChance(z, theta float64) float64 {
	const steps = 40 // of at most 0.3: rest must not be much less
	mean := s.share * theta
	rest := math.Sqrt(max(1-s.share*s.share, 0.04))
	from := max(s.bar, mean-6)
	width := max(mean+6, s.bar+6) - from
	in, all := 0.0, 0.0
	for q := range steps {
		u := from + width*(float64(q)+0.5)/steps
		d := math.Exp(-sq(u-mean)/2 + sq(max(0, s.bar-mean))/2)
		all += d
		in += d * phiNormal((z-theta-s.share*(u-mean))/rest)
	}
	return in / all
}

// phiNormal returns the standard normal distribution function at z.
func phiNormal(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }
