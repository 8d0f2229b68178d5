package changepoint

// A week is learnt as runs arrive and taken out before the scan judges: nights
// and weekends differ (a machine is idle then, or does its own housekeeping),
// and a pattern that is left in is noise, resembles from run to run, and looks
// like two levels that take turns.
//
// The simplest form that holds is used: two days of seven that follow each other
// against the rest, at any phase; then every weekday by itself. Runs of one day
// count once. A change that is not sure yet, and levels that are committed, part
// the history before weekdays are compared. What was committed before a pattern
// was known stands.

// weeklyParams say when weekdays are told apart.
type weeklyParams struct {
	// span is how many days must have passed from the first run to the newest,
	// days how many of them each side of a comparison must have, each how many
	// days each weekday must have that is judged by itself.
	span, days, each int
	// runs and most are how many runs and days are looked back on: a pattern
	// that ended is forgotten, and a history of many runs costs as much per run.
	runs, most int
	// sure is how often chance alone may show such a pattern, over all phases.
	sure float64
	// clip is how many MAD a run may lie off and still count fully.
	clip float64
}

func defaultWeekly() weeklyParams {
	return weeklyParams{span: 20, days: 6, each: 4, runs: 256, most: 126, sure: .005, clip: 2}
}

// weekly keeps what is known of weekdays as runs arrive and takes it out of the
// logarithms.
type weekly struct {
	p     weeklyParams
	src   []float64 // all else taken out; altered by others as runs arrive
	x     []float64 // without the week, shared with the scan
	out   []float64 // what was taken out of each run
	day   []int
	from  int // first run that is looked back on
	found week
	off   []float64
	part  []int // level of each run
	buf   []float64
}

// newWeekly adjusts a copy of src; nil where the days cannot show a week.
func newWeekly(src []float64, day []int) *weekly {
	p, n := defaultWeekly(), len(src)
	if len(day) != n || n < 2*p.days || day[n-1]-day[0] < p.span {
		return nil
	}
	return &weekly{p: p, src: src, x: append([]float64(nil), src...), out: make([]float64, n), day: day,
		off: make([]float64, n), part: make([]int, n)}
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
	if n%max(2, min(n, w.p.runs)/16) == 0 && w.day[newest]-w.day[w.from] >= w.p.span {
		w.found = w.look(w.from, n, committed)
		for k := w.from; k < newest; k++ {
			w.out[k] = w.found.effect[weekday(w.day[k])]
		}
	}
	w.out[newest] = w.found.effect[weekday(w.day[newest])]
	for k := max(0, n-nodeRuns); k < n; k++ {
		w.x[k] = w.src[k] - w.out[k]
	}
}

// look returns the pattern that the runs from to end show. Once there is one, it
// is looked at again with the levels and outliers that are left when it is taken
// out, until it stands.
func (w *weekly) look(from, end int, committed []event) week {
	var found week
	for range 5 {
		last := found
		t := w.tally(from, end, committed, last)
		found = t.judge(w.p)
		if found.form == noWeek || last.form != noWeek && found.near(&last) {
			break
		}
	}
	return found
}
