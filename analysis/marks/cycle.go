package marks

import (
	"math"
)

// UnevenCycle is what repeats, at places that are not evenly apart.
type UnevenCycle struct {
	// Marks are the places at which a cycle begins, the last one ends; in seconds
	// of the job's CPU time since the first bin.
	Marks []float64
	// MedianS is the median length in CPU seconds.
	MedianS float64
	// Witness says that states learnt from each half of the run are as regular in the
	// other half, from which they were not learnt.
	Witness bool
	// Confidence is that of a claim about the program's loop, 0 to 1.
	Confidence float64
}

const (
	// least is how many standard errors a cycle needs to be reported: of 192 sets without a cycle, made of the
	// states of real programs, four reach it.
	least = 4.5
	// again is how many it needs in the half that it was not learnt from; of the four,
	// one reached it, and that one had kept the cycle of its program.
	again = 3.0

	// Of cycles that programs other than those of development showed, 22 of 31 were
	// levels of their logs: .71. Without a witness a cycle is not told as likely.
	surest   = 0.78
	unsurest = 0.55
)

// Find returns the cycles of a run, the surest first; at most three, of different lengths.
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
		y.Witness = min(s.elsewhere(first, t, mid, c.Len()), s.elsewhere(second, t, 0, mid)) >= again
		y.Confidence = min(unsurest, 1-math.Exp2(-t.score/least))
		if y.Witness {
			y.Confidence = min(surest, 1-math.Exp2(-t.score/least))
		}
		out = append(out, y)
	}
	return out
}
