package periodicity

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/series"
)

// Combs of the sampler. Work that the kernel or the agent does after a fixed number of samples appears in the
// samples of code as a period without jitter: one of 100 ms had confidence .98.

const (
	// minCombTeeth is the least number of instances of which equal lengths say that they are
	// a comb.
	minCombTeeth = 30
	// toothShare is the share of what varies in a cycle that lies in two of its samples where
	// these are the teeth of a comb: 0.91 of one that was recorded, at most 0.33 of loops.
	toothShare = 0.5
)

// isComb reports whether a period of the source with these columns, in wall time, is a comb of the sampler: it has
// minCombTeeth instances, of which nearly all take the same whole number of samples and keep time, and two samples of a
// cycle hold most of what varies. A loop of the program drifts against the samples, or sleeps until a timer, which
// other columns show as well.
func isComb(p Period, columns []series.Column) bool {
	n := len(p.Instances)
	if n < minCombTeeth {
		return false
	}
	lengths := make([]int, n)
	for i, in := range p.Instances {
		lengths[i] = in.Length
	}
	slices.Sort(lengths)
	return lengths[n/10] == lengths[n-1-n/10] && isSteady(p) && hasTwoTeeth(p, columns, lengths[n/2])
}

// hasTwoTeeth reports whether two samples of the mean cycle, which has the given number of samples, hold at least
// toothShare of its variance over all columns. Cycles of up to four samples have none.
func hasTwoTeeth(p Period, columns []series.Column, samples int) bool {
	energy := make([]float64, samples)
	for _, c := range columns {
		cycle := meanCycle(p, c.Values, samples)
		level, _ := robust.Mean(cycle)
		for i, y := range cycle {
			energy[i] += square(y - level)
		}
	}
	total := 0.0
	for _, e := range energy {
		total += e
	}
	slices.Sort(energy)
	return samples > 4 && energy[samples-1]+energy[samples-2] >= toothShare*total
}

// meanCycle returns the mean of the instances of a period, sample by sample from their beginning. A sample
// for which no instance has a value is 0.
func meanCycle(p Period, v series.Values, samples int) []float64 {
	sum, count := make([]float64, samples), make([]float64, samples)
	for _, in := range p.Instances {
		for i := range min(samples, in.Length, len(v)-in.First) {
			if y := float64(v[in.First+i]); !isUnusable(y) {
				sum[i] += y
				count[i]++
			}
		}
	}
	for i := range sum {
		sum[i] /= max(1, count[i])
	}
	return sum
}

// separateCombs moves the periods that are combs of the sampler from periods to combs. The columns are in wall
// time, because the sampler runs on it; inWall converts a period to samples of wall time.
func (o outcome) separateCombs(columns []series.Column, inWall func(Period) (Period, bool)) outcome {
	var kept []Period
	for _, p := range o.periods {
		if q, ok := inWall(p); ok && isComb(q, columns) {
			o.combs = append(o.combs, p)
		} else {
			kept = append(kept, p)
		}
	}
	o.periods = kept
	return o
}

// confirmCombs restores the combs whose period another source, with samples of its own, shows too.
func confirmCombs(got []outcome) {
	for i := range got {
		var refused []Period
		for _, p := range got[i].combs {
			confirmed := slices.ContainsFunc(got, func(o outcome) bool {
				return o.source != got[i].source && o.hasPeriod(p.PeriodS)
			})
			if confirmed {
				got[i].periods = append(got[i].periods, p)
			} else {
				refused = append(refused, p)
			}
		}
		got[i].combs = refused
	}
}

// hasPeriod reports whether a period of that length is among those found.
func (o outcome) hasPeriod(periodS float64) bool {
	return slices.ContainsFunc(o.periods, func(p Period) bool { return math.Abs(p.PeriodS/periodS-1) <= samePeriod })
}
