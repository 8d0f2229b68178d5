package marks

import (
	"math"

	"jobgait/analysis/internal/robust"
)

// A train is the sequence of times, the marks, at which a run enters (enter) or leaves one state.
type train struct {
	states
	state uint8
	enter bool
	scale int

	marks  []float64 // in bins of CodeBins
	median float64   // of the intervals, in bins of CodeBins
	spread float64   // of the logarithm of the intervals
	score  float64
}

const (
	minMarks = 9
	// memoryless is the spread of the logarithm of the intervals between entries of a process that
	// goes on and off without memory.
	memoryless = 0.55
	// markError is the error of a mark's position due to the width of bins, in bins.
	markError = 0.35
)

// setMarks sets the marks of a train to the bins at which its state is entered (or left, without t.enter), given the
// state of each bin, and from them the median, the spread and the score. The score is the regularity, reduced if the
// marks span less than 0.6 of the run. It returns false if there are fewer than minMarks marks.
func (t *train) setMarks(label []uint8, bins int) bool {
	t.marks = nil
	for i := 1; i < len(label); i++ {
		if now, before := label[i] == t.state, label[i-1] == t.state; now != before && now == t.enter {
			t.marks = append(t.marks, float64(i*t.scale))
		}
	}
	if len(t.marks) < minMarks {
		return false
	}
	log := make([]float64, len(t.marks)-1)
	for i := range log {
		log[i] = math.Log(t.marks[i+1] - t.marks[i])
	}
	t.median = math.Exp(robust.Median(log))
	t.spread = robustDeviation(log)
	span := (t.marks[len(t.marks)-1] - t.marks[0]) / float64(bins*t.scale)
	t.score = t.regularity(len(log)) * min(1, span/0.6)
	return true
}

// robustDeviation estimates the standard deviation from the middle half and the middle eight tenths of the
// values.
func robustDeviation(log []float64) float64 {
	q := func(p float64) float64 { return robust.Quantile(log, p) }
	return ((q(.75)-q(.25))/1.349 + (q(.9)-q(.1))/2.563) / 2
}

// regularity returns by how much n intervals scatter less than those of a process without memory, in standard
// errors of the logarithm of the ratio. That process, seen in bins, has a dead time.
func (t *train) regularity(n int) float64 {
	grain := float64(t.scale) / t.median
	chance := memoryless * max(.2, 1-1.5*grain)
	return math.Log(chance/math.Hypot(t.spread, markError*grain)) * math.Sqrt(max(0, float64(n-4))) / .85
}
