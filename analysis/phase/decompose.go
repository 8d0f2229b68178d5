package phase

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/pattern"
)

// Breakdown is the time of one run by phase.
type Breakdown struct {
	ElapsedS float64
	// Totals are the phases, from Totals.
	Totals []Total
	// Steps is the number of iterations of the main loop, StepS the time of
	// one; 0 if the run has none.
	Steps int
	StepS float64
}

// BreakdownOf returns the time of a run by phase, with the number and the length of the cycles of the first pattern,
// which are 0 without a pattern.
func BreakdownOf(elapsedS float64, table []Phase, patterns []pattern.Pattern) Breakdown {
	b := Breakdown{ElapsedS: elapsedS, Totals: Totals(table)}
	if len(patterns) > 0 {
		b.Steps, b.StepS = patterns[0].Instances, patterns[0].PeriodS
	}
	return b
}

// DifferenceShare is the contribution of one kind of phase to a difference, in seconds.
type DifferenceShare struct {
	Name   string  `json:"name"`
	ExtraS float64 `json:"extra_s"`
}

// Difference is the difference of the elapsed times of two runs, in parts that add up to ExtraS.
type Difference struct {
	ExtraS float64 `json:"extra_s"`
	// Parts are ordered by size: steps, start-up, checkpoint, gap, unfollowed, tail, and
	// "not sampled" for time outside of all phases.
	Parts []DifferenceShare `json:"parts"`
	// LongerS is the part of the steps due to longer iterations, MoreS that due to a different number of them.
	LongerS float64 `json:"longer_s"`
	MoreS   float64 `json:"more_s"`
}

// Decompose returns by how many seconds run b took longer than run a (negative: shorter), in parts by kind of phase,
// the largest first. If both have cycles, the part of the steps is divided into that of their length, for as many
// cycles as both made, and the rest.
func Decompose(a, b Breakdown) Difference {
	d := Difference{ExtraS: b.ElapsedS - a.ElapsedS, Parts: []DifferenceShare{}}
	names := []string{"steps", string(StartUp), string(Checkpoint), string(Gap), string(Unfollowed), string(Tail),
		string(Aperiodic)}
	rest := d.ExtraS
	for _, name := range names {
		extra := b.seconds(name) - a.seconds(name)
		rest -= extra
		if extra != 0 {
			d.Parts = append(d.Parts, DifferenceShare{name, extra})
		}
	}
	if math.Abs(rest) > 1e-9 {
		d.Parts = append(d.Parts, DifferenceShare{"not sampled", rest})
	}
	slices.SortStableFunc(d.Parts, func(x, y DifferenceShare) int {
		return cmp.Compare(math.Abs(y.ExtraS), math.Abs(x.ExtraS))
	})
	if steps := b.seconds("steps") - a.seconds("steps"); a.Steps > 0 && b.Steps > 0 {
		// As many iterations as both made became longer; the rest are more.
		d.LongerS = float64(min(a.Steps, b.Steps)) * (b.StepS - a.StepS)
		d.MoreS = steps - d.LongerS
	}
	return d
}

// seconds returns the time in phases of the given kind, "steps" for the loop.
func (b Breakdown) seconds(name string) float64 {
	s := 0.0
	for _, t := range b.Totals {
		if string(t.Kind) == name || name == "steps" && t.Kind == Loop {
			s += t.S
		}
	}
	return s
}
