package profile

import "slices"

// stepsPerQuantum is how fine values are kept: the quantum is at most this part
// of the median step. 24 h of the synthetic node take 62 MB in columns at 256,
// and 20 MB more or less with each factor of four; the noise of a counter whose
// step is a thousand events is thirty of them, so that 1/256 is below it.
const stepsPerQuantum = 256

// overviewPerQuantum is that for the steps of overviews, of eight slots each:
// the file would be 4 % longer with 256, and what is rounded does not add up.
const overviewPerQuantum = 64

// quantumOf returns the quantum for the values of a counter in one block: a part
// of the median of its steps that are not 0, at least 1, which is exact. The
// steps are of what the block itself has, so that a quiet second after a busy
// one is as exact as any. Steps that are 0 do not count: a counter that mostly
// stands still would else be kept exactly where it moves.
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

// quantise returns how many quanta each value is above the first, rounded to
// the nearest; values never fall. What a reader makes of it (restore) is within
// half a quantum of each value, and the first and the last are exact: errors do
// not add up, neither in a block nor from block to block.
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

// restore is the way back from the steps between quanta: all but the first
// value, which is known, and the last, which is exact. A value that was rounded
// up beyond the last one is taken down to it: a counter never runs backwards.
func restore(values []int64, first, last, quantum int64) {
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

// rising reports whether values never fall and their range fits an int64, as
// those of a counter do.
func rising(values []int64) bool {
	for i := 1; i < len(values); i++ {
		if values[i] < values[i-1] {
			return false
		}
	}
	return len(values) > 0 && values[len(values)-1]-values[0] >= 0
}
