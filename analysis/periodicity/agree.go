package periodicity

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/series"
)

// Wall time and every grid of CPU time are views of one run. They are combined into one decision: what most of
// them show is the period, the others raise or lower its confidence, and a loop within a loop is reported too.
const (
	// sameCPU is the largest relative difference of CPU time per cycle at which two views show one period: of
	// iterations that vary by 15 % each view finds others.
	sameCPU = 0.08
	// seenBins is the number of bins in a period from which on a grid shows it
	// itself. Below it shows multiples (shortLag), which then speak for it.
	seenBins = shortLag
	// silencePenalty lowers the confidence when most views detect nothing: one of four grids alone gives at most
	// .6, two of them .8.
	silencePenalty = 0.75
	// resolvedSlots is the number of recorded slots in a period from which on spreading counts over their slot
	// does not matter: loops of 10 to 20 ms that were recorded every 5 were reported a quarter too long.
	resolvedSlots = 5
	// nestedShare is the share of the support of the period at which a longer or a shorter one is reported beside
	// it.
	nestedShare = 0.3
	// freeShare is the share of its CPUs that a job must get for wall time to count as much as CPU time.
	// crowdedWeight is the weight of wall time if the job got less.
	freeShare, crowdedWeight = 0.85, 0.5
	// wallShare is the share of the clearest view's clarity at which that of wall time is reported.
	wallShare = 0.8
)

// view is one view of a run, wall time or a grid of CPU time, with the periods found in it and, in lag, their
// CPU time per cycle.
type view struct {
	grid          *grid // nil for wall time
	bin           float64
	periods       []Period
	lag           []float64
	weight        float64
	agreed        float64 // among the columns of wall time
	ignoreSilence bool    // its silence says nothing
}

// viewPeriod is one period of one view.
type viewPeriod struct {
	by, at     int
	lag, worth float64
}

// viewsOf returns the views of a run: wall time and the grids. If the job did not get its CPUs, wall time has
// half weight and may miss the period without lowering the confidence. So may the grids if wall time shows only
// periods of another counter, such as idleness of the job's own, which CPU time leaves out. If wall time shows only
// periods of the CPU use and a grid shows a period of the code, the periods of wall time are left out.
func viewsOf(set series.Set, clock series.Clock, wall outcome, gs []grid, par Params) []view {
	share := clock.Total() / (float64(set.Len()) * set.StepS)
	w := view{bin: share * set.StepS, periods: wall.periods, weight: 1, agreed: wall.agreed}
	if par.isCrowded(clock, share, 1) {
		w.weight, w.ignoreSilence = crowdedWeight, true
	}
	spoken := slices.ContainsFunc(gs, func(g grid) bool { return len(g.got.periods) > 0 })
	if wall.usage && spoken {
		w.periods, w.ignoreSilence = nil, true // periods of the CPU use do not compete with periods of the code
	}
	for _, p := range w.periods {
		w.lag = append(w.lag, p.CPUS)
	}
	out := []view{w}
	for i := range gs {
		g := &gs[i]
		w := view{grid: g, bin: g.set.StepS, periods: g.got.periods, weight: 1, agreed: 1,
			ignoreSilence: len(wall.periods) > 0 && !wall.code && !wall.usage}
		for _, p := range g.got.periods {
			w.lag = append(w.lag, p.Coverage*float64(g.set.Len())*g.set.StepS/float64(len(p.Instances)))
		}
		out = append(out, w)
	}
	return out
}

// combined is the period on which most views agree, with a loop inside and one around it.
type combined struct {
	reported viewPeriod
	agreed   float64
	wall     bool // whether wall time shows it
	cpu      bool // whether a grid of CPU time does
	inner    *viewPeriod
	outer    *viewPeriod
}

// combineViews selects the period with the most support from all views (see familySupport), and a loop inside it and
// one around it if their support is at least nestedShare of that; false if no view shows a period.
func combineViews(all []view) (combined, bool) {
	families := familiesOf(all)
	if len(families) == 0 {
		return combined{}, false
	}
	support := make([]float64, len(families))
	best := 0
	for i, f := range families {
		support[i] = familySupport(all, f)
		if support[i] > support[best] {
			best = i
		}
	}
	v := combined{reported: reportedView(all, families[best])}
	related := map[int]bool{best: true}
	for i, f := range families {
		if i == best || support[i] < nestedShare*support[best] {
			continue
		}
		s := reportedView(all, f)
		switch ratio := s.lag / v.reported.lag; {
		case mayNest(ratio) && (v.outer == nil || s.worth > v.outer.worth):
			v.outer, related[i] = &s, true
		case mayNest(1/ratio) && (v.inner == nil || s.worth > v.inner.worth):
			v.inner, related[i] = &s, true
		}
	}
	for _, s := range families[best] {
		v.wall = v.wall || all[s.by].grid == nil
		v.cpu = v.cpu || all[s.by].grid != nil
	}
	v.agreed = viewAgreement(all, families, related, v.reported)
	return v, true
}

// mayNest reports whether a period may lie within another that is ratio times as long.
func mayNest(ratio float64) bool { return nearMultiple(ratio) >= 2 || ratio >= nestedFrom }

// familiesOf groups the periods of all views whose CPU time per cycle is the same within sameCPU of the clearest one,
// the clearest first in each group. Multiples that a view found in place of a period too short for it join the family
// of that period (see reassignMultiples).
func familiesOf(all []view) [][]viewPeriod {
	var periods []viewPeriod
	for i, w := range all {
		for k, p := range w.periods {
			if w.lag[k] > 0 {
				periods = append(periods, viewPeriod{by: i, at: k, lag: w.lag[k], worth: p.Coverage * p.Confidence})
			}
		}
	}
	slices.SortStableFunc(periods, func(x, y viewPeriod) int { return cmp.Compare(y.worth, x.worth) })
	var families [][]viewPeriod
next:
	for _, s := range periods {
		for i, f := range families {
			if math.Abs(s.lag/f[0].lag-1) <= sameCPU {
				families[i] = append(f, s)
				continue next
			}
		}
		families = append(families, []viewPeriod{s})
	}
	return reassignMultiples(all, families)
}

// reassignMultiples moves periods that are multiples of the period of another family, if that is too short for the bins
// of the view that found them (seenBins) and has enough support, to that family; of several to the one with the most
// support.
func reassignMultiples(all []view, families [][]viewPeriod) [][]viewPeriod {
	support := make([]float64, len(families))
	for i, f := range families {
		support[i] = familySupport(all, f)
	}
	own, moved := make([][]viewPeriod, len(families)), make([][]viewPeriod, len(families))
	for j, f := range families {
		for _, s := range f {
			to := j
			for i, g := range families {
				if nearMultiple(s.lag/g[0].lag) >= 2 && g[0].lag < seenBins*all[s.by].bin && support[i] >= shorterShare*s.worth &&
					(to == j || support[i] > support[to]) {
					to = i
				}
			}
			if to == j {
				own[j] = append(own[j], s)
			} else {
				moved[to] = append(moved[to], s)
			}
		}
	}
	var out [][]viewPeriod
	for i := range families {
		if len(own[i]) > 0 {
			out = append(out, append(own[i], moved[i]...))
		} else if len(moved[i]) > 0 {
			out = append(out, moved[i])
		}
	}
	return out
}

// familySupport returns the sum, over views, of the weight times the worth of the view's best period in a
// family.
func familySupport(all []view, f []viewPeriod) float64 {
	sum := 0.0
	for i, w := range all {
		top := 0.0
		for _, s := range f {
			if s.by == i {
				top = max(top, s.worth)
			}
		}
		sum += w.weight * top
	}
	return sum
}

// reportedView returns the period of a family that is reported: that of wall time, whose samples need no mapping back,
// if it is the same as the clearest one, has at least wallShare of its worth, and the job was not crowded; else the
// clearest one.
func reportedView(all []view, f []viewPeriod) viewPeriod {
	for _, s := range f {
		if w := all[s.by]; w.grid == nil && w.weight == 1 && math.Abs(s.lag/f[0].lag-1) <= sameCPU &&
			s.worth >= wallShare*f[0].worth {
			return s
		}
	}
	return f[0]
}

// viewAgreement returns how far the views agree on the reported period, 0 to 1: the share of the worth of each view's
// periods that is in related families, averaged by weight over the views with a period, less a penalty for silent
// views. Two views that agree are both wrong with the product of their chances, so the square of the share of silent
// views counts. reported is the period that is reported.
func viewAgreement(all []view, families [][]viewPeriod, related map[int]bool, reported viewPeriod) float64 {
	sum, n, silent := 0.0, 0.0, 0.0
	for i, w := range all {
		own, rival := 0.0, 0.0
		for k, f := range families {
			for _, s := range f {
				switch {
				case s.by != i:
				case related[k] || i == reported.by:
					own += s.worth
				default:
					rival += s.worth
				}
			}
		}
		switch {
		case own+rival > 0:
			sum += w.weight * w.agreed * own / (own + rival)
			n += w.weight
		case !w.ignoreSilence:
			silent += w.weight
		}
	}
	return sum / n * (1 - silencePenalty*square(silent/(n+silent)))
}
