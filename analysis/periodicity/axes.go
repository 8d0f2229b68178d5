package periodicity

import (
	"math"
	"slices"

	"jobgait/analysis/series"
)

// combineAxes combines the periods found in wall time with those of the same code in CPU time, for which it searches
// parts of a long profile. It returns wall unchanged if that is reliable, if there is no CPU time, or if no view shows
// a period. If the agreement of the axes lowers the confidence below minConfidence, it returns no periods, and the
// period as candidate.
func combineAxes(set series.Set, wall outcome, par Params) outcome {
	look := excerpt(set, firstPart)
	clock, ok := look.Clock()
	if !ok || wall.isReliable(clock, par) {
		return wall
	}
	gs := grids(look, clock)
	if len(gs) == 0 {
		return wall
	}
	all := viewsOf(look, clock, wall, searchFirstGrids(look, gs, par), par)
	v, ok := combineViews(all)
	if !ok || !v.isSettled(all) {
		if look.Len() < set.Len() {
			look = excerpt(set, cpuPart)
			clock, _ = look.Clock()
			gs = grids(look, clock)
		}
		all = viewsOf(look, clock, wall, searchGrids(look, gs, par), par)
		if v, ok = combineViews(all); !ok {
			return wall
		}
	}
	o := wall
	if reporting := all[v.reported.by]; reporting.grid != nil {
		o = reporting.grid.periodsInWall(look, v.reported.at)
		shown := reporting.grid.got.periods[v.reported.at].PeriodS
		o.searchWhole = func(set series.Set, clock series.Clock) outcome {
			return reporting.grid.searchWhole(set, clock, v.reported.lag, shown, par)
		}
		o.partly = look.Len() < set.Len()
		if len(o.periods) == 0 {
			return wall
		}
	}
	o.setAgreement(v.axis(), v.agreed)
	if o.periods[0].Confidence < minConfidence {
		return outcome{source: o.source, stage: foundUnsure, candidate: o.periods[0], usage: o.usage}
	}
	v.addNested(&o, all, look)
	return o
}

// isReliable reports whether code shows a confident period that the slots resolve while the job had its CPUs:
// wall time is then as reliable as CPU time.
func (o outcome) isReliable(clock series.Clock, par Params) bool {
	if !o.code || len(o.periods) == 0 {
		return false
	}
	p := o.periods[0]
	return p.Confidence >= Confident && p.PeriodSamples >= resolvedSlots && !par.isCrowded(clock, p.CPUS, p.MeanS)
}

// firstBinsS are the grids that are searched first. If both show the period of wall time and no other, the
// other two are skipped, because they add nothing.
var firstBinsS = [...]float64{.003, .005}

// settledAgreement is the least agreement at which the other two grids are skipped.
const settledAgreement = 0.95

// searchFirstGrids searches the grids of firstBinsS and returns them with their results.
func searchFirstGrids(set series.Set, gs []grid, par Params) []grid {
	var first []grid
	for i := range gs {
		if slices.Contains(firstBinsS[:], gs[i].nominalS) {
			gs[i].searchPeriods(set, par)
			first = append(first, gs[i])
		}
	}
	return first
}

// searchGrids searches all grids and returns them with their results.
func searchGrids(set series.Set, gs []grid, par Params) []grid {
	for i := range gs {
		gs[i].searchPeriods(set, par)
	}
	return gs
}

// searchPeriods finds the periods of the grid and sets g.got, unless it was searched before. Periods that are combs of
// the sampler are separated.
func (g *grid) searchPeriods(set series.Set, par Params) {
	if g.got.source == "" {
		g.got = detectSource(g.set, g.src, 1, par).
			separateCombs(code(set), func(p Period) (Period, bool) { return g.toWall(p, set) })
	}
}

// isSettled reports whether the other grids need not be searched: wall time, of a job that got its CPUs, and at least
// the two first grids show the period with an agreement of settledAgreement, and it is long enough for every view to
// show it itself.
func (v combined) isSettled(all []view) bool {
	for _, w := range all {
		if v.reported.lag < seenBins*w.bin {
			return false
		}
	}
	return len(all) > len(firstBinsS) && v.wall && all[0].weight == 1 && v.agreed >= settledAgreement
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

// outerLoop searches the whole profile, in bins of CPU time of outerCycles cycles, for a loop around the main period,
// o.periods[0], that is too long for the parts in which that was found. It returns the first one with outerConfidence,
// and false without one.
func (o outcome) outerLoop(set series.Set, clock series.Clock, par Params) (Macro, bool) {
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

// enclosing returns a macro cycle of period p that contains the main period.
func enclosing(main, p Period) Macro {
	n := math.Round(float64(len(main.Instances)) * main.MeanS / p.MeanS)
	return Macro{PeriodS: p.PeriodS, Of: []int{0}, Count: int(n)}
}

// periodsInWall returns the periods of a grid converted to wall time, that with the index reported first. It leaves out
// periods that have no instance in wall time.
func (g grid) periodsInWall(set series.Set, reported int) outcome {
	o := outcome{source: series.CodeGroup, stage: g.got.stage}
	for i, p := range g.got.periods {
		if q, ok := g.toWall(p, set); ok {
			q.Parts.Resolved = min(1, p.PeriodS/(resolvedSlots*g.set.SlotS))
			o.periods = append(o.periods, q)
			if i == reported {
				at := len(o.periods) - 1
				o.periods[0], o.periods[at] = o.periods[at], o.periods[0]
			}
		}
	}
	return o
}

// searchWhole searches the whole profile for the period that the grid showed in a part of it, in the longest bins that
// resolve it, and returns the periods in wall time, that one first. shownS is its length in the grid, in seconds, which
// is followed first. lag is its CPU time per cycle, by which the result is recognised.
func (g grid) searchWhole(set series.Set, clock series.Clock, lag, shownS float64, par Params) outcome {
	nominalS := g.nominalS
	for _, s := range cpuBinsS {
		if s > nominalS && lag >= 4*seenBins*s*g.set.StepS/g.nominalS {
			nominalS = s
		}
	}
	full := gridsBy(spreadGrid, set, clock, nominalS)
	if len(full) == 0 {
		return outcome{}
	}
	full[0].got = detectNear(full[0].set, full[0].src, 1, par, shownS)
	reported := slices.IndexFunc(full[0].got.periods, func(p Period) bool { return math.Abs(p.PeriodS/lag-1) <= sameCPU })
	return full[0].periodsInWall(set, reported)
}

// axis returns the axis on which the period was found: wall time, CPU time or both.
func (v combined) axis() series.Axis {
	switch {
	case v.wall && v.cpu:
		return Both
	case v.cpu:
		return series.CPU
	}
	return series.Wall
}

// addNested adds a loop inside the main period of o as its child, and one around it as a macro cycle, if the views
// showed them. all has the views, look the part of the profile that was searched.
func (v combined) addNested(o *outcome, all []view, look series.Set) {
	in := func(s viewPeriod) Period {
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
