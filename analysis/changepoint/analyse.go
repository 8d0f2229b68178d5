package changepoint

import (
	"math"
	"slices"

	"jobgait/analysis/changepoint/calendar"
	"jobgait/analysis/changepoint/machine"
	"jobgait/analysis/changepoint/slownode"
	"jobgait/analysis/internal/parallel"
	"jobgait/analysis/note"
)

// Analysis is what is said of all series that were looked at together.
type Analysis struct {
	Method  Method
	Series  []SeriesResult
	Machine []MachineEvent
	// Expected is how many of all entries chance alone would give, where the
	// noise is of a kind that was calibrated.
	Expected float64
}

// Analyse judges series together. This file joins the rooms, in the order in which
// runs pass through them:
//
//	prepare        the runs that can be judged, in time order, as logarithms
//	machine        what unrelated series show at one time is taken out
//	slow nodes     what is believed of nodes is, as runs arrive
//	calendar       and a pattern of weekdays
//	detection      changes of what is left; again with those of the owner's other series
//	causes         what else changed where a change lies
func Analyse(series []Series, method Method, p Params) Analysis {
	rep := Analysis{Method: method, Series: make([]SeriesResult, len(series)), Machine: []MachineEvent{}}
	runs := make([]ready, len(series))
	parallel.Each(len(series), func(i int) { runs[i] = prepare(&series[i]) })
	if method == Paper {
		for i := range runs {
			rep.Series[i] = runs[i].paper()
		}
	} else {
		rep.Machine = takeOut(runs, p)
		looks := make([]look, len(runs))
		parallel.Each(len(runs), func(i int) {
			looks[i] = runs[i].look(nil, p)
			p.step()
		})
		given := votes(runs, looks)
		parallel.Each(len(runs), func(i int) {
			if len(given[i]) > 0 {
				looks[i] = runs[i].look(given[i], p)
			}
			rep.Series[i] = runs[i].tell(&looks[i], p)
			runs[i].detectable(&rep.Series[i], &looks[i], p)
			looks[i] = look{} // most of the memory, not needed any more
			p.step()
		})
	}
	rep.Expected = ExpectedByChance(rep.Series)
	return rep
}

// takeOut takes what the machine did out of the runs of every series.
func takeOut(runs []ready, p Params) []MachineEvent {
	series := make([]machine.MachineSeries, len(runs))
	for i := range runs {
		r := &runs[i]
		series[i] = machine.MachineSeries{ID: r.ID, User: r.User, Machine: r.Machine, X: r.x, Start: column(r, r.Start)}
	}
	known, events := machine.TakeOut(series, func(i int, x []float64, strict float64) []int {
		pass := p
		pass.Threshold *= strict
		pass.EpisodeRuns = 0 // the machine leaves its level for a few runs
		return starts(scan(history{x: x, moment: runs[i].moments, day: runs[i].day}, pass).events)
	})
	for i, m := range known {
		if runs[i].machine = m; m != nil && m.Note() != nil {
			runs[i].notes = append(runs[i].notes, *m.Note())
		}
	}
	return events
}

// look is one scan of a series with what was known beside it.
type look struct {
	fields fields
	known  *knowledge
	in     history
	out    outcome
	// blind are the changes that are found without looking at the fields: where
	// they lie says honestly which field flipped there. The scan itself leans
	// towards flips, so that its own places would confirm them.
	blind []event
}

// look scans a series, given votes of others.
func (r *ready) look(given []vote, p Params) look {
	if r.quiet {
		return look{}
	}
	if r.machine != nil {
		p.Threshold += machineDoubt
		p.EpisodeRuns = 0 // what the machine did to others for a few runs, and not to this one
	}
	l := look{fields: newFields(r), known: newKnowledge(r, given)}
	l.in = l.known.history(r, &l.fields)
	l.out = scan(l.in, p)
	l.blind = l.out.events
	if l.in.identified != nil && len(l.out.events) > 0 {
		in := newKnowledge(r, given).history(r, &l.fields)
		in.flips, in.identified = nil, nil
		l.blind = scan(in, p).events
	}
	return l
}

// machineDoubt is the further evidence, in nats, asked of a series from which
// shifts of the machine were taken out: what is left of them lasts for several
// runs, as a change does.
const machineDoubt = 1

// knowledge is what is known beside a history, as its runs arrive: what the
// machine did, which nodes are slow, which weekdays, where the user's other series
// changed. It is never ahead of the newest run, so that the changes of a history cut
// short are those of the whole.
type knowledge struct {
	x       []float64 // the logarithms with what is known taken out
	machine func(newest int)
	nodes   *slownode.Watch
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
		nodes: slownode.New(clean, column(r, r.Nodes)), others: newPrior(r, given)}
	if k.nodes != nil {
		k.x = k.nodes.X()
	}
	if k.week = calendar.New(k.x, r.day, r.startDays()); k.week != nil {
		k.x = k.week.X()
	}
	return k
}

// history is what the scan reads.
func (k *knowledge) history(r *ready, f *fields) history {
	h := history{x: k.x, moment: r.moments, day: r.day, flips: f.evidence(len(r.x)), identified: f.identified(len(r.x))}
	if k.others != nil {
		h.prior = k.others.nats
	}
	if k.machine != nil || k.nodes != nil || k.week != nil || k.others != nil {
		h.learn = k.learn
	}
	return h
}

// learn takes note that run newest has arrived.
func (k *knowledge) learn(newest int, committed []event) {
	if k.machine != nil {
		k.machine(newest)
	}
	if k.nodes != nil {
		k.nodes.Learn(newest, machine.RevisedRuns, starts(after(committed, newest-slownode.Runs)))
	}
	if k.week != nil {
		k.week.Learn(newest, weeks(after(committed, newest-calendar.Runs)))
	}
	if k.others != nil {
		k.others.learn(newest)
	}
}

// weeks are committed changes in the words of the calendar, placements in those of
// the slow nodes.
func weeks(ev []event) []calendar.WeekChange {
	list := make([]calendar.WeekChange, len(ev))
	for q, e := range ev {
		list[q] = calendar.WeekChange{Index: e.index, Resumed: e.resumed}
	}
	return list
}

func placements(ev []event) []slownode.NodeChange {
	list := make([]slownode.NodeChange, len(ev))
	for q, e := range ev {
		list[q] = slownode.NodeChange{Index: e.index, Slower: e.effect > 0}
	}
	return list
}

// judgeNodes returns the slow nodes once all runs have arrived, and notes about nodes. Nodes that go with two
// levels are found from the runs as they were scanned.
func (r *ready) judgeNodes(l *look, p Params) ([]SlowNode, []note.Note) {
	nodes := l.known.nodes
	if nodes == nil {
		return []SlowNode{}, nil
	}
	if v := l.out.levels; v != nil {
		at := slices.IndexFunc(l.out.notes, func(n note.Note) bool { return n.Code == note.TwoLevels })
		l.out.notes[at].Text += nodes.OfLevels(l.known.x, v[0], v[1])
	}
	slow := nodes.Judge(starts(l.out.events))
	nodes.TakeOut(l.known.week.TakeOut)
	return slow, nodes.Notes(placements(l.out.events), func(x []float64) []slownode.NodeChange {
		in := l.in
		in.learn, in.x = nil, x
		return placements(scan(in, p).events)
	}, r.since)
}

// adjusted is the logarithms once all runs have arrived. What was believed of
// nodes is gone over at the end, the week with it.
func (k *knowledge) adjusted() []float64 {
	if k.nodes != nil {
		return k.nodes.X()
	}
	return k.x
}

// tell puts what a look found in the words of a result.
func (r *ready) tell(l *look, p Params) SeriesResult {
	res := r.result()
	if r.quiet {
		return res
	}
	var placed []note.Note
	res.SlowNodes, placed = r.judgeNodes(l, p)
	res.Notes = append(res.Notes, placed...)
	for q, e := range l.out.events {
		c := r.change(e)
		c.Causes, c.Beyond = l.causes(q, p), beyond(e.strength)
		lo, hi := beside(l.out.events, q, len(r.x))
		res.Notes = append(res.Notes, r.metrics(&c, e, lo, hi)...)
		r.explain(&c, e, lo, hi, l.out.outliers)
		res.Changes = append(res.Changes, c)
	}
	res.Notes = append(append(res.Notes, l.fields.notes...), l.out.notes...)
	res.Notes = append(res.Notes, l.known.week.Notes(r.Dated)...)
	if w := l.known.week; w != nil {
		l.out.measured(w.X(), w.Out())
	}
	res.Notes = r.spread(res.Notes, l, p)
	if v := l.out.levels; v != nil && slices.ContainsFunc(res.Notes, func(n note.Note) bool {
		return n.Code == note.TwoLevels
	}) {
		res.Levels = []float64{math.Exp(v[0]), math.Exp(v[1])}
	}
	res.Creep = r.creep(creeping(l.known.adjusted(), l.out.events, l.in.flips, p.Outliers))
	r.describe(&res, l.out)
	res.Adjusted = r.values(l.known.adjusted())
	res.Functions = []FunctionChange{}
	if !p.NoFunctions {
		res.Functions = r.functionChanges(&res, p)
	}
	return res
}
