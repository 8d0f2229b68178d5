package periodicity

import (
	"math"

	"jobgait/analysis/series"
)

const (
	// sharpenedSamples is the number of samples in a cycle below which nearly all cycles may have one length in
	// whole samples, although they differ.
	sharpenedSamples = 24
	// sharpenedSlots bounds the slots of the runs in which cycles are followed once more.
	sharpenedSlots = 1 << 15
	// sharpenPasses is how often the phases are followed and learnt.
	sharpenPasses = 3
	// sharpenedMean and sharpenedCount are how far the mean length and the number of the cycles
	// may differ from those found before, as shares.
	sharpenedMean, sharpenedCount = 0.02, 0.1
)

// sharpened measures the scatter of the cycles' lengths to fractions of a sample, if nearly all cycles have the
// same length in whole samples, and returns the period with that scatter, which is about half of the true one.
// It infers the phase of the cycle at each slot of set from the code that ran in the slot. If it cannot measure
// the scatter, it returns p unchanged.
func (p Period) sharpened(set series.Set) Period {
	columns := code(set)
	if p.Column != series.CodeGroup || p.Kind != Equal || p.Axis == series.CPU || len(columns) < 2 ||
		p.PeriodSamples >= sharpenedSamples || p.P10S < p.P90S || set.Len() > sharpenedSlots {
		return p
	}
	hits := hitsOf(columns, 0, set.Len())
	m := newPhaseModel(p.PeriodSamples, sharesOf(hits, len(columns)))
	m.learn(hits, p.phases(len(hits), m.phases))
	gain := m.improve(hits, sharpenPasses) / float64(len(hits))
	m.rotate()
	q, ok := periodOf(set, m.begins(columns, outsideShare*gain))
	count := float64(len(q.Instances)) / float64(len(p.Instances))
	if !ok || math.Abs(q.MeanS/p.MeanS-1) > sharpenedMean || math.Abs(count-1) > sharpenedCount {
		return p
	}
	p.P10S, p.P90S, p.PeriodCV = q.P10S, q.P90S, q.PeriodCV
	return p
}

// phases returns the phase of each of n slots, from 0 to phases-1; -1 outside the cycles.
func (p Period) phases(n, phases int) []int16 {
	out := make([]int16, n)
	for i := range out {
		out[i] = -1
	}
	for _, in := range p.Instances {
		for k := range min(in.Length, n-in.First) {
			out[in.First+k] = int16(k * phases / in.Length)
		}
	}
	return out
}
