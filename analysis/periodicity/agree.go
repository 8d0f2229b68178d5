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
	// sameCPU is the relative difference of CPU time per cycle up to which two
	// witnesses show one period: of iterations that vary by 15 % each sees others.
	sameCPU = 0.08
	// seenBins is the number of bins in a period from which on a grid shows it
	// itself. Below it shows multiples (shortLag), which then speak for it.
	seenBins = shortLag
	// silence is what is lost where next to all witnesses are silent: one of four
	// grids alone gives at most .6, two of them .8.
	silence = 0.75
	// resolvedSlots is the number of recorded slots in a period from which on spreading counts over their slot
	// does not matter: loops of 10 to 20 ms that were recorded every 5 were reported a quarter too long.
	resolvedSlots = 5
	// nestedShare is the share of the support of the period at which a longer or a shorter one is reported beside
	// it.
	nestedShare = 0.3
	// freeShare is the share of its CPUs that a job has had where wall time is as
	// good a witness as CPU time.
	// crowdedWeight is what it counts for elsewhere.
	freeShare, crowdedWeight = 0.85, 0.5
	// wallShare is the share of the clearest view's clarity at which that of wall time is reported.
	wallShare = 0.8
)

// witness is one view of a run and its periods, with their CPU time per cycle.
type witness struct {
	grid    *grid // nil for wall time
	bin     float64
	periods []Period
	lag     []float64
	weight  float64
	agreed  float64 // among the columns of wall time
	mute    bool    // its silence says nothing
}

// sight is one period of one witness.
type sight struct {
	by, at     int
	lag, worth float64
}

// testify returns what wall time and the grids show. Where a job did not get its
// CPUs, wall time is half a witness, and its silence says nothing. So does that of
// code about what another counter shows.
func testify(set series.Set, clock series.Clock, wall outcome, gs []grid) []witness {
	share := clock.Total() / (float64(set.Len()) * set.StepS)
	w := witness{bin: share * set.StepS, periods: wall.periods, weight: 1, agreed: wall.agreed}
	if share < freeShare*clock.Busy() {
		w.weight, w.mute = crowdedWeight, true
	}
	spoken := slices.ContainsFunc(gs, func(g grid) bool { return len(g.got.periods) > 0 })
	if wall.usage && spoken {
		w.periods, w.mute = nil, true // how much CPU the job got is no rival of what it did
	}
	for _, p := range w.periods {
		w.lag = append(w.lag, p.CPUS)
	}
	out := []witness{w}
	for i := range gs {
		g := &gs[i]
		w := witness{grid: g, bin: g.set.StepS, periods: g.got.periods, weight: 1, agreed: 1,
			mute: len(wall.periods) > 0 && !wall.code && !wall.usage}
		for _, p := range g.got.periods {
			w.lag = append(w.lag, p.Coverage*float64(g.set.Len())*g.set.StepS/float64(len(p.Instances)))
		}
		out = append(out, w)
	}
	return out
}

// verdict is what the witnesses agree on.
type verdict struct {
	told   sight
	agreed float64
	wall   bool // whether wall time shows it
	cpu    bool // whether a grid of CPU time does
	inner  *sight
	outer  *sight
}

// judge hears the witnesses; false if none of them shows a period.
func judge(all []witness) (verdict, bool) {
	families := familiesOf(all)
	if len(families) == 0 {
		return verdict{}, false
	}
	support := make([]float64, len(families))
	best := 0
	for i, f := range families {
		support[i] = backed(all, f)
		if support[i] > support[best] {
			best = i
		}
	}
	v := verdict{told: spokesman(all, families[best])}
	related := map[int]bool{best: true}
	for i, f := range families {
		if i == best || support[i] < nestedShare*support[best] {
			continue
		}
		s := spokesman(all, f)
		switch ratio := s.lag / v.told.lag; {
		case nests(ratio) && (v.outer == nil || s.worth > v.outer.worth):
			v.outer, related[i] = &s, true
		case nests(1/ratio) && (v.inner == nil || s.worth > v.inner.worth):
			v.inner, related[i] = &s, true
		}
	}
	for _, s := range families[best] {
		v.wall = v.wall || all[s.by].grid == nil
		v.cpu = v.cpu || all[s.by].grid != nil
	}
	v.agreed = agreement(all, families, related, v.told)
	return v, true
}

// nests reports whether a period may lie within another that is ratio times as long.
func nests(ratio float64) bool { return times(ratio) >= 2 || ratio >= nestedFrom }

// familiesOf joins the sights of one period, the clearest first.
func familiesOf(all []witness) [][]sight {
	var sights []sight
	for i, w := range all {
		for k, p := range w.periods {
			if w.lag[k] > 0 {
				sights = append(sights, sight{by: i, at: k, lag: w.lag[k], worth: p.Coverage * p.Confidence})
			}
		}
	}
	slices.SortStableFunc(sights, func(x, y sight) int { return cmp.Compare(y.worth, x.worth) })
	var families [][]sight
next:
	for _, s := range sights {
		for i, f := range families {
			if math.Abs(s.lag/f[0].lag-1) <= sameCPU {
				families[i] = append(f, s)
				continue next
			}
		}
		families = append(families, []sight{s})
	}
	return unfold(all, families)
}

// unfold moves multiples that were seen by those whose bins are too long for the
// period itself to the family of that period: the one of the most support.
func unfold(all []witness, families [][]sight) [][]sight {
	support := make([]float64, len(families))
	for i, f := range families {
		support[i] = backed(all, f)
	}
	own, moved := make([][]sight, len(families)), make([][]sight, len(families))
	for j, f := range families {
		for _, s := range f {
			to := j
			for i, g := range families {
				if times(s.lag/g[0].lag) >= 2 && g[0].lag < seenBins*all[s.by].bin && support[i] >= shorterShare*s.worth &&
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
	var out [][]sight
	for i := range families {
		if len(own[i]) > 0 {
			out = append(out, append(own[i], moved[i]...))
		} else if len(moved[i]) > 0 {
			out = append(out, moved[i])
		}
	}
	return out
}

// backed is the worth of a family, each witness counted once.
func backed(all []witness, f []sight) float64 {
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

// spokesman returns the reported view of a family: wall time, whose samples need no mapping back, unless it is
// less clear or the job was crowded; else the clearest.
func spokesman(all []witness, f []sight) sight {
	for _, s := range f {
		if w := all[s.by]; w.grid == nil && w.weight == 1 && math.Abs(s.lag/f[0].lag-1) <= sameCPU &&
			s.worth >= wallShare*f[0].worth {
			return s
		}
	}
	return f[0]
}

// agreement returns how far the views agree on the reported period: the share of the votes of the views with a
// period, less a penalty for silent views. Two views that agree are both wrong with the product of their
// chances, so the square of the share of silent views counts.
func agreement(all []witness, families [][]sight, related map[int]bool, told sight) float64 {
	sum, n, silent := 0.0, 0.0, 0.0
	for i, w := range all {
		own, rival := 0.0, 0.0
		for k, f := range families {
			for _, s := range f {
				switch {
				case s.by != i:
				case related[k] || i == told.by:
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
		case !w.mute:
			silent += w.weight
		}
	}
	return sum / n * (1 - silence*square(silent/(n+silent)))
}
