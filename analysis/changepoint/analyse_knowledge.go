package changepoint

import (
	"math"
	"slices"

	"jobgait/analysis/changepoint/calendar"
	"jobgait/analysis/internal/robust"
)

// knowledge is what is known beside a history, as its runs arrive: what the
// machine did, which nodes are slow, where the user's other series changed. It
// is never ahead of the newest run, so that the changes of a history cut short
// are those of the whole.
type knowledge struct {
	x       []float64 // the logarithms with what is known taken out
	machine func(newest int)
	nodes   *nodeWatch
	week    *calendar.Week
	others  *prior
}

// newKnowledge prepares a history for its scan; given are votes of other series.
func newKnowledge(r *ready, given []vote) *knowledge {
	clean := slices.Clone(r.x)
	if r.machine != nil {
		for i, s := range r.machine.Shift() {
			clean[i] -= s
		}
	}
	k := &knowledge{x: clean, machine: r.machine.Watch(r.x, clean),
		nodes: newNodeWatch(r, clean), others: newPrior(r, given)}
	if k.nodes != nil {
		k.x = k.nodes.x
	}
	if k.week = calendar.New(k.x, r.day, r.startDays()); k.week != nil {
		k.x = k.week.X()
	}
	return k
}

// history is what the scan reads.
func (k *knowledge) history(r *ready, f *fields) history {
	h := history{x: k.x, day: r.day, flips: f.evidence(len(r.x))}
	if k.others != nil {
		h.prior = k.others.nats
	}
	if k.machine != nil || k.nodes != nil || k.week != nil || k.others != nil {
		h.learn = k.learn
	}
	return h
}

// adjusted is the logarithms once all runs have arrived. What was believed of
// nodes is gone over at the end, the week with it.
func (k *knowledge) adjusted() []float64 {
	if k.nodes != nil {
		return k.nodes.x
	}
	return k.x
}

// learn takes note that run newest has arrived.
func (k *knowledge) learn(newest int, committed []event) {
	if k.machine != nil {
		k.machine(newest)
	}
	if k.nodes != nil {
		k.nodes.learn(newest, committed)
	}
	if k.week != nil {
		k.week.Learn(newest, ended(committed, newest))
	}
	if k.others != nil {
		k.others.learn(newest)
	}
}

// ended are the committed changes among the runs that the week looks back on.
func ended(committed []event, newest int) []calendar.Change {
	var list []calendar.Change
	first := len(committed)
	for first > 0 && committed[first-1].resumed > newest-calendar.Runs {
		first--
	}
	for _, e := range committed[first:] {
		list = append(list, calendar.Change{Index: e.index, Resumed: e.resumed})
	}
	return list
}

// startDays are the starts of the runs in days, nil where they are not known.
func (r *ready) startDays() []float64 {
	days := slices.Clone(column(r, r.Start))
	for k := range days {
		days[k] /= 24 * 60 * 60
	}
	return days
}

// measured puts the figures of regimes back to what was measured: a pattern of
// weekdays is taken out to find changes, not of what runs took. Outliers are left out.
func (o *outcome) measured(w *calendar.Week) {
	if w == nil || !slices.ContainsFunc(w.Out(), func(v float64) bool { return v != 0 }) {
		return
	}
	far := make(map[int]bool, len(o.outliers))
	for _, k := range o.outliers {
		far[k] = true
	}
	for q := range o.regimes {
		g := &o.regimes[q]
		var y []float64
		for k := g.First; k <= g.Last; k++ {
			if !far[k] {
				y = append(y, math.Exp(w.X()[k]+w.Out()[k]))
			}
		}
		if len(y) > 0 {
			g.Mean, g.SD = robust.Mean(y)
			g.Median = robust.Median(y)
		}
	}
}
