package changepoint

import (
	"math"
	"slices"

	"jobgait/analysis/changepoint/machine"
	"jobgait/analysis/internal/parallel"
	"jobgait/analysis/note"
)

// Report is what is said of all series that were looked at together.
type Report struct {
	Method  Method
	Series  []Result
	Machine []MachineEvent
	// Expected is how many of all entries chance alone would give, where the
	// noise is of a kind that was calibrated.
	Expected float64
}

// Analyse judges series together: what unrelated ones share is the machine's
// and is taken out first.
func Analyse(series []Series, method Method, p Params) Report {
	rep := Report{Method: method, Series: make([]Result, 0, len(series)), Machine: []MachineEvent{}}
	runs := make([]ready, len(series))
	parallel.Each(len(series), func(i int) { runs[i] = prepare(&series[i]) })
	if method != Paper {
		rep.Machine = takeOut(runs, p)
	}
	for _, res := range judge(runs, method, p) {
		rep.Series = append(rep.Series, res)
		rep.Expected += expected(res)
	}
	return rep
}

// takeOut takes what the machine did out of the runs of every series.
func takeOut(runs []ready, p Params) []MachineEvent {
	series := make([]machine.Series, len(runs))
	for i := range runs {
		r := &runs[i]
		series[i] = machine.Series{ID: r.ID, User: r.User, Machine: r.Machine, X: r.x, Start: column(r, r.Start)}
	}
	known, events := machine.TakeOut(series, func(i int, x []float64, strict float64) []int {
		pass := p
		pass.Threshold *= strict
		pass.EpisodeRuns = 0 // the machine leaves its level for a few runs
		var at []int
		for _, e := range scan(history{x: x, day: runs[i].day}, pass).events {
			at = append(at, e.index)
		}
		return at
	})
	for i, m := range known {
		if runs[i].machine = m; m != nil && m.Note() != nil {
			runs[i].notes = append(runs[i].notes, *m.Note())
		}
	}
	return events
}

// judge returns the result of every series. Series of one owner are gone over
// twice: first alone, then with what the others showed by then.
func judge(runs []ready, method Method, p Params) []Result {
	list := make([]Result, len(runs))
	if method == Paper {
		for i := range runs {
			list[i] = runs[i].paper()
		}
		return list
	}
	looks := make([]look, len(runs))
	solo := make([]outcome, len(runs))
	parallel.Each(len(runs), func(i int) {
		looks[i] = runs[i].look(nil, p)
		solo[i] = looks[i].out
	})
	given := votes(runs, solo)
	parallel.Each(len(runs), func(i int) {
		if len(given[i]) > 0 {
			looks[i] = runs[i].lookAgain(&looks[i], given[i], p)
		}
		list[i] = runs[i].sequential(looks[i], p)
		looks[i] = look{} // nobody asks any more: it is most of the memory
	})
	return list
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
	// What the scans did, with the fields and without; nil where nobody asks.
	trail, blindTrail *trail
}

// look scans a series, given votes of others.
func (r *ready) look(given []vote, p Params) look { return r.lookAgain(&look{}, given, p) }

// lookAgain scans a series, given votes of others, after a look without them.
func (r *ready) lookAgain(alone *look, given []vote, p Params) look {
	if r.quiet {
		return look{}
	}
	if len(given) == 0 {
		alone = &look{}
	}
	if r.machine != nil {
		p.Threshold += machineDoubt
		p.Correlated += machineDoubt
		p.EpisodeRuns = 0 // what the machine did to others for a few runs, and not to this one
	}
	l := look{fields: newFields(r), known: newKnowledge(r, given)}
	if r.User != "" && len(given) == 0 {
		l.trail, l.blindTrail = &trail{}, &trail{}
	}
	l.in = l.known.history(r, &l.fields)
	l.in.before, l.in.trail = alone.trail, l.trail
	l.out = scan(l.in, p)
	l.blind = l.out.events
	if l.in.flips != nil && len(l.out.events) > 0 {
		in := newKnowledge(r, given).history(r, &l.fields)
		in.flips = nil
		in.before, in.trail = alone.blindTrail, l.blindTrail
		l.blind = scan(in, p).events
	}
	return l
}

// machineDoubt is the further evidence, in nats, asked of a series from which
// shifts of the machine were taken out: what is left of them lasts for several
// runs, as a change does.
const machineDoubt = 1

// causes ranks the fields that flipped where change q lies when fields are not
// looked at; where it is found only with them, as far around it as may be.
func (l *look) causes(q int, p Params) []Cause {
	e := l.out.events[q]
	lo, hi := beside(l.out.events, q, len(l.known.x))
	place := event{index: e.index, first: e.index - causeReach, last: e.index + causeReach}
	best := blindReach + 1
	for _, b := range l.blind {
		if d := abs(b.index - e.index); d < best && b.index > lo && b.index < hi {
			place, best = b, d
		}
	}
	at := l.fields.newSite(l.known.x, place.index, min(place.first, e.index), max(place.last, e.index), lo, hi, p.Outliers)
	return l.fields.causes(at)
}

// blindReach is how far apart the two scans may place one change.
const blindReach = 5

// sequential puts what a scan found in the words of a result.
func (r *ready) sequential(l look, p Params) Result {
	res := r.result()
	if r.quiet {
		return res
	}
	if nodes := l.known.nodes; nodes != nil {
		if l.out.levels != nil {
			nodes.pl.nameLevels(l.out.notes, l.known.x, *l.out.levels)
		}
		nodes.final(l.out.events)
		l.known.week.TakeOut(nodes.raw)
		l.known.week.TakeOut(nodes.x)
		res.SlowNodes = nodes.pl.slowNodes(nodes.slow)
		res.Notes = append(res.Notes, nodes.placed(r, l.in, l.out, p)...)
	}
	for q, e := range l.out.events {
		c := r.change(e)
		c.Causes, c.Beyond = l.causes(q, p), beyond(e.strength)
		lo, hi := beside(l.out.events, q, len(r.x))
		res.Notes = append(res.Notes, r.metrics(&c, e, lo, hi)...)
		res.Changes = append(res.Changes, c)
	}
	res.Notes = append(append(res.Notes, l.fields.notes...), l.out.notes...)
	res.Notes = append(res.Notes, l.known.week.Notes(r.Dated)...)
	l.out.measured(l.known.week)
	res.Notes = r.spread(res.Notes, l, p)
	r.describe(&res, l.out)
	res.Adjusted = r.values(l.known.adjusted())
	return res
}

// values puts logarithms back in the units and the order of the input.
func (r *ready) values(x []float64) []float64 {
	y := make([]float64, len(r.Y))
	for k := range y {
		y[k] = math.NaN()
	}
	for k, v := range x {
		y[r.at[k]] = math.Exp(v)
	}
	return y
}

// result is the empty answer to a series.
func (r *ready) result() Result {
	return Result{ID: r.ID, N: len(r.Y), Changes: []Change{}, Regimes: []Regime{}, Outliers: []int{},
		SlowNodes: []SlowNode{}, Notes: append([]note.Note{}, r.notes...)}
}

// change puts a committed event in the words and indexes of the input.
func (r *ready) change(e event) Change {
	c := Change{Index: r.at[e.index], T: r.Time(r.at[e.index]), DetectedIndex: r.at[e.detected],
		EffectPct: percent(e.effect), Level: .95, FirstIndex: r.at[e.first], LastIndex: r.at[e.last],
		FalsePer1000: e.rate, Kind: e.kind, Group: e.group, Causes: []Cause{}, Metrics: []MetricShift{}}
	if lo, hi := percent(e.lo), percent(e.hi); e.lo < e.hi {
		c.LoPct, c.HiPct = &lo, &hi
	}
	if e.end != nil {
		end := r.at[*e.end]
		c.EndIndex = &end
	}
	return c
}

// percent is a difference of logarithms as a relative difference.
func percent(d float64) float64 { return 100 * math.Expm1(d) }

// describe adds regimes and outliers, in indexes of the input.
func (r *ready) describe(res *Result, out outcome) {
	for _, g := range out.regimes {
		g.First, g.Last = r.at[g.First], r.at[g.Last]
		res.Regimes = append(res.Regimes, g)
	}
	for _, o := range out.outliers {
		res.Outliers = append(res.Outliers, r.at[o])
	}
	slices.Sort(res.Outliers)
}

// expected is how many changes of a series of that many runs chance would give
// at the strengths that were seen; the weakest entry decides.
func expected(res Result) float64 {
	rate := 0.0
	for _, c := range res.Changes {
		if c.FalsePer1000 != nil {
			rate = math.Max(rate, *c.FalsePer1000)
		}
	}
	return rate * float64(res.N) / 1000
}
