package periodicity

import (
	"math"
	"slices"

	"jobgait/analysis/series"
)

// overAxes decides between what wall time showed and what the same code shows in
// CPU time, of which a long profile's parts are looked at. Where wall time is sure that
// is not asked: beside it grids made a multiple of one loop, and mended none.
func overAxes(set series.Set, wall outcome, par Params) outcome {
	look := excerpt(set, firstPart)
	clock, ok := look.Clock()
	if !ok || wall.sure(clock) {
		return wall
	}
	gs := grids(look, clock)
	if len(gs) == 0 {
		return wall
	}
	all := testify(look, clock, wall, askFirst(look, gs, par))
	v, ok := judge(all)
	if !ok || !v.settled(all) {
		if look.Len() < set.Len() {
			look = excerpt(set, cpuPart)
			clock, _ = look.Clock()
			gs = grids(look, clock)
		}
		all = testify(look, clock, wall, askAll(look, gs, par))
		if v, ok = judge(all); !ok {
			return wall
		}
	}
	o := wall
	if told := all[v.told.by]; told.grid != nil {
		o = told.grid.toldOn(look, v.told.at)
		shown := told.grid.got.periods[v.told.at].PeriodS
		o.again = func(set series.Set, clock series.Clock) outcome {
			return told.grid.again(set, clock, v.told.lag, shown, par)
		}
		o.partly = look.Len() < set.Len()
		if len(o.periods) == 0 {
			return wall
		}
	}
	o.scale(v.axis(), v.agreed)
	if o.periods[0].Confidence < minConfidence {
		return outcome{source: o.source, stage: foundUnsure, candidate: o.periods[0], usage: o.usage}
	}
	v.nested(&o, all, look)
	return o
}

// sure reports whether code shows a confident period that the slots resolve while the job had its CPUs: wall
// time is then as reliable as CPU time.
func (o outcome) sure(clock series.Clock) bool {
	if !o.code || len(o.periods) == 0 {
		return false
	}
	p := o.periods[0]
	return p.Confidence >= Confident && p.PeriodSamples >= resolvedSlots && p.CPUS >= freeShare*clock.Busy()*p.MeanS
}

// firstBinsS are the grids that are searched first. If both show the period of wall time and no other, the
// other two are skipped, because they add nothing.
var firstBinsS = [...]float64{.003, .005}

// settledFrom is the agreement from which on that is so.
const settledFrom = 0.95

// askFirst searches the first grids and returns them with their results.
func askFirst(set series.Set, gs []grid, par Params) []grid {
	var first []grid
	for i := range gs {
		if slices.Contains(firstBinsS[:], gs[i].askedS) {
			gs[i].ask(set, par)
			first = append(first, gs[i])
		}
	}
	return first
}

// askAll returns all grids, with what they show.
func askAll(set series.Set, gs []grid, par Params) []grid {
	for i := range gs {
		gs[i].ask(set, par)
	}
	return gs
}

// ask finds what a grid of the set shows, once.
func (g *grid) ask(set series.Set, par Params) {
	if g.got.source == "" {
		g.got = detectSource(g.set, g.src, 1, par).
			separateCombs(code(set), func(p Period) (Period, bool) { return g.toWall(p, set) })
	}
}

// settled reports whether wall time, of a job that got its CPUs, and the searched grids show one period, none
// of them as a multiple of a shorter one.
func (v verdict) settled(all []witness) bool {
	for _, w := range all {
		if v.told.lag < seenBins*w.bin {
			return false
		}
	}
	return len(all) > len(firstBinsS) && v.wall && all[0].weight == 1 && v.agreed >= settledFrom
}

const (
	// If only parts of a profile were searched, the whole profile is searched for a loop around the main one: in
	// bins of outerCycles of its cycles, whole ones, so that these are not seen in them. It needs outerConfidence.
	outerCycles     = 4
	outerConfidence = 0.6
	// outerSlots is how many samples are added up to slots before: so that eight of
	// these are in a bin.
	outerSlots = 8
)

// outer is the loop around the main one that is too long for the parts in which that
// was found.
func (o outcome) outer(set series.Set, clock series.Clock, par Params) (Macro, bool) {
	main := o.periods[0]
	w := outerCycles * main.CPUS
	if !(w > 0) || clock.Total() < minBins*w {
		return Macro{}, false
	}
	k := max(1, int(outerCycles*main.MeanS/set.StepS/outerSlots))
	coarse := series.Set{StartS: set.StartS, StepS: set.StepS, Columns: code(set)}.Coarser(k)
	if len(coarse.Columns) < 2 {
		return Macro{}, false
	}
	g := newGrid(clock.Coarser(k).Bin(coarse.Columns, w), w)
	for _, p := range detectSource(g.set, g.src, 1, par).periods {
		if p.Confidence < outerConfidence || p.PeriodS < shortLag*w {
			continue
		}
		if q, ok := g.toWall(p, set); ok {
			return enclosing(main, q), true
		}
	}
	return Macro{}, false
}

// enclosing is a loop that holds the main one.
func enclosing(main, p Period) Macro {
	n := math.Round(float64(len(main.Instances)) * main.MeanS / p.MeanS)
	return Macro{PeriodS: p.PeriodS, Of: []int{0}, Count: int(n)}
}

// toldOn returns the periods of a grid in wall time, the reported one first.
func (g grid) toldOn(set series.Set, told int) outcome {
	o := outcome{source: series.CodeGroup, stage: g.got.stage}
	for i, p := range g.got.periods {
		if q, ok := g.toWall(p, set); ok {
			q.Parts.Resolved = min(1, p.PeriodS/(resolvedSlots*g.set.SlotS))
			o.periods = append(o.periods, q)
			if i == told {
				at := len(o.periods) - 1
				o.periods[0], o.periods[at] = o.periods[at], o.periods[0]
			}
		}
	}
	return o
}

// again finds what a grid showed in all of a profile, in the longest bins that
// show it.
func (g grid) again(set series.Set, clock series.Clock, lag, shownS float64, par Params) outcome {
	asked := g.askedS
	for _, s := range cpuBinsS {
		if s > asked && lag >= 4*seenBins*s*g.set.StepS/g.askedS {
			asked = s
		}
	}
	full := gridsBy(spreadGrid, set, clock, asked)
	if len(full) == 0 {
		return outcome{}
	}
	full[0].got = detectNear(full[0].set, full[0].src, 1, par, shownS)
	told := slices.IndexFunc(full[0].got.periods, func(p Period) bool { return math.Abs(p.PeriodS/lag-1) <= sameCPU })
	return full[0].toldOn(set, told)
}

// axis is where the period was seen.
func (v verdict) axis() series.Axis {
	switch {
	case v.wall && v.cpu:
		return Both
	case v.cpu:
		return series.CPU
	}
	return series.Wall
}

// nested adds a loop inside the main one as its child, and one around it as a
// macro cycle.
func (v verdict) nested(o *outcome, all []witness, look series.Set) {
	in := func(s sight) Period {
		w := all[s.by]
		p := w.periods[s.at]
		if w.grid != nil {
			p, _ = w.grid.toWall(p, look)
		}
		return p
	}
	main := o.periods[0]
	if v.inner != nil {
		p := in(*v.inner)
		n := math.Round(float64(len(main.Instances)) * main.MeanS / p.MeanS)
		o.periods[0].Children = []ChildPeriod{{PeriodS: p.PeriodS, Count: int(n), Confidence: p.Confidence * v.agreed}}
	}
	if v.outer != nil {
		o.macros = append(o.macros, enclosing(main, in(*v.outer)))
	}
}
