package changepoint

import (
	"math"

	"jobgait/analysis/note"
)

// history is the input of a scan: finite log values in time order, and evidence from outside the values.
type history struct {
	x []float64
	// moment numbers the times of the runs: runs of one time have no order, so that no change begins between them;
	// nil: every run has its own time.
	moment []int
	// day of each run; nil: every run has its own. Runs of one day may share a level.
	day []int
	// flips is the evidence in nats that the recorded fields give for a change at
	// each run: above 0 where one changed; nil: none is recorded.
	flips []float64
	// identified reports for each run whether a field changed that identifies what ran or where; nil: none is
	// recorded.
	identified []bool
	// prior is evidence in nats for a change at each run, from other series;
	// nil: none.
	prior []float64
	// learn, if set, is called when run newest has arrived, with the events committed by then. It may alter x and
	// prior up to that run by what is known of nodes and other series then; what is committed stands.
	learn func(newest int, committed []event)
}

// event is one committed change, with its effect in log units.
type event struct {
	index, detected int
	effect, lo, hi  float64
	first, last     int // place
	unaided         unaidedPlace
	identified      bool    // a field placed it
	strength        float64 // nats beyond the requirement
	kind            Kind
	group, end      *int
	bar, info       float64  // standard scores that were needed, runs that were known then
	before, resumed int      // its past regime, and the newest commit of a drift
	rate            *float64 // false alarms per 1000 runs at this strength
}

// eventsAfter returns the committed events whose new level begins after the given run.
func eventsAfter(committed []event, run int) []event {
	first := len(committed)
	for first > 0 && committed[first-1].resumed > run {
		first--
	}
	return committed[first:]
}

// eventStarts returns the first run of the new level of each event.
func eventStarts(ev []event) []int {
	list := make([]int, len(ev))
	for q, e := range ev {
		list[q] = e.index
	}
	return list
}

// outcome is the result of a scan. When the history grows, only effect, lo and hi of an event change.
type outcome struct {
	events   []event
	regimes  []Regime
	outliers []int
	notes    []note.Note
	// levels holds the two log levels between which the newest regime alternates; nil if it does not.
	levels *[2]float64
}

// scan detects the changes of a history as if it arrived run by run, and describes its regimes.
func scan(in history, p Params) outcome {
	sc := scanner{history: in, p: p}
	out := outcome{events: sc.sequence()}
	sc.describe(&out)
	return out
}

// describe sets the effects of the events with all runs, and adds regimes, outliers and notes to the outcome.
func (sc *scanner) describe(out *outcome) {
	if len(sc.x) == 0 {
		return
	}
	sc.effects(out.events)
	bounds := []int{0}
	for q := range out.events {
		e := &out.events[q]
		bounds = append(bounds, e.index)
		if e.resumed > e.index {
			end := e.resumed - 1
			e.end = &end
			bounds = append(bounds, e.resumed)
		}
	}
	stays := sc.fitLevels(bounds)
	markExcursions(out.events)
	for _, st := range stays {
		g, far := sc.regimeOf(st)
		out.regimes = append(out.regimes, g)
		out.outliers = append(out.outliers, far...)
	}
	sc.noteDependence(out)
}

// windowRuns is the most runs that a scan looks back (the paper's w is 30). A larger window detects weaker
// changes and takes more time.
const windowRuns = 60

// sequence commits changes from left to right: Algorithm 3 of the paper with another statistic. After a commit
// it goes back to the run after the change and replays; of earlier runs only the noise is used.
func (sc *scanner) sequence() []event {
	var ev []event
	i, j, newest := 0, 1, 0
	cut := false
	b := priorNoise(sc.buf, nil)
	for ; j <= len(sc.x); j++ {
		if j-1 > newest {
			newest = j - 1
			if sc.learn != nil {
				sc.learn(newest, ev)
			}
		}
		if j-i > windowRuns {
			i, cut = j-windowRuns, true
			b = priorNoise(sc.buf, sc.x[:i])
		}
		if j-i < 2*minSegment-1 {
			continue
		}
		c, all := sc.scan(i, j, cut, b)
		c, v := sc.decide(i, j, cut, c, all, b)
		if !v.committed {
			if m, w := sc.bestEpisode(i, j, cut, all, b); w.committed {
				ev = sc.commitBoth(ev, i, newest, m, w)
				i, cut = sc.start, false
				j, b = i, priorNoise(sc.buf, sc.x[:i])
			}
			continue
		}
		e, at := sc.place(i, j, newest, cut, c, all, v, b)
		ev = sc.commit(ev, e, j, at)
		i, j, cut = e.index, e.index, false
		b = priorNoise(sc.buf, sc.x[:i])
	}
	return ev
}

// decide tests split c of the window [i,j). If c has enough evidence against independent noise and fails
// another test, it also tests the split at the most likely place of the change: next to outliers the best split
// is off by some runs, and these runs look like alternation between two levels. It returns the split that was
// committed with its verdict, or c with the verdict on c. cut and b are the arguments that scan got, all is the
// list of fitted splits that scan returned.
func (sc *scanner) decide(i, j int, cut bool, c split, all []split, b noisePrior) (split, verdict) {
	m := sc.changeClaim(i, j, c)
	v := sc.testClaim(&m, b)
	if v.committed || v.margin <= 0 {
		return c, v
	}
	d, _ := sc.locateSplit(i, j, cut, c, all, b)
	m = sc.changeClaim(i, j, d)
	if w := sc.testClaim(&m, b); w.committed {
		return d, w
	}
	return c, v
}

// commit adds event e, found as split c of the runs up to j, or makes it part
// of the drift that the entry before it began.
func (sc *scanner) commit(ev []event, e event, j int, c split) []event {
	e.before, e.resumed = len(sc.past), e.index
	if len(ev) > 0 && sc.continuesDrift(ev[len(ev)-1], e.index, j, c) {
		d := &ev[len(ev)-1]
		d.kind, d.resumed = Drift, e.index
	} else {
		ev = append(ev, e)
	}
	sc.past = append(sc.past, pastRegime{sc.start, e.index, c.left.mu, c.s})
	sc.start = e.index
	return ev
}

// event converts a committed split of a window that begins with run i to an event.
func (sc *scanner) event(i, newest int, c split, v verdict) event {
	return event{
		index: i + c.k, detected: newest, effect: c.right.mu - c.left.mu,
		strength: v.margin, kind: Step, rate: v.rate(),
		bar: math.Sqrt(2 * v.required), info: 1 / (1/c.left.weight + 1/c.right.weight),
	}
}
