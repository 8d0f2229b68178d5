package marks

import (
	"math"
)

// UnevenCycle is a repeated course of code whose length varies from one repetition to the next.
type UnevenCycle struct {
	// Marks lists the times at which the cycles begin, and at the end the time at which the last one ends, in
	// seconds of the job's CPU time since the first bin.
	Marks []float64
	// MedianS is the median length of a cycle in CPU seconds.
	MedianS float64
	// CrossChecked reports that the states learnt from each half of the run are also regular in the other half,
	// from which they were not learnt.
	CrossChecked bool
	// Confidence is the probability, 0 to 1, that the cycle is a loop of the program.
	Confidence float64
}

const (
	// minScore is the least regularity, in standard errors, of a cycle that is reported: of 192 sets without a
	// cycle, made of the states of real programs, four reach it.
	minScore = 4.5
	// minHalfScore is the least regularity, in standard errors, in the half from which it was not learnt; of the
	// four, one reached it, and that one had kept the cycle of its program.
	minHalfScore = 3.0

	// Of cycles that programs other than those of development showed, 22 of 31 were levels of their logs: .71. A
	// cycle that is not cross-checked gets a lower confidence.
	crossCheckedConfidence = 0.78
	uncheckedConfidence    = 0.55
)

// Find returns the cycles of varying length of a run: at most three, of different lengths, in the order of the
// regularity of their marks, the most regular first. It returns nil without a cycle of at least minScore, or if the run
// has fewer than two frequent pages.
func Find(c CodeBins) []UnevenCycle {
	s := newSearch(c)
	if len(s.pages) < 2 {
		return nil // no mixtures
	}
	best := s.best()
	if len(best) == 0 {
		return nil
	}
	mid := c.Len() / 2
	first, second := s.trains(0, mid, best...), s.trains(mid, c.Len(), best...)
	var out []UnevenCycle
	for _, t := range best {
		y := UnevenCycle{MedianS: t.median * c.BinS}
		for _, m := range t.marks {
			y.Marks = append(y.Marks, m*c.BinS)
		}
		y.CrossChecked = min(s.crossCheckScore(first, t, mid, c.Len()), s.crossCheckScore(second, t, 0, mid)) >= minHalfScore
		y.Confidence = min(uncheckedConfidence, 1-math.Exp2(-t.score/minScore))
		if y.CrossChecked {
			y.Confidence = min(crossCheckedConfidence, 1-math.Exp2(-t.score/minScore))
		}
		out = append(out, y)
	}
	return out
}
