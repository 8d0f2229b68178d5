package changepoint

import "math"

// pastRegime is a finished regime: its runs, its level mu and its noise s, in log units.
type pastRegime struct {
	first, end int // runs [first,end)
	mu, s      float64
}

// lagOne accumulates the sums for a lag-1 correlation.
type lagOne struct {
	product, square float64
	pairs           float64
	segments        float64
}

// add adds the pairs of consecutive residuals of x around mu, with outliers weighted down.
func (a *lagOne) add(x []float64, mu float64, l *loss) {
	if len(x) < 2 {
		return
	}
	r0, w0 := x[0]-mu, l.Weight(x[0]-mu)
	for _, v := range x[1:] {
		r1 := v - mu
		w1 := l.Weight(r1)
		w := w0 * w1 / (l.Scale * l.Scale)
		a.product += w * r0 * r1
		a.square += w * (r0*r0 + r1*r1) / 2
		a.pairs += w0 * w1
		r0, w0 = r1, w1
	}
	a.segments++
}

// correlation returns the lag-1 correlation, -0.5 to 0.95, and its standard error. The bias of fitted means, about
// -(1+3 phi)/n for each, is removed. It returns 0 and 1 for fewer than three pairs.
func (a *lagOne) correlation() (phi, se float64) {
	if a.pairs < 3 || a.square <= 0 {
		return 0, 1
	}
	phi = a.product / a.square
	m := a.segments / (a.pairs + a.segments)
	phi = (phi + m) / (1 - min(3*m, 0.5))
	phi = max(-0.5, min(0.95, phi))
	return phi, math.Sqrt(max(1-phi*phi, 0.1) / a.pairs)
}

// varianceInflation returns the factor by which correlation phi increases the variance of a mean of n runs: 1
// for n = 1, (1+phi)/(1-phi) in the limit.
func varianceInflation(phi, n float64) float64 {
	if n <= 1 || phi == 0 {
		return 1
	}
	return (1+phi)/(1-phi) - 2*phi*(1-math.Pow(phi, n))/(n*(1-phi)*(1-phi))
}

// phiSD is the prior standard deviation of the lag-1 correlation; a smaller value assumes more independence.
const phiSD = 0.2

// correlatedEvidence returns the evidence of claim c, in nats, if runs are correlated: the least, over the
// correlation phi, of the evidence at phi plus the improbability of phi by the residuals and the prior. Any evidence
// below enough may be returned. hat is the correlation of the residuals in standard errors.
func (sc *scanner) correlatedEvidence(c *claim, b noisePrior, enough float64) (evidence, hat float64) {
	var a lagOne
	sc.eachLevel(c, func(first, end int, mu float64, l *loss) { a.add(sc.x[first:end], mu, l) })
	phi, se := a.correlation()
	evidence = c.evidence
	for f := 0.1; f < 0.85 && evidence >= enough; f += 0.1 {
		against := max(0, sq((f-phi)/se)/2-sq(phi/se)/2+sq(f/phiSD)/2)
		if against > evidence {
			continue
		}
		if e := sc.evidenceAtCorrelation(c.x, c.split, b, f) + c.expected + against; e < evidence {
			evidence = e
		}
	}
	return evidence, phi / se
}

// eachLevel calls f for the levels from whose runs the correlation is estimated to test claim c: those of
// finished regimes and of the claim, from lookback runs before the start of the claim on.
func (sc *scanner) eachLevel(c *claim, f func(first, end int, mu float64, l *loss)) {
	from := c.from - lookback
	for n := len(sc.past) - 1; n >= 0 && sc.past[n].end > from; n-- {
		q := sc.past[n]
		l := sc.loss(q.s)
		f(max(q.first, from), q.end, q.mu, &l)
	}
	l := sc.loss(c.s)
	for _, q := range c.pieces() {
		if q.end > from {
			f(max(q.first, from), q.end, q.mu, &l)
		}
	}
}

// evidenceAtCorrelation returns the evidence of split c, in nats, if the noise has lag-1 correlation phi.
func (sc *scanner) evidenceAtCorrelation(x []float64, c split, b noisePrior, phi float64) float64 {
	nl := float64(c.k)
	nr := float64(len(x)) - nl
	v := variances{left: varianceInflation(phi, nl), right: varianceInflation(phi, nr), hidden: phi}
	v.difference = (v.left/nl + v.right/nr) / (1/nl + 1/nr)
	return sc.evidenceAtVariances(x, c, b, v)
}

// variances holds the factors by which correlation increases the variances of a split's two means and of their
// difference, and the share of the noise that differences between consecutive runs do not show.
type variances struct{ left, right, difference, hidden float64 }

// evidenceAtVariances returns the evidence of split c, in nats, with these variances.
func (sc *scanner) evidenceAtVariances(x []float64, c split, b noisePrior, v variances) float64 {
	n := float64(len(x))
	s2 := c.s*c.s*(n-2)/max(n-v.left-v.right, 1) + b.weight*b.s*b.s*v.hidden/(1-v.hidden)/(b.weight+n-2)
	l := sc.loss(math.Sqrt(s2 * v.difference))
	left, right := l.descendFrom(x[:c.k], c.left.mu), l.descendFrom(x[c.k:], c.right.mu)
	sorted := rankedQuartiles(sc.sorted, x)
	one := min(l.fitLevel(x, sorted).cost, l.descendFrom(x, left.mu).cost, l.descendFrom(x, right.mu).cost)
	return one - left.cost - right.cost
}
