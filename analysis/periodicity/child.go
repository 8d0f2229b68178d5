package periodicity

import "math"

// childFit is a shorter period inside another one, as found where that one was acquired.
type childFit struct {
	lag, confidence float64
	perUnit         float64 // occurrences in one instance of the parent
}

// A child repeats at least childRatio times in its parent and fills at least
// childCoverage of it: two or three dips that look alike are no inner loop.
const (
	childRatio    = 8
	childCoverage = 0.4
)

// inner returns at most one period inside the instances of x: the first acceptable one of the first three candidates
// that are short enough (childRatio) and overlap x. It must fill childCoverage of x and repeat at least childRatio
// times in an instance of x.
func (h *searcher) inner(p *pyramid, x fit, cand []candidate) []childFit {
	for i, tried := 0, 0; i < len(cand) && tried < 3; i++ {
		c := cand[i]
		if c.lag > x.lag/childRatio || c.b < x.a || c.a > x.b {
			continue
		}
		tried++
		lo, hi := widenPlace(c, x.a, x.b)
		y, ok := h.fitLag(p, c.lag, lo, hi, c.a, c.b)
		if !ok || !isAcceptable(y, p.at(y.level).noise) {
			continue
		}
		if y = h.refit(p, h.fundamental(p, y), x.a, x.b); y.covered() < childCoverage*x.covered() ||
			y.distance > meanDistance/4 {
			continue
		}
		n := float64(len(y.occ) * y.t.periods)
		perUnit := n / max(1, float64(len(x.occ)*x.t.periods))
		if perUnit < childRatio {
			continue
		}
		return []childFit{{
			lag:        y.lag,
			perUnit:    perUnit,
			confidence: max(0, 1-y.distance/maxDistance) * (1 - math.Exp(-n/10)),
		}}
	}
	return nil
}

// covered returns the number of samples in the occurrences of a fit.
func (f fit) covered() float64 {
	n := 0
	for _, o := range f.occ {
		n += o.length()
	}
	return float64(n << f.level)
}
