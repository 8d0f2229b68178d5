package dtw

import "math"

// Rule is the condition on which the refinement of an average ends.
type Rule struct {
	// MaxRounds is the largest number of refinements (the paper's 31).
	MaxRounds int
	// Patience rounds in a row with a relative decrease of the sum of squares
	// below MinDecrease end it (the paper's 5 and 0.025).
	Patience    int
	MinDecrease float64
	// Band is the band of the alignments.
	Band int
}

// Paper returns the rule of Phase-TA III-C.
func Paper() Rule {
	return Rule{MaxRounds: 31, Patience: 5, MinDecrease: 0.025, Band: Full}
}

// Average refines start into the barycentre average of items: every sample of the average becomes the mean of the
// samples that it is paired with. rule says when it ends; rounds is the number of refinements. The average has as many
// samples as start. wgss is the sum over the items of the squared distance to the average that is returned.
func (s *Scratch) Average(items [][]float64, start []float64, rule Rule) (average []float64, wgss float64, rounds int) {
	average = append([]float64(nil), start...)
	if len(items) == 0 || len(start) == 0 {
		return average, 0, 0
	}
	sum, count := make([]float64, len(start)), make([]float64, len(start))
	last, idle := math.Inf(1), 0
	for rounds < rule.MaxRounds && idle < rule.Patience {
		clear(sum)
		clear(count)
		wgss = 0
		for _, x := range items {
			wgss += s.Align(average, x, rule.Band, func(i, j int) {
				sum[i] += x[j]
				count[i]++
			})
		}
		for i := range average {
			average[i] = sum[i] / count[i]
		}
		rounds++
		if last-wgss < rule.MinDecrease*last {
			idle++
		} else {
			idle = 0
		}
		last = wgss
	}
	return average, s.WGSS(items, average, rule.Band), rounds
}

// WGSS returns the within-group sum of squares of a pattern relative to items (Phase-TA, equation 1).
func (s *Scratch) WGSS(items [][]float64, pattern []float64, band int) float64 {
	sum := 0.0
	for _, x := range items {
		sum += s.Squared(pattern, x, band)
	}
	return sum
}
