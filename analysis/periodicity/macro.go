package periodicity

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
)

// A macro cycle is sought in the sequence of regions, not in the samples: a number of iterations, a checkpoint,
// and again.
const (
	// longGap is how many times the median gap between regions of a period,
	// and how many periods, a gap has to last to end a phase: shorter ones are
	// iterations that were not recognised.
	longGap = 3
	// macroCycles is the least number of cycles, macroCV how much their lengths
	// may differ.
	macroCycles = 3
	macroCV     = 0.2
)

// phase is a stretch of regions of one period without a long gap.
type phase struct {
	of         int
	start, end float64
}

// macros returns at most one macro cycle that the periods go through: the first period whose phases begin at equal
// intervals. Phases end at gaps much longer than the others of the period, or, if that gives none, at gaps of several
// periods.
func macros(periods []Period) []Macro {
	for _, among := range [2]bool{true, false} {
		seq := phases(periods, among)
		for label := range periods {
			if m, ok := cycle(seq, label, len(periods)); ok {
				return []Macro{m}
			}
		}
	}
	return nil
}

// cycle returns the macro cycle between the starts of the phases of period label, if there are at least macroCycles
// such cycles and their lengths differ little (macroCV). Of lists the periods that have a phase in them.
func cycle(seq []phase, label, periods int) (Macro, bool) {
	var starts, lengths []float64
	for _, p := range seq {
		if p.of == label {
			starts = append(starts, p.start)
		}
	}
	if len(starts) < macroCycles+1 {
		return Macro{}, false
	}
	for i := 1; i < len(starts); i++ {
		lengths = append(lengths, starts[i]-starts[i-1])
	}
	if mean, sd := robust.Mean(lengths); sd > macroCV*mean {
		return Macro{}, false
	}
	m := Macro{PeriodS: robust.Median(lengths), Count: len(lengths)}
	for i := range periods {
		if slices.ContainsFunc(seq, func(p phase) bool {
			return p.of == i && p.start >= starts[0] && p.start < starts[len(starts)-1]
		}) {
			m.Of = append(m.Of, i)
		}
	}
	return m, true
}

// phases returns the phases of all periods in time order: the regions of each period, joined over gaps shorter
// than gapLimit for the same value of among.
func phases(periods []Period, among bool) []phase {
	var all []phase
	limit := make([]float64, len(periods))
	for i, p := range periods {
		limit[i] = gapLimit(p, among)
		for _, r := range p.Regions {
			all = append(all, phase{of: i, start: r.StartS, end: r.EndS})
		}
	}
	slices.SortFunc(all, func(x, y phase) int { return cmp.Compare(x.start, y.start) })
	var out []phase
	for _, p := range all {
		if n := len(out); n > 0 && out[n-1].of == p.of && p.start-out[n-1].end < limit[p.of] {
			out[n-1].end = p.end
		} else {
			out = append(out, p)
		}
	}
	return out
}

// gapLimit returns the length of a gap, in seconds, that ends a phase of p: relative to its other gaps if among
// is true, else to its period.
func gapLimit(p Period, among bool) float64 {
	if !among {
		return longGap * p.PeriodS
	}
	var gaps []float64
	for i := 1; i < len(p.Regions); i++ {
		gaps = append(gaps, p.Regions[i].StartS-p.Regions[i-1].EndS)
	}
	if len(gaps) == 0 {
		return math.Inf(1)
	}
	return longGap * max(p.PeriodS, robust.Median(gaps))
}
