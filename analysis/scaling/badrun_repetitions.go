package scaling

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
)

// removeBadRepetitions removes runs that are far from the others at their size (see agreement) and lists them as bad.
// If more than maxBadRuns runs are too short, they are a second mode of the program, and it removes only those that are
// too long.
func (s *badRunSearch) removeBadRepetitions() {
	jitter := repeatability(s.points)
	if jitter < 0 {
		return
	}
	far := 1 + max(farRun*jitter, farLeast)
	ranges, short := make([]interval, len(s.points)), 0
	for k, pt := range s.points {
		ranges[k] = s.agreement(k, pt.values, far)
		for _, v := range pt.values {
			if v < ranges[k].lo {
				short++
			}
		}
	}
	manyShort := short > s.maxBadRuns()
	for k, pt := range s.points {
		r := ranges[k]
		if manyShort {
			r.lo = math.Inf(-1)
		}
		s.points[k] = pt.within(r)
		for i, v := range pt.values {
			if !r.holds(v) {
				s.bad = append(s.bad, badRun{pt.runs[i], pt.p, v, s.points[k].mean(), repetitionsExpect})
			}
		}
	}
}

// interval is a closed range of values.
type interval struct{ lo, hi float64 }

// holds reports whether v is in the interval.
func (r interval) holds(v float64) bool { return v >= r.lo && v <= r.hi }

// agreement returns the range of the runs at point k that are kept: those within a factor far of the lower median. If
// these are not the majority, only runs above the range are bad. Of two runs that disagree, the one closer to the law
// of the other sizes is kept, without a law the smaller one. A single run, or a median of 0 or less, gives all values.
func (s *badRunSearch) agreement(k int, values []float64, far float64) interval {
	all := interval{math.Inf(-1), math.Inf(1)}
	if len(values) < 2 {
		return all
	}
	sorted := slices.Sorted(slices.Values(values))
	if disagree(sorted, far) {
		lo, hi := max(sorted[0], 0), sorted[1]
		f, ok := s.lawWithout(s.disagreeing(far))
		if ok && f.at(k) > 0 && math.Abs(math.Log(hi/f.at(k))) < math.Abs(math.Log(lo/f.at(k))) {
			return interval{hi, hi}
		}
	}
	middle := robust.SortedLowerMedian(sorted)
	if middle <= 0 {
		return all
	}
	r := interval{middle / far, middle * far}
	kept := 0
	for _, v := range sorted {
		if r.holds(v) {
			kept++
		}
	}
	if 2*kept <= len(sorted) {
		r.lo = all.lo
	}
	return r
}

// disagree reports whether there are exactly two values and they differ by more than a factor.
func disagree(values []float64, factor float64) bool {
	if len(values) != 2 {
		return false
	}
	lo, hi := min(values[0], values[1]), max(values[0], values[1])
	return hi > 0 && hi > lo*factor
}

// disagreeing returns the indexes of the points with exactly two runs that differ by more than the factor.
func (s *badRunSearch) disagreeing(factor float64) (places []int) {
	for k, pt := range s.points {
		if disagree(pt.values, factor) {
			places = append(places, k)
		}
	}
	return places
}

// within returns the point with only the runs in a range.
func (pt point) within(r interval) point {
	out := pt
	out.values, out.groups, out.runs = nil, nil, nil
	for i, v := range pt.values {
		if r.holds(v) {
			out.values = append(out.values, v)
			out.groups = append(out.groups, pt.groups[i])
			out.runs = append(out.runs, pt.runs[i])
		}
	}
	return out
}
