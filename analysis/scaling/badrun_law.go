package scaling

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
)

// otherLaw is the law of the points outside excluded, at all points, and its noise.
type otherLaw struct {
	excluded []int
	model    Model
	p        []float64
	squares  float64 // relative to the values
	noise    float64 // standard deviation relative to the value
	free     float64 // degrees of freedom
}

func (f otherLaw) at(k int) float64 { return f.model.At(f.p[k]) }

// lawWithout is the law of the points that are not excluded; ok is false where
// they are few or do not follow one law.
func (s *badRunSearch) lawWithout(excluded []int) (f otherLaw, ok bool) {
	f.excluded = excluded
	for _, pt := range s.points {
		f.p = append(f.p, pt.p)
	}
	r := s.readable(excluded)
	if len(r.p) < badOthers || len(r.p) > MaxPoints || !positive(r.y) {
		return f, false
	}
	r.u = weights(r.y)
	f.model, f.squares = r.closest()
	f.free = float64(len(r.p) - 1 - len(f.model.Terms))
	f.noise = max(math.Sqrt(f.squares/f.free), noiseLow)
	return f, f.noise <= badNoise
}

// readable is the search for a law of the points that are not excluded, without
// weights.
func (s *badRunSearch) readable(excluded []int) (r readable) {
	for _, k := range s.placesWithout(excluded) {
		r.p = append(r.p, s.points[k].p)
		r.y = append(r.y, robust.Middle(slices.Clone(s.points[k].values)))
	}
	r.count = len(r.p)
	if r.count > 0 {
		r.basis = newBasis(append(paperPairs(), falling()...), r.p)
	}
	return r
}

// closest is the best law and its squares relative to the values.
func (r *readable) closest() (m Model, squares float64) {
	m, _ = r.law()
	return m, relativeSquares(m, r.p, r.y, r.u)
}

// shortSegment is whether the few points between point k and the nearer end
// are not where the law of the others predicts them: then they may follow another
// law, which point k belongs to.
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
	return !ok || !s.deviates(k, f) || slices.ContainsFunc(beyond, func(i int) bool { return s.far(i, f) })
}

// deviates is whether no law explains the value at point k and the points of f
// together: the best one leaves far more than f does without the value. The value
// has the weight of what f predicts, so that short runs count no more than long ones.
func (s *badRunSearch) deviates(k int, f otherLaw) bool {
	v, law := s.points[k].mean(), f.at(k)
	if !(law > 0) || !s.far(k, f) {
		return false
	}
	if v <= 0 && law < zeroShare*s.smallerNeighbor(k) {
		return false
	}
	r := s.readable(slices.DeleteFunc(slices.Clone(f.excluded), func(i int) bool { return i == k }))
	r.u = make([]float64, len(r.y))
	for i, y := range r.y {
		r.u[i] = 1 / y
		if r.p[i] == s.points[k].p {
			r.u[i] = 1 / max(v, law)
		}
	}
	_, squares := r.closest()
	return f.improbable(squares) && f.improbable(r.leastOffGrid())
}

// far is whether the value at point k is not within a factor of what f predicts.
func (s *badRunSearch) far(k int, f otherLaw) bool {
	v, law := s.points[k].mean(), f.at(k)
	return !(v < law*badLeast && v > law/badLeast)
}

// improbable is whether the squares that one more point leaves are too many for the
// noise of the others.
func (f otherLaw) improbable(squares float64) bool {
	t := math.Sqrt(max(squares-f.squares, 0)) / f.noise
	return 2*studentBelow(-t, f.free) < badChance
}

// leastOffGrid is the least squares of a law of one term with exponents between those
// of the basis.
func (r *readable) leastOffGrid() float64 {
	least := math.Inf(1)
	for _, x := range newLawSpace(r.p, nil).dense {
		if f := relativeFit(x, r.y, r.u); f.ok {
			least = min(least, f.squares)
		}
	}
	return least
}
