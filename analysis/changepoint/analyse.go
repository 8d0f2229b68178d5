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

// Analysis is the result for all series that were analysed together.
type Analysis struct {
	Method  Method
	Series  []SeriesResult
	Machine []MachineEvent
	// Expected is the number of changes that chance alone would give, counted where the noise is of a calibrated
	// kind.
	Expected float64
}

// Analyse detects changes in all series together. Method Paper only prepares the runs and runs the paper's
// algorithm on each series alone. The stages, in the order in which runs pass through them:
//
//	prepare        the runs that can be judged, in time order, as logarithms
//	machine        what unrelated series show at one time is taken out
//	slow nodes     the estimated delays of nodes are subtracted, as runs arrive
//	calendar       and so is a pattern of weekdays
//	detection      changes of what is left; again with those of the owner's other series
//	causes         what else changed where a change lies
func Analyse(series []Series, method Method, p Params) Analysis {
	rep := Analysis{Method: method, Series: make([]SeriesResult, len(series)), Machine: []MachineEvent{}}
	runs := make([]preparedSeries, len(series))
	parallel.Each(len(series), func(i int) { runs[i] = prepare(&series[i]) })
	if method == Paper {
		for i := range runs {
			rep.Series[i] = runs[i].analysePaper()
		}
	} else {
		rep.Machine = removeMachineShifts(runs, p)
		newVotingRound(runs, p).analyse(rep.Series)
	}
	rep.Expected = ExpectedByChance(rep.Series)
	return rep
}

// removeMachineShifts estimates the shifts of each machine from its unrelated series, attaches them to the runs
// of every series, and returns them as events.
func removeMachineShifts(runs []preparedSeries, p Params) []MachineEvent {
	series := make([]machine.MachineSeries, len(runs))
	for i := range runs {
		r := &runs[i]
		series[i] = machine.MachineSeries{ID: r.ID, User: r.User, Machine: r.Machine, X: r.x, Start: column(r, r.Start)}
	}
	known, events := machine.EstimateShifts(series, func(i int, x []float64, strict float64) []int {
		pass := p
		pass.Threshold *= strict
		pass.EpisodeRuns = 0 // the machine leaves its level for a few runs
		return eventStarts(scan(history{x: x, moment: runs[i].moments, day: runs[i].day}, pass).events)
	})
	for i, m := range known {
		if runs[i].machine = m; m != nil && m.Note() != nil {
			runs[i].notes = append(runs[i].notes, *m.Note())
		}
	}
	return events
}

// seriesScan is one scan of a series: its input, what was known besides its values, and the result.
type seriesScan struct {
	fields fields
	known  *knowledge
	in     history
	out    outcome
}

// scanSeries detects changes in a series; given holds the votes of the owner's other series, nil for none. If shifts of
// the machine were subtracted, it requires machineThreshold nats more and tests no episodes. A quiet series gives an
// empty scan.
func (r *preparedSeries) scanSeries(given []vote, p Params) seriesScan {
	if r.quiet {
		return seriesScan{}
	}
	if r.machine != nil {
		p.Threshold += machineThreshold
		p.EpisodeRuns = 0 // what the machine did to others for a few runs, and not to this one
	}
	l := seriesScan{fields: newFields(r), known: newKnowledge(r, given)}
	l.in = l.known.history(r, &l.fields)
	l.out = scan(l.in, p)
	return l
}

// machineThreshold is added to the required evidence, in nats, of a series from which shifts of the machine
// were subtracted: errors of the subtraction last for several runs, as a change does.
const machineThreshold = 1

// knowledge holds the corrections for a history as its runs arrive: shifts of the machine, slow nodes,
// weekdays, and changes of the user's other series. It uses no run after the newest one, so that a shortened
// history has the same changes as the whole one.
type knowledge struct {
	x       []float64 // logarithms of the values with the corrections subtracted
	machine func(newest int)
	nodes   *slownode.Watch
	week    *calendar.Week
	others  *voteEvidence
}

// newKnowledge subtracts the known shifts of the machine from a history and prepares the other corrections;
// given holds the votes of other series.
func newKnowledge(r *preparedSeries, given []vote) *knowledge {
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

// history returns the input of the scan: the corrected logarithms, the times and days of the runs, and the evidence of
// recorded fields and of other series. Its learn is nil if there is nothing to correct.
func (k *knowledge) history(r *preparedSeries, f *fields) history {
	h := history{x: k.x, moment: r.moments, day: r.day, flips: f.evidence(len(r.x)),
		identified: f.identifiedRuns(len(r.x))}
	if k.others != nil {
		h.prior = k.others.nats
	}
	if k.machine != nil || k.nodes != nil || k.week != nil || k.others != nil {
		h.learn = k.learn
	}
	return h
}

// learn updates all corrections when run newest has arrived, with the changes committed by then.
func (k *knowledge) learn(newest int, committed []event) {
	if k.machine != nil {
		k.machine(newest)
	}
	if k.nodes != nil {
		k.nodes.Learn(newest, machine.RevisedRuns, eventStarts(eventsAfter(committed, newest-slownode.Runs)))
	}
	if k.week != nil {
		k.week.Learn(newest, weekChanges(eventsAfter(committed, newest-calendar.Runs)))
	}
	if k.others != nil {
		k.others.learn(newest)
	}
}

// weekChanges converts committed changes to the type of package calendar.
func weekChanges(ev []event) []calendar.WeekChange {
	list := make([]calendar.WeekChange, len(ev))
	for q, e := range ev {
		list[q] = calendar.WeekChange{Index: e.index, Resumed: e.resumed}
	}
	return list
}

// nodeChanges converts committed changes to the type of package slownode.
func nodeChanges(ev []event) []slownode.NodeChange {
	list := make([]slownode.NodeChange, len(ev))
	for q, e := range ev {
		list[q] = slownode.NodeChange{Index: e.index, Slower: e.effect > 0}
	}
	return list
}

// findSlowNodes returns the slow nodes once all runs have arrived, and notes about nodes. It adds to the note
// about two levels the nodes that go with them, and subtracts the slow nodes from the values.
func (r *preparedSeries) findSlowNodes(l *seriesScan, p Params) ([]SlowNode, []note.Note) {
	nodes := l.known.nodes
	if nodes == nil {
		return []SlowNode{}, nil
	}
	if v := l.out.levels; v != nil {
		at := slices.IndexFunc(l.out.notes, func(n note.Note) bool { return n.Code == note.TwoLevels })
		l.out.notes[at].Text += nodes.OfLevels(l.known.x, v[0], v[1])
	}
	slow := nodes.SlowNodes(eventStarts(l.out.events))
	nodes.Apply(l.known.week.RemoveFrom)
	return slow, nodes.Notes(nodeChanges(l.out.events), func(x []float64) []slownode.NodeChange {
		in := l.in
		in.learn, in.x = nil, x
		return nodeChanges(scan(in, p).events)
	}, r.sinceText)
}

// adjusted returns the corrected logarithms once all runs have arrived. The estimates of nodes, and of weekdays
// with them, are revised at the end.
func (k *knowledge) adjusted() []float64 {
	if k.nodes != nil {
		return k.nodes.X()
	}
	return k.x
}

// buildResult converts a scan to a result in the units and indexes of the input, with slow nodes, causes,
// shifts of other metrics, creep and notes. Unless p.NoFunctions is set, it also scans the large functions as
// series of their own. It modifies the scan.
func (r *preparedSeries) buildResult(l *seriesScan, p Params) SeriesResult {
	res := r.emptyResult()
	if r.quiet {
		return res
	}
	var placed []note.Note
	res.SlowNodes, placed = r.findSlowNodes(l, p)
	res.Notes = append(res.Notes, placed...)
	for q, e := range l.out.events {
		c := r.changeOf(e)
		c.Causes, c.ExcessNats = l.causes(q, p), excessNats(e.strength)
		lo, hi := neighbourBounds(l.out.events, q, len(r.x))
		res.Notes = append(res.Notes, r.addMetricShifts(&c, e, lo, hi)...)
		r.addFunctionCauses(&c, e, lo, hi, l.out.outliers)
		res.Changes = append(res.Changes, c)
	}
	res.Notes = append(append(res.Notes, l.fields.notes...), l.out.notes...)
	res.Notes = append(res.Notes, l.known.week.Notes(r.Dated)...)
	if w := l.known.week; w != nil {
		l.out.restoreMeasured(w.X(), w.Removed())
	}
	res.Notes = r.noteSpread(res.Notes, l, p)
	if v := l.out.levels; v != nil && slices.ContainsFunc(res.Notes, func(n note.Note) bool {
		return n.Code == note.TwoLevels
	}) {
		res.Levels = []float64{math.Exp(v[0]), math.Exp(v[1])}
	}
	res.Creep = r.creep(findCreep(l.known.adjusted(), l.out.events, l.in.flips, p.Outliers))
	r.addRegimes(&res, l.out)
	res.Adjusted = r.values(l.known.adjusted())
	res.Functions = []FunctionChange{}
	if !p.NoFunctions {
		res.Functions = r.functionChanges(&res, p)
	}
	return res
}
