package changepoint

import (
	"math"

	"jobgait/analysis/note"
)

// history is one series as the scan sees it: finite log values in time order.
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
	// identified are the runs at which a field changed that identifies what ran or where;
	// nil: none is recorded.
	identified []bool
	// prior is evidence in nats for a change at each run, from other series;
	// nil: none.
	prior []float64
	// learn, if set, is called when run newest has arrived, with the events committed by then. It may alter x and
	// prior up to that run by what is known of nodes and other series then; what is committed stands.
	learn func(newest int, committed []event)
}

// event is one committed change in log units.
type event struct {
	index, detected int
	effect, lo, hi  float64
	first, last     int     // place
	identified      bool    // a field placed it
	strength        float64 // nats beyond the requirement
	kind            Kind
	group, end      *int
	bar, info       float64  // standard scores that were needed, runs that were known then
	before, resumed int      // its past regime, and the newest commit of a drift
	rate            *float64 // false alarms per 1000 runs at this strength
}

// after are the newest of committed events, those from which runs after one are judged.
func after(committed []event, run int) []event {
	first := len(committed)
	for first > 0 && committed[first-1].resumed > run {
		first--
	}
	return committed[first:]
}

// starts are the first runs of the levels that events begin.
func starts(ev []event) []int {
	list := make([]int, len(ev))
	for q, e := range ev {
		list[q] = e.index
	}
	return list
}

// outcome is what the scan says of a history. Nothing of an event but effect,
// lo and hi is altered when the history grows.
type outcome struct {
	events   []event
	regimes  []Regime
	outliers []int
	notes    []note.Note
	// levels are two log levels between which the newest regime takes turns.
	levels *[2]float64
}

// scan runs over a history as if it arrived run by run.
func scan(in history, p Params) outcome {
	sc := scanner{history: in, p: p}
	out := outcome{events: sc.sequence()}
	sc.describe(&out)
	return out
}

// describe adds what the events make of the history as it is now.
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
	stays := sc.stays(bounds)
	excursions(out.events)
	for _, st := range stays {
		g, far := sc.regime(st)
		out.regimes = append(out.regimes, g)
		out.outliers = append(out.outliers, far...)
	}
	sc.remark(out)
}

// windowRuns is how many runs a scan looks back at most (the paper's w is 30).
// More sees weaker changes and costs more.
const windowRuns = 60

// sequence commits changes from left to right: Algorithm 3 of the paper with
// another statistic. After a commit it goes back to the run after the change
// and replays; earlier runs are forgotten but for their noise.
func (sc *scanner) sequence() []event {
	var ev []event
	i, j, newest := 0, 1, 0
	cut := false
	b := memory(sc.buf, nil)
	for ; j <= len(sc.x); j++ {
		if j-1 > newest {
			newest = j - 1
			if sc.learn != nil {
				sc.learn(newest, ev)
			}
		}
		if j-i > windowRuns {
			i, cut = j-windowRuns, true
			b = memory(sc.buf, sc.x[:i])
		}
		if j-i < 2*minSegment-1 {
			continue
		}
		c, all := sc.scan(i, j, cut, b)
		c, v := sc.decide(i, j, cut, c, all, b)
		if !v.committed {
			if m, w := sc.episode(i, j, cut, all, b); w.committed {
				ev = sc.commitBoth(ev, i, newest, m, w)
				i, cut = sc.start, false
				j, b = i, memory(sc.buf, sc.x[:i])
			}
			continue
		}
		e, at := sc.place(i, j, newest, cut, c, all, v, b)
		ev = sc.commit(ev, e, j, at)
		i, j, cut = e.index, e.index, false
		b = memory(sc.buf, sc.x[:i])
	}
	return ev
}

// decide judges split c of the window [i,j), and if it is refused that split moved to
// where a change most likely came: beside outliers the best split is off by some
// runs, and those look like turns.
func (sc *scanner) decide(i, j int, cut bool, c split, all []split, b belief) (split, verdict) {
	m := sc.one(i, j, c)
	v := sc.judge(&m, b)
	if v.committed || v.margin <= 0 {
		return c, v
	}
	d, _ := sc.located(i, j, cut, c, all, b)
	m = sc.one(i, j, d)
	if w := sc.judge(&m, b); w.committed {
		return d, w
	}
	return c, v
}

// commit adds event e, found as split c of the runs up to j, or makes it part
// of the drift that the entry before it began.
func (sc *scanner) commit(ev []event, e event, j int, c split) []event {
	e.before, e.resumed = len(sc.past), e.index
	if len(ev) > 0 && sc.continues(ev[len(ev)-1], e.index, j, c) {
		d := &ev[len(ev)-1]
		d.kind, d.resumed = Drift, e.index
	} else {
		ev = append(ev, e)
	}
	sc.past = append(sc.past, past{sc.start, e.index, c.left.mu, c.s})
	sc.start = e.index
	return ev
}

// event describes a committed split.
func (sc *scanner) event(i, newest int, c split, v verdict) event {
	return event{
		index: i + c.k, detected: newest, effect: c.right.mu - c.left.mu,
		strength: v.margin, kind: Step, rate: v.rate(),
		bar: math.Sqrt(2 * v.asked), info: 1 / (1/c.left.weight + 1/c.right.weight),
	}
}
