package calendar

import (
	"math"
)

// Conditions for separating weekdays.
const (
	// leastSpan is how many days must have passed from the first run to the newest,
	// leastDays how many of them each side of a comparison must have, leastEach how
	// many days each weekday must have that is judged by itself: with four, two
	// outliers on one weekday made a week, and a change of it, in one of 1000
	// histories.
	leastSpan, leastDays, leastEach = 20, 6, 5
	// mostDays is the number of newest days that are used: a pattern that ended is forgotten, and the time per run
	// does not grow with the history.
	mostDays = 126
	// maxChance is the accepted probability that chance alone shows such a pattern, over all phases.
	maxChance = .002
	// clipAt is the distance, in MAD, above which runs are clipped, farAt that above which they are ignored once a
	// pattern is known.
	clipAt, farAt = 2, 8
	// endedNats is by how many nats newer or older runs must be explained better
	// without a pattern for it to have ended or begun there, mostCost the most that
	// one run counts.
	endedNats, mostCost = 7, 4.5
)

// Runs is the number of newest runs that are used; other corrections may change the values of these runs only.
const Runs = 256

// WeekChange is a committed change: one level ended before run Index, and the next began at run Resumed, which
// differs from Index for drifts only.
type WeekChange struct{ Index, Resumed int }

// Week estimates the weekday pattern as runs arrive and subtracts it from the logarithms.
type Week struct {
	src     []float64 // all else taken out; altered by others as runs arrive
	x       []float64 // without the week, shared with the scan
	removed []float64 // what was taken out of each run
	day     []int
	began   []float64 // days by the clock that runs had, nil: not known
	from    int       // first run that is looked back on
	found   pattern
	off     []float64
	share   []float64 // of each run in its day
	buf     []float64
	rank    []float64 // for medians
}

// New returns a Week that works on a copy of src, nil if the days are too few to show a weekday pattern. day is
// the day of each run; began holds their days by the clock, nil if unknown.
func New(src []float64, day []int, began []float64) *Week {
	n := len(src)
	if len(day) != n || n < 2*leastDays || day[n-1]-day[0] < leastSpan {
		return nil
	}
	return &Week{src: src, x: append([]float64(nil), src...), removed: make([]float64, n), day: day, began: began,
		off: make([]float64, n), share: make([]float64, n)}
}

// weekday returns the day of the week, 0 to 6, counted from day 0.
func weekday(day int) int { return ((day % 7) + 7) % 7 }

// Learn updates the weekday pattern from the runs up to newest, at intervals. In between it subtracts the known
// pattern from the runs that arrive and passes on other corrections.
func (w *Week) Learn(newest int, committed []WeekChange) {
	n := newest + 1
	for n-w.from > Runs || w.day[newest]-w.day[w.from] > mostDays {
		w.from++
	}
	if n%max(2, min(n, Runs)/16) == 0 && w.coversWeeks(newest) {
		w.update(n, committed)
	}
	w.removed[newest] = w.found.effect[weekday(w.day[newest])]
	for k := max(0, n-Runs); k < n; k++ {
		w.x[k] = w.src[k] - w.removed[k]
	}
}

// coversWeeks reports whether the runs in use span at least leastSpan days, and, if their days by the clock are known,
// the same number of these within two. Runs of a replayed history may be days apart by their times and seconds by the
// clock: the week is then one that no machine had.
func (w *Week) coversWeeks(newest int) bool {
	days := w.day[newest] - w.day[w.from]
	return days >= leastSpan && (w.began == nil || math.Abs(w.began[newest]-w.began[w.from]-float64(days)) < 2)
}

// update estimates the pattern from the runs before end. If a pattern began or ended among them, it is
// restricted to its own runs, and later updates use the runs since.
func (w *Week) update(end int, committed []WeekChange) {
	w.found = w.findPattern(w.from, end, committed)
	first, last := w.from, end
	if w.found.form != noWeek {
		first, last = w.validRange(w.from, end)
	}
	if first > w.from || last < end {
		w.found = pattern{}
		if last-first >= 2*leastDays {
			w.found = w.findPattern(first, last, committed)
		}
	}
	for k := w.from; k < end; k++ {
		w.removed[k] = 0
		if k >= first && k < last {
			w.removed[k] = w.found.effect[weekday(w.day[k])]
		}
	}
	w.from = first
	if last < end {
		w.from, w.found = last, pattern{}
	}
}

// validRange returns the runs [first,last) for which the pattern holds: runs at either end are left out if they
// are better explained without it.
func (w *Week) validRange(from, end int) (first, last int) {
	gain := func(k int) float64 {
		with, without := w.off[k], w.off[k]+w.found.effect[weekday(w.day[k])]
		cost := func(r float64) float64 { return min(square(r/w.found.noise)/2, mostCost) }
		return (cost(with) - cost(without)) * w.share[k]
	}
	first, last = from, end
	sum, best := 0.0, float64(endedNats)
	for k := end - 1; k >= from; k-- {
		if sum += gain(k); sum > best {
			best, last = sum, k
		}
	}
	sum, best = 0, endedNats
	for k := from; k < last; k++ {
		if sum += gain(k); sum > best {
			best, first = sum, k+1
		}
	}
	return first, last
}

// findPattern returns the weekday pattern of the runs [from,end). It repeats the estimate, with levels and
// outliers determined after subtracting the last pattern, until that no longer changes.
func (w *Week) findPattern(from, end int, committed []WeekChange) pattern {
	var found pattern
	for range 6 {
		last := found
		t := w.tally(from, end, committed, last)
		found = t.simplestPattern()
		if found.form == noWeek || last.form != noWeek && found.isNear(&last) {
			break
		}
		if last.form == noWeek {
			w.centreOnMedians(from, end, &found)
		}
	}
	return found
}

// X returns the residuals of the learnt runs; all callers share the slice.
func (w *Week) X() []float64 { return w.x }

// Removed returns what was subtracted from each run, in log units.
func (w *Week) Removed() []float64 { return w.removed }

// square returns the square of v.
func square(v float64) float64 { return v * v }
