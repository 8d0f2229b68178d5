package changepoint

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// nearby is how many runs on each side of a change its effect is taken from at
// most: further ones know more of later, unseen changes than of this one.
const nearby = 30

// effects refits the effect of every event to the levels before and after it,
// with all runs that have arrived since. Runs at which the change may have
// happened belong to neither side.
func (sc *scanner) effects(ev []event) {
	phi := sc.shrunkCorrelation(ev)
	weak := newUnseen(len(ev), len(sc.x), phi)
	for q := range ev {
		from, next := 0, len(sc.x)
		if q > 0 {
			from = ev[q-1].resumed
		}
		if q+1 < len(ev) {
			next = ev[q+1].index
		}
		e := &ev[q]
		before := max(from, e.index-nearby)
		after := min(next, e.resumed+nearby)
		l := sc.stay(before, max(min(e.first, e.index), min(before+3, e.index)))
		r := sc.stay(min(max(e.resumed, e.last), max(after-3, e.resumed)), after)
		sc.effect(e, l, r, weak)
	}
}

// effect sets effect and interval of one event from the levels beside it.
func (sc *scanner) effect(e *event, l, r stay, weak unseen) {
	df := l.df + r.df
	s := math.Sqrt((l.df*l.s*l.s + r.df*r.s*r.s) / df)
	se := s * math.Sqrt(inflation(weak.phi, l.weight)/l.weight+inflation(weak.phi, r.weight)/r.weight)
	before, varBefore := sc.adjacent(l, true, s, weak)
	after, varAfter := sc.adjacent(r, false, s, weak)
	wide := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(0.975) / 1.96 * math.Sqrt(1+(varBefore+varAfter)/sq(se))
	delta := r.mu + after - l.mu - before
	sel := selection{
		bar:   sc.p.Selected * e.bar,
		share: math.Min(1, math.Sqrt(e.info/(1/(1/l.weight+1/r.weight)))),
	}
	sign := 1.0
	if delta < 0 {
		sign = -1
	}
	z := sign * delta / se
	mid := sel.solve(z, 0.5)
	lo, hi := sel.solve(z, 0.975), sel.solve(z, 0.025)
	lo, hi = mid-(mid-lo)*wide, mid+(hi-mid)*wide
	e.effect, e.lo, e.hi = sign*mid*se, sign*lo*se, sign*hi*se
	if sign < 0 {
		e.lo, e.hi = e.hi, e.lo
	}
}

// shrunkCorrelation is the lag-1 correlation within all levels, drawn to 0 as
// far as it is unsure; never negative.
func (sc *scanner) shrunkCorrelation(ev []event) float64 {
	a := sc.lagOne(ev)
	hat, se := a.correlation()
	return max(0, min(0.8, hat*sq(sc.p.PhiSD)/(sq(sc.p.PhiSD)+sq(se))))
}

// lagOne sums over all levels between events, drifts left out.
func (sc *scanner) lagOne(ev []event) lagOne {
	var a lagOne
	from := 0
	for q := 0; q <= len(ev); q++ {
		end := len(sc.x)
		if q < len(ev) {
			end = ev[q].index
		}
		if end > from {
			st := sc.stay(from, end)
			l := newLoss(st.s, sc.p)
			a.add(sc.x[from:end], st.mu, &l)
		}
		if q < len(ev) {
			from = ev[q].resumed
		}
	}
	return a
}

// selection is what is known of why a change is looked at: the statistic at its
// detection, which held the share of what is known now (as a ratio of standard
// errors), was above a bar. An estimate that ignores it is 14 % too large for
// changes that were just seen.
type selection struct{ bar, share float64 }

// solve returns the true ratio theta of effect to standard error for which a
// ratio up to z is seen with chance p, given the selection.
func (s selection) solve(z, p float64) float64 {
	plain := z - distuv.UnitNormal.Quantile(p)
	if s.share*z > s.bar+5 {
		return plain
	}
	lo, hi := plain-6, plain+1
	for range 30 {
		m := (lo + hi) / 2
		if s.below(z, m) > p {
			lo = m
		} else {
			hi = m
		}
	}
	return (lo + hi) / 2
}

// below is the chance of a ratio up to z if the truth is theta, given that the
// ratio at detection was above the bar.
func (s selection) below(z, theta float64) float64 {
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

// phiNormal is the standard normal distribution function.
func phiNormal(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }
