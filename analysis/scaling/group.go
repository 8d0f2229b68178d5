package scaling

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
)

const (
	// groupPenalty is the penalty, in log evidence, of noise that groups share; it is negative, because days do
	// share noise. At 0, 5 % that a day has in all of its sizes makes .017 false changes at eight points, at -0.5
	// it makes .0145, and .57 instead of .59 of the steps of 50 % are found.
	groupPenalty = -0.5
)

// newGrid prepares points for the detector: the mean of each (see sampleOf), its group if all of its runs have the same
// one, and the variance within points that repetitions show. The points must be distinct and ascending, without bad
// runs, and at most MaxLikelihoodPoints.
func newGrid(points []point) grid {
	n := len(points)
	g := grid{p: make([]float64, n), y: make([]float64, n), group: make([]int, n)}
	number := map[string]int{}
	squares, dof, share := 0.0, 0.0, 0.0
	for k, pt := range points {
		sample := sampleOf(pt)
		g.p[k] = pt.p
		g.y[k] = sample.mean
		g.group[k] = -1
		if name := sample.group; name != "" {
			if _, ok := number[name]; !ok {
				number[name] = len(number)
			}
			g.group[k] = number[name]
		}
		squares += sample.squares
		dof += sample.dof
		share += 1 / sample.count / float64(n)
	}
	if dof > 0 && finite(squares) {
		g.within, g.dof = squares/dof*share, dof
	}
	return g
}

// sample is the runs of one point: the mean of the means of its groups (a day
// with ten runs says no more than a day with one), and the squared distances,
// relative to the mean, of what counts as independent from it.
type sample struct {
	mean, squares, dof, count float64
	group                     string // of all runs, or ""
}

// sampleOf summarizes the runs of a point. The sample has a group only if all runs have the same one; runs of
// several named groups count by the means of the groups.
func sampleOf(pt point) sample {
	values, groups := pt.values, pt.groups
	s := sample{group: groups[0]}
	for _, name := range groups {
		if name != s.group {
			s.group = ""
		}
	}
	if !slices.Contains(groups, "") && s.group == "" {
		values = groupMeans(values, groups)
	}
	s.count = float64(len(values))
	for _, v := range values {
		s.mean += v / s.count
	}
	for _, v := range values {
		s.squares += (v/s.mean - 1) * (v/s.mean - 1)
	}
	s.dof = s.count - 1
	return s
}

// groupMeans returns the mean of each group, in the order of first appearance.
func groupMeans(values []float64, groups []string) []float64 {
	var names []string
	var sums, counts []float64
	for i, name := range groups {
		at := slices.Index(names, name)
		if at < 0 {
			at = len(names)
			names, sums, counts = append(names, name), append(sums, 0), append(counts, 0)
		}
		sums[at] += values[i]
		counts[at]++
	}
	for i := range sums {
		sums[i] /= counts[i]
	}
	return sums
}

// repeatability returns the typical distance of repetitions from the middle one, relative to it: the median
// over all points, so that disturbed runs do not matter; -1 if there are no repetitions.
func repeatability(points []point) float64 {
	var far []float64
	for _, pt := range points {
		if len(pt.values) < 2 {
			continue
		}
		sorted := slices.Sorted(slices.Values(pt.values))
		middle := robust.SortedLowerMedian(sorted)
		if middle <= 0 {
			continue
		}
		for i, v := range sorted {
			if i != (len(sorted)-1)/2 {
				far = append(far, math.Abs(v/middle-1))
			}
		}
	}
	if len(far) == 0 {
		return -1
	}
	slices.Sort(far)
	return far[len(far)/2]
}

// correlatedGroups holds the groups, such as days, that several points share: the errors of runs of one group
// are correlated.
type correlatedGroups struct {
	of     []int     // group of each point, -1 for none
	shrink []float64 // by group: how much of its mean is taken off
	sums   []float64
}

// newCorrelatedGroups returns the groups with the given ratio of the variance that a group shares to that of its
// points, and the log determinant. ok is false if no group has several points or one has all.
func newCorrelatedGroups(group []int, ratio float64) (b correlatedGroups, logDet float64, ok bool) {
	b.of = group
	for _, g := range group {
		for len(b.shrink) <= g {
			b.shrink = append(b.shrink, 0)
		}
		if g >= 0 {
			b.shrink[g]++
		}
	}
	for g, m := range b.shrink {
		ok = ok || m > 1 && int(m) < len(group)
		b.shrink[g] = 1 - 1/math.Sqrt(1+m*ratio)
		logDet += math.Log1p(m*ratio) / 2
	}
	b.sums = make([]float64, 2*len(b.shrink))
	return b, logDet, ok
}

// decorrelate transforms a column, in place, so that its errors are independent and of equal variance: it takes a part
// of the mean of its group off each value. Without groups (b is nil) it does nothing.
func (b *correlatedGroups) decorrelate(col []float64) {
	if b == nil {
		return
	}
	clear(b.sums)
	m := len(b.shrink)
	for k, g := range b.of {
		if g >= 0 {
			b.sums[g] += col[k]
			b.sums[m+g]++
		}
	}
	for k, g := range b.of {
		if g >= 0 {
			col[k] -= b.shrink[g] * b.sums[g] / b.sums[m+g]
		}
	}
}

// groupedLaw returns the log evidence for one law if the errors of a group's points are correlated, the better of two
// strengths of correlation, less groupPenalty. It is -Inf if no group has several points or one has all. The search
// stops at evidence of enough.
func (d *detector) groupedLaw(enough float64) float64 {
	best := math.Inf(-1)
	for _, ratio := range []float64{10, 100} {
		b, logDet, ok := newCorrelatedGroups(d.group, ratio)
		if !ok {
			return best
		}
		d.null.blocks = &b
		score, _ := d.richLaw(enough + groupPenalty + logDet)
		best = max(best, score-logDet)
	}
	d.null.blocks = nil
	return best - groupPenalty
}
