package changepoint

import (
	"math"
	"slices"
)

// A week is learnt as runs arrive and taken out before the scan judges: weekends
// differ from working days. A pattern that is left in is noise, makes a run
// resemble the one before it, and looks like two levels that take turns.
//
// The simplest form that holds is used: two days of seven that follow each other
// against the rest, at any phase (Student's t, the largest of seven); then every
// weekday by itself (F test). Runs of one day count once. Committed changes, and
// one that is not sure yet, part the history before weekdays are compared. Where
// a pattern ended or began, it is taken out of its own runs only. What was
// committed before it was known stands, so that the prefix rule holds. Days are
// UTC. Where the clock of the runs denies the days (a replay), there is no week.
// What it finds and costs: MEASURED.md.

// weeklyParams say when weekdays are told apart.
type weeklyParams struct {
	// span is how many days must have passed from the first run to the newest,
	// days how many of them each side of a comparison must have, each how many
	// days each weekday must have that is judged by itself: with four, two outliers
	// on one weekday made a week, and a change of it, in one of 1000 histories.
	span, days, each int
	// runs and most are how many runs and days are looked back on: a pattern
	// that ended is forgotten, and a history of many runs costs as much per run.
	runs, most int
	// sure is how often chance alone may show such a pattern, over all phases.
	sure float64
	// clip is how many MAD a run may lie off and still count fully, far how many
	// and still count once a pattern is at hand.
	clip, far float64
	// ended is by how many nats newer or older runs must be explained better
	// without a pattern for it to have ended or begun there, cost the most that
	// one run counts.
	ended, cost float64
}

func defaultWeekly() weeklyParams {
	return weeklyParams{span: 20, days: 6, each: 5, runs: 256, most: 126, sure: .002, clip: 2, far: 8, ended: 7, cost: 4.5}
}

// weekly keeps what is known of weekdays as runs arrive and takes it out of the
// logarithms.
type weekly struct {
	p     weeklyParams
	src   []float64 // all else taken out; altered by others as runs arrive
	x     []float64 // without the week, shared with the scan
	out   []float64 // what was taken out of each run
	day   []int
	began []float64 // days by the clock that runs had, nil: not known
	from  int       // first run that is looked back on
	found week
	off   []float64
	share []float64 // of each run in its day
	buf   []float64
	rank  []float64 // for medians
}

// newWeekly adjusts a copy of src; nil where the days cannot show a week. began
// are the days that the clock had, nil where they are not known.
func newWeekly(src []float64, day []int, began []float64) *weekly {
	p, n := defaultWeekly(), len(src)
	if len(day) != n || n < 2*p.days || day[n-1]-day[0] < p.span {
		return nil
	}
	return &weekly{p: p, src: src, x: append([]float64(nil), src...), out: make([]float64, n), day: day, began: began,
		off: make([]float64, n), share: make([]float64, n)}
}

// weekday is the day of the week, counted from day 0.
func weekday(day int) int { return ((day % 7) + 7) % 7 }

// learn looks for a week among the runs up to newest. Between two looks what is
// known is taken out of the runs that arrive, and others' corrections are passed on.
func (w *weekly) learn(newest int, committed []event) {
	n := newest + 1
	for n-w.from > w.p.runs || w.day[newest]-w.day[w.from] > w.p.most {
		w.from++
	}
	if n%max(2, min(n, w.p.runs)/16) == 0 && w.spans(newest) {
		w.follow(n, committed)
	}
	w.out[newest] = w.found.effect[weekday(w.day[newest])]
	for k := max(0, n-nodeRuns); k < n; k++ {
		w.x[k] = w.src[k] - w.out[k]
	}
}

// spans says whether the runs that are looked back on are of enough weeks. Runs
// of a replayed history may be days apart by their times and seconds by the
// clock: the week is then one that no machine had.
func (w *weekly) spans(newest int) bool {
	days := w.day[newest] - w.day[w.from]
	return days >= w.p.span && (w.began == nil || math.Abs(w.began[newest]-w.began[w.from]-float64(days)) < 2)
}

// startDays are the starts of the runs in days, nil where they are not known.
func (r *ready) startDays() []float64 {
	days := slices.Clone(column(r, r.Start))
	for k := range days {
		days[k] /= 24 * 60 * 60
	}
	return days
}

// follow looks at the runs before end. Where a pattern began or ended among them,
// it holds for its own runs, and later looks are at those since.
func (w *weekly) follow(end int, committed []event) {
	w.found = w.look(w.from, end, committed)
	first, last := w.from, end
	if w.found.form != noWeek {
		first, last = w.holds(w.from, end)
	}
	if first > w.from || last < end {
		w.found = week{}
		if last-first >= 2*w.p.days {
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
		w.from, w.found = last, week{}
	}
}

// holds returns the runs from first to before last of which the pattern is true:
// those before or after are left out if they are better explained without it.
func (w *weekly) holds(from, end int) (first, last int) {
	gain := func(k int) float64 {
		with, without := w.off[k], w.off[k]+w.found.effect[weekday(w.day[k])]
		cost := func(r float64) float64 { return min(sq(r/w.found.noise)/2, w.p.cost) }
		return (cost(with) - cost(without)) * w.share[k]
	}
	first, last = from, end
	sum, best := 0.0, w.p.ended
	for k := end - 1; k >= from; k-- {
		if sum += gain(k); sum > best {
			best, last = sum, k
		}
	}
	sum, best = 0, w.p.ended
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
func (w *weekly) look(from, end int, committed []event) week {
	var found week
	for range 6 {
		last := found
		t := w.tally(from, end, committed, last)
		found = t.judge(w.p)
		if found.form == noWeek || last.form != noWeek && found.near(&last) {
			break
		}
		if last.form == noWeek {
			w.centre(from, end, &found)
		}
	}
	return found
}
