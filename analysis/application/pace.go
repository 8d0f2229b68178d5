package application

import (
	"math"
	"slices"

	"jobgait/analysis/history"
	"jobgait/analysis/internal/robust"
)

// Progress is how far a run is. Times are seconds since it began.
type Progress struct {
	Cycles int64
	// FirstS is where the first of these cycles began, LastS where the last ended.
	FirstS, LastS float64
	// PeriodS is that of a cycle now, with its interval.
	PeriodS, LoS, HiS float64
}

// Usual is how many cycles runs of an application and shape make, and what time they
// spend outside of them, least, usual and most, in seconds.
type Usual struct {
	Runs                    int
	Least, Cycles, Most     int64
	RestLoS, RestS, RestHiS float64
}

// Pace bounds: the least number of runs that define what is usual, how many of the newest are used, how much
// their numbers of cycles may differ, and by which factor a cycle may be longer or shorter than theirs to be
// one of the same loop. Half a loop, and two, are another one.
const (
	leastPaced, mostPaced = 3, 10
	pacedSpread           = 0.02
	sameLoop              = 1.5
)

// UsualOf is what earlier runs say that came to their own end, newest first; false if
// they are fewer than three, made different numbers of cycles or had another loop.
func UsualOf(earlier []history.Run, periodS float64) (Usual, bool) {
	var cycles, rest []float64
	for _, r := range earlier {
		if len(cycles) == mostPaced {
			break
		}
		if !ended(r.Exit, r.State) || r.Iterations == nil || *r.Iterations <= 0 || r.PeriodS == nil || !(*r.PeriodS > 0) {
			continue
		}
		if f := periodS / *r.PeriodS; !(f < sameLoop && f > 1/sameLoop) {
			return Usual{}, false
		}
		n := float64(*r.Iterations)
		cycles, rest = append(cycles, n), append(rest, max(0, r.ElapsedS-n**r.PeriodS))
	}
	if len(cycles) < leastPaced {
		return Usual{}, false
	}
	slices.Sort(cycles)
	slices.Sort(rest)
	u := Usual{Runs: len(cycles), Least: int64(cycles[0]), Cycles: int64(robust.SortedLower(cycles)),
		Most:    int64(cycles[len(cycles)-1]),
		RestLoS: rest[0], RestS: robust.SortedLower(rest), RestHiS: rest[len(rest)-1]}
	return u, float64(u.Most-u.Least) <= pacedSpread*robust.SortedLower(cycles)
}

// Told uses the number of cycles that the user gave. Of the time before and after them only the duration is
// known: it may include cycles that were not counted.
func Told(cycles int64, p Progress) Usual {
	return Usual{Least: cycles, Cycles: cycles, Most: cycles, RestS: p.FirstS / 2, RestHiS: p.FirstS}
}

// Ends is when a run ends that makes the usual number of cycles, at least, most likely and at most; false if it
// has made more. Uncounted cycles at the beginning need not be known: with everything else before the counted
// ones they took FirstS, which is included in the remaining number of cycles and in the usual rest. Pauses
// between cycles count as a part of that rest.
func Ends(u Usual, p Progress) (lo, at, hi float64, ok bool) {
	if !(p.PeriodS > 0) || float64(p.Cycles) > (1+pacedSpread)*float64(u.Most) {
		return 0, 0, 0, false
	}
	paused := p.LastS - p.FirstS - float64(p.Cycles)*p.PeriodS
	end := func(cycles int64, periodS, restS float64) float64 {
		left := float64(max(0, cycles-p.Cycles)) * periodS
		return max(p.LastS, p.LastS-p.FirstS+left+max(0, restS-max(0, paused)))
	}
	within := func(s float64) float64 { // an unknown interval counts as 0
		if s > 0 && !math.IsInf(s, 0) {
			return s
		}
		return p.PeriodS
	}
	return end(u.Least, min(p.PeriodS, within(p.LoS)), u.RestLoS), end(u.Cycles, p.PeriodS, u.RestS),
		end(u.Most, max(p.PeriodS, within(p.HiS)), u.RestHiS), true
}
