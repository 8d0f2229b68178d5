package note

// What was put right in a file of somebody's samples. Rows out of order have the
// code that they have in a scaling series.
const (
	RowsAveraged   Code = "rows_averaged"   // several rows fell into one slot of the grid
	ValuesInfinite Code = "infinite_values" // values that are infinite, or beyond float32, count as missing
	CounterRates   Code = "counter_rates"   // a cumulative counter was recognized: its rate is analysed
	NoRate         Code = "no_rate"         // too few times to know the rate of sampling
)

// What was not made of a pattern.
const (
	PatternChanged Code = "pattern_changed" // the run has no pattern like the reference: there is no step_s
	TooManyPairs   Code = "too_many_pairs"  // the paper's method would compare more pairs than is sensible
)
