package application

import (
	"math"
	"slices"

	"jobgait/analysis/history"
	"jobgait/analysis/internal/robust"
)

// Progress is how far a running job is. Times are in seconds since it began.
type Progress struct {
	Cycles int64
	// FirstS is the time at which the first of these cycles began, LastS the time at which the last ended.
	FirstS, LastS float64
	// PeriodS is the current length of a cycle; LoS and HiS are its confidence interval.
	PeriodS, LoS, HiS float64
}

// UsualCycles is the number of cycles that runs of an application and shape usually make, with the least and the
// most, and the time they spend outside of cycles, in seconds, with its range.
type UsualCycles struct {
	Runs                    int
	Least, Cycles, Most     int64
	RestLoS, RestS, RestHiS float64
}

// Pace bounds: the least number of runs that define what is usual, how many of the newest are used, how much
// their numbers of cycles may differ, and by which factor a cycle may be longer or shorter than theirs to be
// one of the same loop. Half a loop, and two, are another one.
const (
	leastPaced, mostPaced = 3, 10
	maxCycleSpread        = 0.02
	maxPeriodRatio        = 1.5
)

// UsualCyclesOfRuns returns the usual number of cycles of the newest mostPaced earlier runs (given newest first) that
// ended normally and have a period. It returns false if these are fewer than leastPaced, if their numbers of cycles
// differ by more than maxCycleSpread of the middle one, or if the period of one differs from the current one, periodS
// seconds, by more than a factor of maxPeriodRatio: then it is another loop.
func UsualCyclesOfRuns(earlier []history.Run, periodS float64) (UsualCycles, bool) {
	var cycles, rest []float64
	for _, r := range earlier {
		if len(cycles) == mostPaced {
			break
		}
		if !r.EndedNormally() || r.Iterations == nil || *r.Iterations <= 0 || r.PeriodS == nil ||
			!(*r.PeriodS > 0) {
			continue
		}
		if f := periodS / *r.PeriodS; !(f < maxPeriodRatio && f > 1/maxPeriodRatio) {
			return UsualCycles{}, false
		}
		n := float64(*r.Iterations)
		cycles, rest = append(cycles, n), append(rest, max(0, r.ElapsedS-n**r.PeriodS))
	}
	if len(cycles) < leastPaced {
		return UsualCycles{}, false
	}
	slices.Sort(cycles)
	slices.Sort(rest)
	u := UsualCycles{Runs: len(cycles), Least: int64(cycles[0]), Cycles: int64(robust.SortedLowerMedian(cycles)),
		Most:    int64(cycles[len(cycles)-1]),
		RestLoS: rest[0], RestS: robust.SortedLowerMedian(rest), RestHiS: rest[len(rest)-1]}
	return u, float64(u.Most-u.Least) <= maxCycleSpread*robust.SortedLowerMedian(cycles)
}

// UsualCyclesFromUser returns the number of cycles that the user gave as the usual one. The time outside of cycles is
// taken to be at most the time before the first counted cycle, which may include cycles that were not counted.
func UsualCyclesFromUser(cycles int64, p Progress) UsualCycles {
	return UsualCycles{Least: cycles, Cycles: cycles, Most: cycles, RestS: p.FirstS / 2, RestHiS: p.FirstS}
}

// EstimateEnd returns when a run that makes the usual number of cycles ends, in seconds since it began: the
// earliest, the most likely and the latest time. It returns false if the run has already made more cycles.
// Uncounted cycles at the beginning need not be known: with everything else before the counted ones they took
// FirstS, which is included in the remaining number of cycles and in the usual rest. Pauses between cycles
// count as a part of that rest.
func EstimateEnd(u UsualCycles, p Progress) (lo, at, hi float64, ok bool) {
	if !(p.PeriodS > 0) || float64(p.Cycles) > (1+maxCycleSpread)*float64(u.Most) {
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
