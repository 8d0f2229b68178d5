package forecast

import "math"

// atRisk is the probability with which a run may exceed the limit that is suggested.
const atRisk = 0.005

// Limit returns the time limit to ask for, in seconds: what one run in 200 exceeds, and at least 10 % above
// the largest run, rounded up to 5 minutes (from 12 hours on to 30 minutes).
func Limit(f Forecast) float64 {
	return roundLimit(max(f.Quantile(1-atRisk), 1.1*f.Largest))
}

// roundLimit rounds a time limit up to what people write.
func roundLimit(s float64) float64 {
	step := 300.0
	if s >= 12*3600 {
		step = 1800
	}
	return step * math.Ceil(s/step)
}
