package scaling

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
)

// otherLaw is the law fitted to the points that are not excluded, with its noise; it can be evaluated at all
// points.
type otherLaw struct {
	excluded []int
	model    Model
	p        []float64
	squares  float64 // relative to the values
	noise    float64 // standard deviation relative to the value
	free     float64 // degrees of freedom
}

// at returns the value of the law at point k.
func (f otherLaw) at(k int) float64 { return f.model.At(f.p[k]) }

// isSimple reports whether the law has one term at most and leaves little of the values: seven points are too few
// for more coefficients.
func (f otherLaw) isSimple() bool { return len(f.model.Terms) <= 1 && f.noise <= simpleNoise }

// lawWithout returns the law of the points that are not excluded; ok is false if they are fewer than badOthers
// or more than MaxLikelihoodPoints, if a value is not positive, or if they do not follow one law.
func (s *badRunSearch) lawWithout(excluded []int) (f otherLaw, ok bool) {
	f.excluded = excluded
	for _, pt := range s.points {
		f.p = append(f.p, pt.p)
	}
	r := s.lawSearch(excluded)
	if len(r.p) < badOthers || len(r.p) > MaxLikelihoodPoints || !positive(r.y) {
		return f, false
	}
	r.u = weights(r.y)
	f.model, f.squares = r.bestLaw()
	f.free = float64(len(r.p) - 1 - len(f.model.Terms))
	f.noise = max(math.Sqrt(f.squares/f.free), noiseLow)
	return f, f.noise <= badNoise
}

// lawSearch returns the search for a law of the points that are not excluded, without weights.
func (s *badRunSearch) lawSearch(excluded []int) (r lawSearch) {
	for _, k := range s.placesWithout(excluded) {
		r.p = append(r.p, s.points[k].p)
		r.y = append(r.y, robust.MedianInPlace(slices.Clone(s.points[k].values)))
	}
	r.count = len(r.p)
	if r.count > 0 {
		r.basis = newBasis(append(paperPairs(), decreasingShapes()...), r.p)
	}
	return r
}

// bestLaw returns the best law and its sum of squares relative to the values.
func (r *lawSearch) bestLaw() (m Model, squares float64) {
	m, _ = r.law()
	return m, relativeSquares(m, r.p, r.y, r.u)
}

// shortSegment reports whether a bad run at point k, at most mostShort points from an end, may belong to another law
// that begins there: without k and the points beyond it, the others follow no law, or a law that does not exclude k, or
// one that the points beyond do not follow. suspects are left out in any case.
func (s *badRunSearch) shortSegment(k int, suspects []int) bool {
	n := len(s.points)
	var beyond []int
	for i := range n {
		if (k <= mostShort && i < k || k >= n-1-mostShort && i > k) && !slices.Contains(suspects, i) {
			beyond = append(beyond, i)
		}
	}
	if len(beyond) == 0 {
		return false
	}
	f, ok := s.lawWithout(append(beyond, suspects...))
	return !ok || !s.isUnexplained(k, f) || slices.ContainsFunc(beyond, func(i int) bool { return s.isFar(i, f) })
}

// isUnexplained reports whether no law explains the value at point k and the points of f together: the best one
// leaves far more than f does without the value. The value has the weight of what f predicts, so that short
// runs count no more than long ones.
func (s *badRunSearch) isUnexplained(k int, f otherLaw) bool {
	v, law := s.points[k].mean(), f.at(k)
	if !(law > 0) || !s.isFar(k, f) {
		return false
	}
	if v <= 0 && law < zeroShare*s.smallerNeighbor(k) {
		return false
	}
	r := s.lawSearch(slices.DeleteFunc(slices.Clone(f.excluded), func(i int) bool { return i == k }))
	r.u = make([]float64, len(r.y))
	for i, y := range r.y {
		r.u[i] = 1 / y
		if r.p[i] == s.points[k].p {
			r.u[i] = 1 / max(v, law)
		}
	}
	_, squares := r.bestLaw()
	return f.isImprobable(squares) && f.isImprobable(r.leastOffGrid())
}

// isFar reports whether the value at point k differs from what f predicts by more than the factor badLeast.
func (s *badRunSearch) isFar(k int, f otherLaw) bool {
	v, law := s.points[k].mean(), f.at(k)
	return !(v < law*badLeast && v > law/badLeast)
}

// isImprobable reports whether the residual squares with one more point are too large for the noise of the
// others.
func (f otherLaw) isImprobable(squares float64) bool {
	t := math.Sqrt(max(squares-f.squares, 0)) / f.noise
	return 2*studentBelow(-t, f.free) < badChance
}

// leastOffGrid returns the least residual squares of a law of one term with exponents on a finer grid than the
// basis.
func (r *lawSearch) leastOffGrid() float64 {
	smallest := math.Inf(1)
	for _, x := range newLawSpace(r.p, nil).dense {
		if f := relativeFit(x, r.y, r.u); f.ok {
			smallest = min(smallest, f.squares)
		}
	}
	return smallest
}
