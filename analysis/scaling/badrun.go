package scaling

import (
	"cmp"
	"slices"

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
	// simpleNoise is the same where the points are few.
	simpleNoise = 0.05
	// smoother is the factor by which the roughness of a series falls when its
	// bad runs are removed. Removing a point beside a step divides it by 2 to 4.
	smoother = 5
	// lessRough is the same for a run whose absence must let all others follow one law.
	lessRough = 1.5
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
	s.removeBadRepetitions()
	s.removeBadSingles()
	if len(s.removed) == 0 {
		s.removeLoneBadRun()
	}
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

// placesWithout returns the indexes of all points except the listed ones.
func (s *badRunSearch) placesWithout(listed []int) (places []int) {
	for k := range s.points {
		if !slices.Contains(listed, k) {
			places = append(places, k)
		}
	}
	return places
}

// maxBadRuns returns the most short or single bad runs that a series may have.
func (s *badRunSearch) maxBadRuns() int {
	runs := 0
	for _, pt := range s.points {
		runs += len(pt.values)
	}
	return max(1, runs/badShare)
}

// leaveOutBadRuns removes the bad runs from the analysis and adds notes about them.
func (w *seriesWork) leaveOutBadRuns(d *detector) {
	cleaned, places, bad := withoutBadRuns(w.chosen(), d)
	if len(bad) == 0 {
		return
	}
	w.bad = bad
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
		w.keepPoints(places)
	}
	for _, b := range bad[:min(len(bad), mostNamed)] {
		w.note(b.code(), "%s", b.sentence(parameterName(w.series)))
	}
	if more := len(bad) - mostNamed; more > 0 {
		w.note(note.LoneExtreme, "%s left out or doubted for the same reasons", quantity.Plural(more, "more run"))
	}
}

// mostNamed is the number of bad runs that have a note of their own.
const mostNamed = 4

// code returns the code of the note about the bad run.
func (b badRun) code() note.Code {
	if b.value <= 0 {
		return note.NonPositive
	}
	return note.LoneExtreme
}

// sentence returns the text of the note about a bad run that was left out.
func (b badRun) sentence(parameter string) string {
	if b.value <= 0 {
		return b.name(parameter) + " has the value " + quantity.Plain(b.value, 4) + ", not the " +
			quantity.Plain(b.expected, 4) + " of " + b.source + ": left out"
	}
	return b.name(parameter) + " has " + b.deviation() + ": left out"
}

// doubt returns the text of the note about a run that may be bad.
func (b badRun) doubt(parameter string) string {
	return b.name(parameter) + " has " + b.deviation() + ": it may be a bad run, or show another law; predictions " +
		"allow for both, and another run at " + parameter + " = " + quantity.Exact(b.p) + " would tell"
}

// name returns the run's number and size.
func (b badRun) name(parameter string) string {
	return "run " + quantity.Exact(float64(b.run)) + " at " + parameter + " = " + quantity.Exact(b.p)
}

// deviation returns the positive value as a multiple of the expected one.
func (b badRun) deviation() string {
	return quantity.Plain(b.value/b.expected, 2) + " times the value of " + b.source + " (" +
		quantity.Plain(b.value, 4) + ", not " + quantity.Plain(b.expected, 4) + ")"
}
