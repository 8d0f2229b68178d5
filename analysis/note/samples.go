package note

// Notes on corrections in a file of samples. For rows out of order, the code of scaling series is used.
const (
	RowsAveraged   Code = "rows_averaged"   // several rows fell into one slot of the grid
	ValuesInfinite Code = "infinite_values" // values that are infinite, or beyond float32, count as missing
	CounterRates   Code = "counter_rates"   // a cumulative counter was recognized and its rate is analysed
	NoRate         Code = "no_rate"         // too few times to determine the sampling rate
)

// Notes on patterns.
const (
	PatternChanged Code = "pattern_changed" // the run has no pattern like the reference, so there is no step_s
	TooManyPairs   Code = "too_many_pairs"  // the paper's method would compare too many pairs
)
