package periodicity

import (
	"math"
	"slices"

	"jobgait/analysis/series"
)

// A sensor that a driver refreshes every 100 ms shows a loop of 130 ms as one of 435,
// with .95: aliasing, 1/|k f - 1/T|. Of 60 loops of 30 to 250 ms such sensors gave 27
// to 32 wrong ones; of 120 that two of them agreed on, with refreshes of 100 ms and
// 1/6 s, none was wrong. Counters that are read at drawn times gave 0 wrong of 60.
const (
	// tickedRefreshes is the least length of a period from ticked columns, in refreshes of the slower of two
	// clocks that agree; drawnIntervals is that of counters read at random times, in mean intervals.
	tickedRefreshes = 4.5
	drawnIntervals  = 2.5
	// ownClock is the least distance of the ratio of two refreshes from a whole number: nearer ones show the same
	// alias.
	ownClock = 0.1
	// refreshTolerance is the relative distance of a period from a multiple of the refresh up to which the refresh
	// may have made it.
	refreshTolerance = 0.003
)

// unaliased returns the outcomes without periods that may be aliases of a source's refresh: those shorter than
// drawnIntervals for a source that is read at random times, and those that no source with another clock confirms for a
// ticked one. Sources that are read in every sample are unchanged.
func unaliased(all []source, got []outcome) []outcome {
	out := slices.Clone(got)
	for i, s := range all {
		every := s.origin().EveryS
		switch s.origin().Kind {
		case series.Drawn:
			out[i] = got[i].dropPeriods(drawnIntervals*every, func(p Period) bool { return p.PeriodS < drawnIntervals*every })
		case series.Ticked:
			out[i] = got[i].dropPeriods(tickedRefreshes*every, func(p Period) bool {
				return !isConfirmed(p.PeriodS, i, all, got)
			})
		}
	}
	return out
}

// isConfirmed reports whether a source with another clock shows the period of s seconds that ticked source i
// shows, and both refresh often enough within it.
func isConfirmed(s float64, i int, all []source, got []outcome) bool {
	own := all[i].origin()
	if s < tickedRefreshes*own.EveryS {
		return false
	}
	for j, o := range got {
		other := all[j].origin()
		switch {
		case j == i,
			other.Kind == series.Drawn && s < drawnIntervals*other.EveryS,
			other.Kind == series.Ticked && (s < tickedRefreshes*other.EveryS || haveSameClock(own.EveryS, other.EveryS)):
			continue
		}
		if slices.ContainsFunc(o.periods, func(p Period) bool { return math.Abs(p.PeriodS/s-1) <= samePeriod }) {
			return true
		}
	}
	return false
}

// haveSameClock reports whether one refresh interval is nearly a multiple of the other.
func haveSameClock(a, b float64) bool {
	ratio := max(a, b) / min(a, b)
	return !(math.Abs(ratio-math.Round(ratio)) >= ownClock)
}

// dropPeriods removes the periods for which refused returns true, and all child periods shorter than leastS. If
// it removes a period, it records leastS as the length below which periods of the source are not reported.
func (o outcome) dropPeriods(leastS float64, refused func(Period) bool) outcome {
	kept := slices.DeleteFunc(slices.Clone(o.periods), refused)
	if len(kept) < len(o.periods) {
		o.leastS = leastS
		for _, p := range o.periods {
			if refused(p) {
				o = o.refusing(p)
			}
		}
	}
	for i, p := range kept {
		kept[i].Children = slices.DeleteFunc(slices.Clone(p.Children), func(c ChildPeriod) bool { return c.PeriodS < leastS })
	}
	o.periods = kept
	return o
}

// keepConfirmed returns the outcome for the whole profile with only the periods of shownS seconds, within samePeriod,
// the length that was confirmed in an excerpt. The outcome of a source that is read in every sample, and so cannot
// alias, is unchanged.
func (s source) keepConfirmed(full outcome, shownS float64) outcome {
	if s.origin().Kind == "" {
		return full
	}
	return full.dropPeriods(tickedRefreshes*s.origin().EveryS, func(p Period) bool {
		return math.Abs(p.PeriodS/shownS-1) > samePeriod
	})
}

// origin returns how the columns of a source were read; the zero value means in every sample.
func (s source) origin() series.Origin { return s.cols[0].Source }

// inStepWithRefresh reports whether a period is a multiple of the refresh of its source, within refreshTolerance. It
// returns false for sources that are not ticked.
func (s source) inStepWithRefresh(periodS float64) bool {
	if s.origin().Kind != series.Ticked {
		return false
	}
	n := periodS / s.origin().EveryS
	return math.Abs(n/math.Round(n)-1) <= refreshTolerance
}
