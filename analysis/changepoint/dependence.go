package changepoint

import "math"

// past is a finished regime as later judgements need it.
type past struct {
	first, end int // runs [first,end)
	mu, s      float64
}

// lagOne sums what a lag-1 correlation is made of.
type lagOne struct {
	product, square float64
	pairs           float64
	segments        float64
}

// add takes the residuals of x around mu, outliers by their weight.
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

// correlation returns the lag-1 correlation with the bias taken back that
// fitted means bring (about -(1+3 phi)/n for each), and its standard error.
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

// inflation is by how much correlation phi makes the variance of a mean of n
// runs larger than that of independent ones: 1 for n = 1, (1+phi)/(1-phi) in
// the limit.
func inflation(phi, n float64) float64 {
	if n <= 1 || phi == 0 {
		return 1
	}
	return (1+phi)/(1-phi) - 2*phi*(1-math.Pow(phi, n))/(n*(1-phi)*(1-phi))
}

// phiSD is the spread of the lag-1 correlation that is believed before any run:
// less trusts independence more.
const phiSD = 0.2

// dependence returns the evidence of claim c that is left when the runs are
// correlated: the least over phi of the evidence at that phi and of what the
// residuals, and the belief that phi is small, say against it. hat is the
// correlation of the residuals in standard errors.
func (sc *scanner) dependence(c *claim, b belief) (evidence, hat float64) {
	var a lagOne
	sc.told(c, func(first, end int, mu float64, l *loss) { a.add(sc.x[first:end], mu, l) })
	phi, se := a.correlation()
	evidence = c.evidence
	for f := 0.1; f < 0.85; f += 0.1 {
		against := max(0, sq((f-phi)/se)/2-sq(phi/se)/2+sq(f/phiSD)/2)
		if against > evidence {
			continue
		}
		if e := sc.correlated(c.x, c.split, b, f) + c.expected + against; e < evidence {
			evidence = e
		}
	}
	return evidence, phi / se
}

// told calls f for the levels whose runs tell how alike runs are when claim c is
// judged: those of finished regimes and of the claim, as far as is looked back.
func (sc *scanner) told(c *claim, f func(first, end int, mu float64, l *loss)) {
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

// correlated is the evidence of split c if the noise has lag-1 correlation phi.
func (sc *scanner) correlated(x []float64, c split, b belief, phi float64) float64 {
	nl := float64(c.k)
	nr := float64(len(x)) - nl
	v := variances{left: inflation(phi, nl), right: inflation(phi, nr), hidden: phi}
	v.difference = (v.left/nl + v.right/nr) / (1/nl + 1/nr)
	return sc.inflated(x, c, b, v)
}

// variances are those of the means of the two levels of a split and of their
// difference, relative to independent runs of the same variance, and the share of
// the noise that the steps from run to run hide.
type variances struct{ left, right, difference, hidden float64 }

// inflated is the evidence of split c under these variances.
func (sc *scanner) inflated(x []float64, c split, b belief, v variances) float64 {
	n := float64(len(x))
	s2 := c.s*c.s*(n-2)/max(n-v.left-v.right, 1) + b.weight*b.s*b.s*v.hidden/(1-v.hidden)/(b.weight+n-2)
	l := sc.loss(math.Sqrt(s2 * v.difference))
	left, right := l.from(x[:c.k], c.left.mu), l.from(x[c.k:], c.right.mu)
	sorted := ranked(sc.sorted, x)
	one := min(l.fit(x, sorted).cost, l.from(x, left.mu).cost, l.from(x, right.mu).cost)
	return one - left.cost - right.cost
}
