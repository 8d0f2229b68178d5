package forecast

import "math"

// exceedChance is the accepted probability that a run exceeds the suggested limit.
const exceedChance = 0.005

// Limit returns the recommended time limit in seconds: the time that one run in 200 exceeds, and at least 10 %
// above the largest run, rounded up to 5 minutes (from 12 hours on to 30 minutes).
func Limit(f Forecast) float64 {
	return roundLimit(max(f.Quantile(1-exceedChance), 1.1*f.Largest))
}

// roundLimit rounds a time limit in seconds up to multiples of 5 minutes, or of 30 minutes from 12 hours on.
func roundLimit(s float64) float64 {
	step := 300.0
	if s >= 12*3600 {
		step = 1800
	}
	return step * math.Ceil(s/step)
}
