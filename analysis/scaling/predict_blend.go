package scaling

import (
	"cmp"
	"math"
	"slices"
)

// normaliseWeights converts log weights to shares and keeps the heaviest candidates, a few hundred of
// thousands.
func (o *outlook) normaliseWeights() {
	slices.SortFunc(o.candidates, func(a, b candidate) int { return cmp.Compare(b.weight, a.weight) })
	if len(o.candidates) == 0 {
		return
	}
	top, sum := o.candidates[0].weight, 0.0
	for i := range o.candidates {
		c := &o.candidates[i]
		c.weight = math.Exp(c.weight - top)
		sum += c.weight
	}
	kept, n := 0.0, 0
	for n < len(o.candidates) && kept < (1-leastWeight)*sum {
		kept += o.candidates[n].weight
		n++
	}
	o.candidates = o.candidates[:n]
	for i := range o.candidates {
		o.candidates[i].weight /= kept
	}
}

// mergedLaw is the merged prediction of neighbouring candidates at one target.
type mergedLaw struct{ weight, centre, law, run, dof float64 }

// blend is the predicted distribution at one target: a mixture of merged laws.
type blend []mergedLaw

// mergeWithin: candidates whose centres are closer than this share of their
// scale are one distribution to three digits of its tails.
const mergeWithin = 0.25

// at returns the predicted distribution at target t. It merges candidates whose values differ by less than a
// fraction of their errors: hundreds of laws become tens of values. It sorts the candidates of o in place.
func (o *outlook) at(t int) blend {
	slices.SortFunc(o.candidates, func(a, b candidate) int { return cmp.Compare(a.at[t].centre, b.at[t].centre) })
	var m blend
	for _, c := range o.candidates {
		s := c.at[t]
		if n := len(m); n > 0 && s.centre-m[n-1].centre < mergeWithin*min(s.law, m[n-1].law) {
			m[n-1].join(mergedLaw{c.weight, s.centre, s.law, s.run, c.dof})
			continue
		}
		m = append(m, mergedLaw{c.weight, s.centre, s.law, s.run, c.dof})
	}
	return m
}

// join merges b into a, preserving mean and variance.
func (a *mergedLaw) join(b mergedLaw) {
	w := a.weight + b.weight
	fa, fb := a.weight/w, b.weight/w
	spread := fa * fb * (a.centre - b.centre) * (a.centre - b.centre)
	a.weight, a.centre, a.dof = w, fa*a.centre+fb*b.centre, fa*a.dof+fb*b.dof
	a.law = math.Sqrt(fa*a.law*a.law + fb*b.law*b.law + spread)
	a.run = math.Sqrt(fa*a.run*a.run + fb*b.run*b.run + spread)
}

// quantile returns the q-quantile of a new run, or of the law alone if run is false, by regula falsi with the
// Illinois step.
func (m blend) quantile(q float64, run bool) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, b := range m {
		lo = min(lo, b.centre-8*b.run)
		hi = max(hi, b.centre+8*b.run)
	}
	below, above := m.below(lo, run)-q, m.below(hi, run)-q
	for range 80 {
		if below >= 0 {
			return lo
		}
		if above <= 0 {
			return hi
		}
		mid := (lo*above - hi*below) / (above - below)
		if !(mid > lo && mid < hi) {
			break
		}
		v := m.below(mid, run) - q
		if math.Abs(v) < quantileError {
			return mid
		}
		if v < 0 {
			lo, below = mid, v
			above /= 2
		} else {
			hi, above = mid, v
			below /= 2
		}
	}
	return lo + (hi-lo)/2
}

// quantileError is the accepted error of a quantile, in probability.
const quantileError = 1e-4

// below returns the probability of a value below v, of a new run or of the law alone.
func (m blend) below(v float64, run bool) float64 {
	sum := 0.0
	for i := range m {
		b := &m[i]
		s := b.law
		if run {
			s = b.run
		}
		sum += b.weight * studentBelow((v-b.centre)/s, b.dof)
	}
	return sum
}

// studentBelow returns the distribution function of Student's t by Wallace's normal approximation: within .004
// for 3 or more degrees of freedom, and 20 times as fast as the beta function.
func studentBelow(t, dof float64) float64 {
	z := (8*dof + 1) / (8*dof + 3) * math.Sqrt(dof*math.Log1p(t*t/dof))
	return 0.5 * math.Erfc(-math.Copysign(z, t)/math.Sqrt2)
}
