package scaling

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

// A bad run ended early, hung, or recorded nothing. Errors are relative to the
// value, so a run at half its time has four times the weight of a good one. Bad
// runs are therefore left out before any law is fitted. A run is bad if it is far
// from the repetitions at its size and these agree, or, at a size with one run,
// if it is far from the one law that all other sizes follow. Several agreeing
// runs at one size are never bad, and neither are two neighbors that deviate in
// the same direction: those are a change of law.

const (
	// farRun is the number of typical distances from the middle repetition beyond
	// which a repetition is bad, farLeast the least such distance, relative to
	// the value.
	farRun, farLeast = 8, 0.05
	// badShare limits short and single bad runs to one in badShare runs, at least
	// one. More of them are a second mode of the program, not accidents.
	badShare = 9
	// badLeast is the least distance from the law of the other sizes, as a factor.
	badLeast = 1.25
	// badChance is the probability of such a distance under the law and the noise
	// of the other sizes below which a single run is bad.
	badChance = 1e-4
	// badOthers is the number of other sizes that must follow one law,
	// badEndOthers the same where the run is at the first or last size, where
	// another law could begin.
	badOthers, badEndOthers = 5, 8
	// badNoise is the largest standard deviation, relative to the value, at which
	// the other sizes count as following one law.
	badNoise = 0.15
	// smoother is the factor by which the roughness of a series falls when its
	// bad runs are removed. Removing a point beside a step divides it by 2 to 4.
	smoother = 5
	// mostShort is the number of points beyond a bad run that are examined for a
	// law of their own.
	mostShort = 2
	// zeroShare is the share of the smaller neighbor that the law must predict
	// where a run has the value zero: log p is zero at p = 1.
	zeroShare = 0.25
)

// badRun is a run that is left out.
type badRun struct {
	run      int // place in the input, from 1
	p, value float64
	expected float64
	source   string // of the expected value
}

// Sources of the expected value of a bad run.
const (
	repetitionsExpect = "its repetitions"
	lawExpects        = "the law of the other sizes"
	neighborExpects   = "the smaller of its neighbors"
)

// withoutBadRuns returns the points without the values of bad repetitions, the
// places of the points that are kept, and the bad runs. A point whose only run
// is bad keeps its value and is not among the places. d confirms that what remains
// follows one law.
func withoutBadRuns(points []point, d *detector) (cleaned []point, places []int, bad []badRun) {
	s := badRunSearch{points: slices.Clone(points), detector: d}
	s.repetitions()
	s.singles()
	slices.SortFunc(s.bad, func(a, b badRun) int { return cmp.Compare(a.run, b.run) })
	return s.points, s.placesWithout(s.removed), s.bad
}

// badRunSearch holds the points while bad runs are removed.
type badRunSearch struct {
	points   []point
	detector *detector
	removed  []int // points whose only run is bad
	bad      []badRun
}

// placesWithout are the places of all points but the listed ones.
func (s *badRunSearch) placesWithout(listed []int) (places []int) {
	for k := range s.points {
		if !slices.Contains(listed, k) {
			places = append(places, k)
		}
	}
	return places
}

// most is the number of short or single bad runs that a series may have.
func (s *badRunSearch) most() int {
	runs := 0
	for _, pt := range s.points {
		runs += len(pt.values)
	}
	return max(1, runs/badShare)
}

// repetitions removes runs that are far from the others at their size.
func (s *badRunSearch) repetitions() {
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
	manyShort := short > s.most()
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

func (r interval) holds(v float64) bool { return v >= r.lo && v <= r.hi }

// agreement is the range of the runs at point k that agree: those within a factor
// far of the middle one, if they are the majority. Of two that disagree the one
// closer to the law of the other sizes is kept, without a law the smaller one.
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
	middle := robust.SortedLower(sorted)
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

// disagree is whether values are two that differ by more than a factor.
func disagree(values []float64, factor float64) bool {
	if len(values) != 2 {
		return false
	}
	lo, hi := min(values[0], values[1]), max(values[0], values[1])
	return hi > 0 && hi > lo*factor
}

// disagreeing are the points with two runs that disagree.
func (s *badRunSearch) disagreeing(factor float64) (places []int) {
	for k, pt := range s.points {
		if disagree(pt.values, factor) {
			places = append(places, k)
		}
	}
	return places
}

// within is the point with the runs in a range only.
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

// singles removes single runs that are far from the law of all other sizes.
func (s *badRunSearch) singles() {
	suspects := s.suspects()
	if len(suspects) == 0 || len(suspects) > s.most() || !s.separate(suspects) {
		return
	}
	f, ok := s.lawWithout(suspects)
	for _, k := range suspects {
		if s.zeroInside(k) {
			continue
		}
		if !ok || !s.deviates(k, f) || s.shortSegment(k, suspects) {
			return
		}
	}
	if s.changes(suspects) {
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

// separate is whether the suspects are single runs, no two of them neighbors, and
// the other sizes enough to tell. Neighbors are a short segment, not two accidents.
func (s *badRunSearch) separate(suspects []int) bool {
	n, least := len(s.points), badOthers
	for i, k := range suspects {
		if len(s.points[k].values) != 1 || i > 0 && k == suspects[i-1]+1 {
			return false
		}
		if k == 0 || k == n-1 {
			least = badEndOthers
		}
	}
	return n-len(suspects) >= least
}

// zeroInside is whether the run at point k is zero or negative between positive ones.
func (s *badRunSearch) zeroInside(k int) bool {
	return s.points[k].mean() <= 0 && k > 0 && k < len(s.points)-1 && s.smallerNeighbor(k) > 0
}

// changes is whether the detector finds a change of law without the suspects. Then
// they may be part of it.
func (s *badRunSearch) changes(suspects []int) bool {
	var kept []point
	for _, k := range s.placesWithout(suspects) {
		kept = append(kept, s.points[k])
	}
	return positive(newGrid(kept).y) && s.detector.detect(newGrid(kept)).segmented
}

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

func (s *badRunSearch) smallerNeighbor(k int) float64 {
	least := math.Inf(1)
	for _, i := range []int{k - 1, k + 1} {
		if i >= 0 && i < len(s.points) {
			least = min(least, s.points[i].mean())
		}
	}
	return least
}

// suspects are the points without which the series is much smoother, at most
// two, or those with values that are not positive where there are any; ascending.
func (s *badRunSearch) suspects() []int {
	var zeros []int
	n := len(s.points)
	x, y := make([]float64, n), make([]float64, n)
	for k, pt := range s.points {
		v := pt.mean()
		if v <= 0 {
			zeros = append(zeros, k)
		}
		x[k], y[k] = math.Log(pt.p), math.Log(v)
	}
	if len(zeros) > 0 || n <= badOthers || n > MaxPoints {
		return zeros
	}
	rough := roughness(x, y)
	one, rest := roughest(x, y)
	if s.most() > 1 {
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

// roughestTwo are the two points whose removal leaves the least roughness, ascending.
func roughestTwo(x, y []float64) (first, second int, least float64) {
	least = math.Inf(1)
	px, py := make([]float64, 0, len(x)), make([]float64, 0, len(y))
	for k := range x {
		px, py = append(append(px[:0], x[:k]...), x[k+1:]...), append(append(py[:0], y[:k]...), y[k+1:]...)
		if at, left := roughest(px, py); at >= k && left < least {
			first, second, least = k, at+1, left
		}
	}
	return first, second, least
}

// roughest is the point whose removal leaves the least roughness.
func roughest(x, y []float64) (at int, least float64) {
	least = math.Inf(1)
	n := len(x)
	all := roughness(x, y)
	for k := range x {
		// Only the triples that hold the point change.
		a, b := max(k-2, 0), min(k+3, n)
		var px, py [4]float64
		near := append(append(px[:0], x[a:k]...), x[k+1:b]...)
		value := append(append(py[:0], y[a:k]...), y[k+1:b]...)
		left := all - roughness(x[a:b], y[a:b]) + roughness(near, value)
		if left < least {
			at, least = k, left
		}
	}
	return at, least
}

// roughness is the sum of squared distances of each point from the line through
// its neighbors.
func roughness(x, y []float64) (sum float64) {
	for k := 1; k+1 < len(x); k++ {
		d := y[k] - y[k-1] - (y[k+1]-y[k-1])*(x[k]-x[k-1])/(x[k+1]-x[k-1])
		sum += d * d
	}
	return sum
}

// leaveOutBadRuns goes on without bad runs and notes them.
func (w *work) leaveOutBadRuns(d *detector) {
	cleaned, places, bad := withoutBadRuns(w.chosen(), d)
	if len(bad) == 0 {
		return
	}
	if w.index == nil {
		w.points = cleaned
	} else {
		for k, pt := range cleaned {
			w.points[w.index[k]] = pt
		}
	}
	for k, pt := range cleaned {
		w.y[k] = pt.mean()
	}
	if len(places) < len(cleaned) {
		w.keep(places)
	}
	for _, b := range bad[:min(len(bad), mostNamed)] {
		w.note(b.code(), "%s", b.sentence(parameterName(w.series)))
	}
	if more := len(bad) - mostNamed; more > 0 {
		w.note(note.LoneExtreme, "%s left out as well", note.Count(more, "more run"))
	}
}

// mostNamed is the number of bad runs that have a note of their own.
const mostNamed = 4

func (b badRun) code() note.Code {
	if b.value <= 0 {
		return note.NonPositive
	}
	return note.LoneExtreme
}

func (b badRun) sentence(parameter string) string {
	s := "run " + quantity.Exact(float64(b.run)) + " at " + parameter + " = " + quantity.Exact(b.p) + " has "
	value, expected := quantity.Plain(b.value, 4), quantity.Plain(b.expected, 4)
	if b.value <= 0 {
		return s + "the value " + value + ", not the " + expected + " of " + b.source + ": left out"
	}
	return s + quantity.Plain(b.value/b.expected, 2) + " times the value of " + b.source +
		" (" + value + ", not " + expected + "): left out"
}
