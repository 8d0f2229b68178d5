package profile

import "slices"

// stepsPerQuantum is how fine values are kept: the quantum is at most this part
// of the median step. 24 h of the synthetic node take 62 MB in columns at 256,
// and 20 MB more or less with each factor of four; the noise of a counter whose
// step is a thousand events is thirty of them, so that 1/256 is below it.
const stepsPerQuantum = 256

// overviewPerQuantum is the same for the steps of overviews, which cover eight slots each: with 256 the file
// would be 4 % longer, and rounding errors do not add up.
const overviewPerQuantum = 64

// quantumOf returns the quantum for the values of a counter in one block: the median of its steps above 0,
// divided by perQuantum, and at least 1, which is exact. It depends on the block alone, so that a quiet
// second after a busy one is kept as precisely as any. Steps of 0 do not count: a counter that mostly stands
// still would otherwise get too fine a quantum. scratch is memory for the steps.
func quantumOf(values, scratch []int64, perQuantum int64) int64 {
	steps := scratch[:0]
	for i := 1; i < len(values); i++ {
		if d := values[i] - values[i-1]; d > 0 {
			steps = append(steps, d)
		}
	}
	if len(steps) == 0 {
		return 1
	}
	slices.Sort(steps)
	return max(1, steps[(len(steps)-1)/2]/perQuantum)
}

// quantise appends to dst how many quanta each value is above the first, rounded to the nearest; values must
// not fall. restoreQuanta returns each value within half a quantum and the first and last exactly, so that
// errors do not add up, neither within a block nor between blocks.
func quantise(dst, values []int64, quantum int64) []int64 {
	first := values[0]
	if quantum == 1 {
		for _, v := range values {
			dst = append(dst, v-first)
		}
		return dst
	}
	for _, v := range values {
		dst = append(dst, int64((uint64(v)-uint64(first)+uint64(quantum)/2)/uint64(quantum)))
	}
	return dst
}

// restoreQuanta replaces the steps between quanta by values: all but the first value, which is known, and the
// last, which is exact. A value rounded above the last one is lowered to it, so that a counter never falls.
func restoreQuanta(values []int64, first, last, quantum int64) {
	values[0] = first
	n := len(values) - 1
	if quantum == 1 {
		for i, step := range values[1:n] {
			first += step
			values[1+i] = first
		}
	} else {
		for i, step := range values[1:n] {
			first += step * quantum
			values[1+i] = min(first, last)
		}
	}
	values[n] = last
}

// neverFalls reports whether there are values, none is below the previous one, and their range fits an int64,
// as those of a counter do.
func neverFalls(values []int64) bool {
	for i := 1; i < len(values); i++ {
		if values[i] < values[i-1] {
			return false
		}
	}
	return len(values) > 0 && values[len(values)-1]-values[0] >= 0
}
