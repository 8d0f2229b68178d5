package phase

import (
	"cmp"
	"slices"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// maxBridge is the longest break, in periods, that does not end a loop: the tracker misses single disturbed
// iterations, and a table that lists each of them hides the run's structure.
const maxBridge = 1.5

// Table divides the run into phases: loops, and start-up, gaps and tail around them. patterns and periods are in the
// same order. A break of less than 1.5 periods between regions of one pattern stays part of the loop. Of regions that
// overlap by more than half only that of the earlier pattern counts. Stretches beside a loop in which its code runs are
// Unfollowed. Without loops the run is one Aperiodic phase; an empty set gives nil.
func Table(set series.Set, patterns []pattern.Pattern, periods []periodicity.Period) []Phase {
	n := set.Len()
	if n == 0 {
		return nil
	}
	start, end := set.StartS, set.StartS+float64(n)*set.StepS
	loops := loopPhases(patterns, periods)
	if len(loops) == 0 {
		return []Phase{{Kind: Aperiodic, StartS: start, EndS: end, Share: 1}}
	}
	var table []Phase
	at, kind := start, StartUp
	for _, l := range loops {
		if l.EndS <= at {
			continue // it lies within another one's
		}
		if l.StartS > at+set.StepS/2 {
			table = append(table, Phase{Kind: kind, StartS: at, EndS: l.StartS})
		} else {
			l.StartS = at
		}
		table = append(table, l)
		at, kind = l.EndS, Gap
	}
	if end > at+set.StepS/2 {
		table = append(table, Phase{Kind: Tail, StartS: at, EndS: end})
	} else {
		table[len(table)-1].EndS = end
	}
	table = withUnfollowed(set, table, patterns, periods)
	for i := range table {
		table[i].Share = (table[i].EndS - table[i].StartS) / (end - start)
	}
	return table
}

// loopPhases returns the regions of all patterns in time order, joined over short breaks. It leaves out regions
// of which more than half lies within a region of an earlier pattern.
func loopPhases(patterns []pattern.Pattern, periods []periodicity.Period) []Phase {
	type loop struct {
		Phase
		periodS float64
	}
	var all []loop
	for i, p := range periods {
		better := all
		for _, r := range p.Regions {
			l := loop{Phase{Kind: Loop, Pattern: patterns[i].ID, StartS: r.StartS, EndS: r.EndS}, p.PeriodS}
			if !slices.ContainsFunc(better, func(b loop) bool {
				return 2*(min(b.EndS, l.EndS)-max(b.StartS, l.StartS)) > l.EndS-l.StartS
			}) {
				all = append(all, l)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y loop) int { return cmp.Compare(x.StartS, y.StartS) })
	var out []Phase
	for _, l := range all {
		if n := len(out); n > 0 && out[n-1].Pattern == l.Pattern && l.StartS-out[n-1].EndS < maxBridge*l.periodS {
			out[n-1].EndS = max(out[n-1].EndS, l.EndS)
			continue
		}
		out = append(out, l.Phase)
	}
	return out
}
