package history

import "jobgait/analysis/internal/robust"

// Quartile describes a quantity of several runs: their number, median and the
// ends of the middle half. All but the number are nil for too few runs.
type Quartile struct {
	N      int      `json:"n"`
	Median *float64 `json:"median"`
	Q1     *float64 `json:"q1"`
	Q3     *float64 `json:"q3"`
}

// QuartileRuns is the least number of runs for quartiles: the range of six covers the median with a probability
// of 97 %.
const QuartileRuns = 6

// NewQuartile computes the quartiles of values; for fewer than QuartileRuns values it sets only N.
func NewQuartile(values []float64) Quartile {
	q := Quartile{N: len(values)}
	if len(values) < QuartileRuns {
		return q
	}
	median, lo, hi := robust.Median(values), robust.Quantile(values, 0.25), robust.Quantile(values, 0.75)
	q.Median, q.Q1, q.Q3 = &median, &lo, &hi
	return q
}
