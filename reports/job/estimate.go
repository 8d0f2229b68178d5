package job

import "jobgait/analysis/quantity"

// Estimate is a value with its confidence interval. Value, Lo and Hi are null without a value; Lo and Hi alone
// are null where the interval is unknown.
type Estimate struct {
	Value  *float64 `json:"value"`
	Lo     *float64 `json:"ci_lo"`
	Hi     *float64 `json:"ci_hi"`
	Level  float64  `json:"level"`
	N      int      `json:"n"`
	Method string   `json:"method"`
}

// newEstimate returns an estimate at level 0.95. It drops a value that is not positive and finite, and an interval that
// does not contain the value or that rests on n < 2.
func newEstimate(value, lo, hi float64, n int, method string) Estimate {
	e := Estimate{Value: positive(value), Level: 0.95, N: n, Method: method}
	if e.Value != nil && n >= 2 && lo <= value && value <= hi {
		e.Lo, e.Hi = &lo, &hi
	}
	return e
}

// interval prints the ends of the interval in the unit of the value.
func (e Estimate) interval() string {
	if e.Lo == nil || e.Hi == nil || e.Value == nil {
		return quantity.Missing
	}
	return quantity.PeriodRange(*e.Lo, *e.Hi, *e.Value)
}

// value returns Value, or 0 if it is missing.
func (e Estimate) value() float64 {
	if e.Value == nil {
		return 0
	}
	return *e.Value
}
