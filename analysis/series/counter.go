package series

import (
	"math"
	"slices"
)

const (
	// counterSamples is the least number of samples that are recognized as a counter.
	counterSamples = 48
	// counterWraps is the largest share of steps that may fall: a counter wraps to zero, or is
	// set back when its driver starts again.
	counterWraps = 0.005
	// counterRange is the least range of a counter in its typical steps. A level that rises a
	// few times, or one that was sorted, has less.
	counterRange = 24
)

// Rates returns the increments of cumulative values, per sample, if the values are a counter: at least counterSamples
// steps, of which at most a share of counterWraps fall (wraps returns their number) and at least half rise, with
// unequal increments that sum to counterRange times their median or more. Else ok is false. The first increment and
// those over a fall are missing. After missing values the increment is the mean per sample.
func Rates(v Values) (rates Values, wraps int, ok bool) {
	rates = make(Values, len(v))
	steps, rises, last := 0, 0, -1
	increments := make([]float64, 0, len(v))
	for i, x := range v {
		rates[i] = Missing()
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			continue
		}
		if last >= 0 {
			steps++
			step := float64(x) - float64(v[last])
			switch {
			case step < 0:
				wraps++
			case step > 0:
				rises++
				fallthrough
			default:
				increments = append(increments, step/float64(i-last))
				rates[i] = float32(step / float64(i-last))
			}
		}
		last = i
	}
	if steps < counterSamples || float64(wraps) > counterWraps*float64(steps) || 2*rises < steps {
		return nil, 0, false
	}
	slices.Sort(increments)
	typical, sum := increments[len(increments)/2], 0.0
	for _, x := range increments {
		sum += x
	}
	if !(typical > 0) || sum < counterRange*typical || increments[0] == increments[len(increments)-1] {
		return nil, 0, false
	}
	return rates, wraps, true
}
