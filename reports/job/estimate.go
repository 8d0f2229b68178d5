package job

import "jobgait/analysis/quantity"

// Estimate is a value with its confidence interval. All are null without a value; only the interval is null if
// it is unknown.
type Estimate struct {
	Value  *float64 `json:"value"`
	Lo     *float64 `json:"ci_lo"`
	Hi     *float64 `json:"ci_hi"`
	Level  float64  `json:"level"`
	N      int      `json:"n"`
	Method string   `json:"method"`
}

// newEstimate returns an estimate at level 0.95. An interval that does not hold
// its value, or has no width at n < 2, is no interval.
func newEstimate(value, lo, hi float64, n int, method string) Estimate {
	e := Estimate{Value: positive(value), Level: 0.95, N: n, Method: method}
	if e.Value != nil && n >= 2 && lo <= value && value <= hi {
		e.Lo, e.Hi = &lo, &hi
	}
	return e
}

// interval prints the ends in the unit of the value.
func (e Estimate) interval() string {
	if e.Lo == nil || e.Hi == nil || e.Value == nil {
		return quantity.Missing
	}
	return quantity.PeriodRange(*e.Lo, *e.Hi, *e.Value)
}

// value returns the value, or 0 if it is missing.
func (e Estimate) value() float64 {
	if e.Value == nil {
		return 0
	}
	return *e.Value
}
