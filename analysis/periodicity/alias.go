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
	// tickedRefreshes is the length in refreshes, of the slower of two clocks that
	// agree, from which on ticked columns have a say, drawnIntervals that in mean
	// intervals of counters read at drawn times.
	tickedRefreshes = 4.5
	drawnIntervals  = 2.5
	// ownClock is by how much the ratio of two refreshes has to be off a whole number:
	// else both show the same alias.
	ownClock = 0.1
	// ofRefresh is how near a period has to be to a multiple of the refresh to be
	// suspected of being made by it.
	ofRefresh = 0.003
)

// unaliased are the outcomes without the periods that the sources may have made up.
func unaliased(all []source, got []outcome) []outcome {
	out := slices.Clone(got)
	for i, s := range all {
		every := s.seen().EveryS
		switch s.seen().Kind {
		case series.Drawn:
			out[i] = got[i].without(drawnIntervals*every, func(p Period) bool { return p.PeriodS < drawnIntervals*every })
		case series.Ticked:
			out[i] = got[i].without(tickedRefreshes*every, func(p Period) bool { return !confirmed(p.PeriodS, i, all, got) })
		}
	}
	return out
}

// confirmed says whether a source by another clock shows the period that ticked
// source i shows, and both see it often enough.
func confirmed(s float64, i int, all []source, got []outcome) bool {
	own := all[i].seen()
	if s < tickedRefreshes*own.EveryS {
		return false
	}
	for j, o := range got {
		other := all[j].seen()
		switch {
		case j == i,
			other.Kind == series.Drawn && s < drawnIntervals*other.EveryS,
			other.Kind == series.Ticked && (s < tickedRefreshes*other.EveryS || sameClock(own.EveryS, other.EveryS)):
			continue
		}
		if slices.ContainsFunc(o.periods, func(p Period) bool { return math.Abs(p.PeriodS/s-1) <= samePeriod }) {
			return true
		}
	}
	return false
}

// sameClock says whether one refresh is a multiple of the other.
func sameClock(a, b float64) bool {
	ratio := max(a, b) / min(a, b)
	return !(math.Abs(ratio-math.Round(ratio)) >= ownClock)
}

// without leaves out periods, and remembers below which length the source shows none.
func (o outcome) without(leastS float64, refused func(Period) bool) outcome {
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

// through are the periods of all of a profile that the source showed in an excerpt:
// of one that aliases no other was confirmed.
func (s source) through(full outcome, shownS float64) outcome {
	if s.seen().Kind == "" {
		return full
	}
	return full.without(tickedRefreshes*s.seen().EveryS, func(p Period) bool {
		return math.Abs(p.PeriodS/shownS-1) > samePeriod
	})
}

// seen is how the columns of a source were seen; the zero value is: in every sample.
func (s source) seen() series.Origin { return s.cols[0].Source }

// ticks says whether a period is in step with the refresh of its source.
func (s source) ticks(periodS float64) bool {
	if s.seen().Kind != series.Ticked {
		return false
	}
	n := periodS / s.seen().EveryS
	return math.Abs(n/math.Round(n)-1) <= ofRefresh
}
