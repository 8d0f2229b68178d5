package scaling

import (
	"math"
)

// removeBadSingles removes single runs that are far from the law of all other sizes. If one of the suspects may follow
// another law, or the others show a change, it removes none.
func (s *badRunSearch) removeBadSingles() {
	suspects := s.suspects()
	if len(suspects) == 0 || len(suspects) > s.maxBadRuns() || !s.areSeparate(suspects) {
		return
	}
	f, ok := s.lawWithout(suspects)
	for _, k := range suspects {
		if s.zeroInside(k) {
			continue
		}
		if !ok || !s.isUnexplained(k, f) || s.shortSegment(k, suspects) {
			return
		}
	}
	if s.hasChange(suspects) {
		return
	}
	for _, k := range suspects {
		pt := s.points[k]
		expected, source := f.at(k), lawExpects
		if !ok {
			expected, source = s.smallerNeighbor(k), neighborExpects
		}
		s.removed = append(s.removed, k)
		s.bad = append(s.bad, badRun{pt.runs[0], pt.p, pt.values[0], expected, source})
	}
}

// areSeparate reports whether the suspects are single runs, no two of them neighbors, and the other sizes
// enough for a decision. Neighbors are a short segment, not two accidents.
func (s *badRunSearch) areSeparate(suspects []int) bool {
	n, needed := len(s.points), badOthers
	for i, k := range suspects {
		if len(s.points[k].values) != 1 || i > 0 && k == suspects[i-1]+1 {
			return false
		}
		if k == 0 || k == n-1 {
			needed = badEndOthers
		}
	}
	return n-len(suspects) >= needed
}

// zeroInside reports whether the run at point k is zero or negative between positive ones.
func (s *badRunSearch) zeroInside(k int) bool {
	return s.points[k].mean() <= 0 && k > 0 && k < len(s.points)-1 && s.smallerNeighbor(k) > 0
}

// hasChange reports whether the detector finds a change of law without the suspects. Then they may be part of
// it.
func (s *badRunSearch) hasChange(suspects []int) bool {
	var kept []point
	for _, k := range s.placesWithout(suspects) {
		kept = append(kept, s.points[k])
	}
	return positive(newGrid(kept).y) && s.detector.detect(newGrid(kept)).segmented
}

// smallerNeighbor returns the smaller of the values at the neighbors of point k.
func (s *badRunSearch) smallerNeighbor(k int) float64 {
	smallest := math.Inf(1)
	for _, i := range []int{k - 1, k + 1} {
		if i >= 0 && i < len(s.points) {
			smallest = min(smallest, s.points[i].mean())
		}
	}
	return smallest
}

// logs returns the logarithms of the sizes and of the mean values; NaN for a negative value.
func (s *badRunSearch) logs() (x, y []float64) {
	for _, pt := range s.points {
		x, y = append(x, math.Log(pt.p)), append(y, math.Log(pt.mean()))
	}
	return x, y
}

// suspects returns the points with values that are not positive, or without any the points, at most two,
// without which the series is much smoother; ascending.
func (s *badRunSearch) suspects() []int {
	var zeros []int
	n := len(s.points)
	for k, pt := range s.points {
		if pt.mean() <= 0 {
			zeros = append(zeros, k)
		}
	}
	x, y := s.logs()
	if len(zeros) > 0 || n <= badOthers || n > MaxLikelihoodPoints {
		return zeros
	}
	rough := roughness(x, y)
	one, rest := roughest(x, y)
	if s.maxBadRuns() > 1 {
		first, second, last := roughestTwo(x, y)
		single := rest*smoother < rough
		if last*smoother < rest || !single && last*smoother < rough {
			return []int{first, second}
		}
	}
	if rest*smoother < rough {
		return []int{one}
	}
	return nil
}

// removeLoneBadRun removes the one single run, not the last, that is bad by itself: all others follow one law, which
// does not explain it (see possible). With more than badEndOthers points, the detector must find no change with the
// run. With fewer, minSegment points must lie on either side of it, and the law must be a simple one.
func (s *badRunSearch) removeLoneBadRun() {
	k, f, ok := s.possible()
	n := len(s.points)
	if !ok || k == n-1 {
		return
	}
	if n <= badEndOthers {
		if k < minSegment || k >= n-minSegment || !f.isSimple() {
			return
		}
	} else if s.hasChange(nil) {
		return
	}
	s.removed, s.bad = append(s.removed, k), append(s.bad, s.singleBadRun(k, f))
}

// possible returns the single run without which all others follow one law that does not explain it, and the law.
// Of several it is the one with the best law; ok is false if none exists.
func (s *badRunSearch) possible() (place int, law otherLaw, ok bool) {
	n := len(s.points)
	if n <= badOthers || n > MaxLikelihoodPoints {
		return place, law, false
	}
	x, y := s.logs()
	rough := roughness(x, y)
	for k, pt := range s.points {
		if len(pt.values) != 1 || !(roughnessWithout(x, y, k, rough)*lessRough < rough) {
			continue
		}
		f, follows := s.lawWithout([]int{k})
		if follows && (!ok || f.noise < law.noise) && s.isUnexplained(k, f) {
			place, law, ok = k, f, true
		}
	}
	return place, law, ok
}

// singleBadRun describes the only run of point k as a bad one.
func (s *badRunSearch) singleBadRun(k int, f otherLaw) badRun {
	pt := s.points[k]
	return badRun{pt.runs[0], pt.p, pt.values[0], f.at(k), lawExpects}
}
