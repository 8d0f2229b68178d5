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
	// mostDays are looked back on: a pattern that ended is forgotten, and a history
	// of many runs costs as much per run.
	mostDays = 126
	// sure is how often chance alone may show such a pattern, over all phases.
	sure = .002
	// clipAt is how many MAD a run may lie off and still count fully, farAt how many
	// and still count once a pattern is at hand.
	clipAt, farAt = 2, 8
	// endedNats is by how many nats newer or older runs must be explained better
	// without a pattern for it to have ended or begun there, mostCost the most that
	// one run counts.
	endedNats, mostCost = 7, 4.5
)

// Runs is how many runs are looked back on: what others correct must be among them.
const Runs = 256

// WeekChange is a committed change as the week needs it: a level ended before run
// Index, and the next began at run Resumed, the same but for drifts.
type WeekChange struct{ Index, Resumed int }

// Week keeps what is known of weekdays as runs arrive and takes it out of the
// logarithms.
type Week struct {
	src   []float64 // all else taken out; altered by others as runs arrive
	x     []float64 // without the week, shared with the scan
	out   []float64 // what was taken out of each run
	day   []int
	began []float64 // days by the clock that runs had, nil: not known
	from  int       // first run that is looked back on
	found pattern
	off   []float64
	share []float64 // of each run in its day
	buf   []float64
	rank  []float64 // for medians
}

// New adjusts a copy of src; nil where the days cannot show a week. began
// are the days that the clock had, nil where they are not known.
func New(src []float64, day []int, began []float64) *Week {
	n := len(src)
	if len(day) != n || n < 2*leastDays || day[n-1]-day[0] < leastSpan {
		return nil
	}
	return &Week{src: src, x: append([]float64(nil), src...), out: make([]float64, n), day: day, began: began,
		off: make([]float64, n), share: make([]float64, n)}
}

// weekday is the day of the week, counted from day 0.
func weekday(day int) int { return ((day % 7) + 7) % 7 }

// Learn looks for a week among the runs up to newest. Between two looks what is
// known is taken out of the runs that arrive, and others' corrections are passed on.
func (w *Week) Learn(newest int, committed []WeekChange) {
	n := newest + 1
	for n-w.from > Runs || w.day[newest]-w.day[w.from] > mostDays {
		w.from++
	}
	if n%max(2, min(n, Runs)/16) == 0 && w.spans(newest) {
		w.follow(n, committed)
	}
	w.out[newest] = w.found.effect[weekday(w.day[newest])]
	for k := max(0, n-Runs); k < n; k++ {
		w.x[k] = w.src[k] - w.out[k]
	}
}

// spans says whether the runs that are looked back on are of enough weeks. Runs
// of a replayed history may be days apart by their times and seconds by the
// clock: the week is then one that no machine had.
func (w *Week) spans(newest int) bool {
	days := w.day[newest] - w.day[w.from]
	return days >= leastSpan && (w.began == nil || math.Abs(w.began[newest]-w.began[w.from]-float64(days)) < 2)
}

// follow looks at the runs before end. Where a pattern began or ended among them,
// it holds for its own runs, and later looks are at those since.
func (w *Week) follow(end int, committed []WeekChange) {
	w.found = w.look(w.from, end, committed)
	first, last := w.from, end
	if w.found.form != noWeek {
		first, last = w.holds(w.from, end)
	}
	if first > w.from || last < end {
		w.found = pattern{}
		if last-first >= 2*leastDays {
			w.found = w.look(first, last, committed)
		}
	}
	for k := w.from; k < end; k++ {
		w.out[k] = 0
		if k >= first && k < last {
			w.out[k] = w.found.effect[weekday(w.day[k])]
		}
	}
	w.from = first
	if last < end {
		w.from, w.found = last, pattern{}
	}
}

// holds returns the runs from first to before last of which the pattern is true:
// those before or after are left out if they are better explained without it.
func (w *Week) holds(from, end int) (first, last int) {
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

// look returns the pattern that the runs from to end show. Once there is one, it
// is looked at again with the levels and outliers that are left when it is taken
// out, until it stands.
func (w *Week) look(from, end int, committed []WeekChange) pattern {
	var found pattern
	for range 6 {
		last := found
		t := w.tally(from, end, committed, last)
		found = t.judge()
		if found.form == noWeek || last.form != noWeek && found.near(&last) {
			break
		}
		if last.form == noWeek {
			w.centre(from, end, &found)
		}
	}
	return found
}

// X returns the residuals of the learnt runs; all callers share the slice.
func (w *Week) X() []float64 { return w.x }

// Out is what was taken out of each run.
func (w *Week) Out() []float64 { return w.out }

func square(v float64) float64 { return v * v }
