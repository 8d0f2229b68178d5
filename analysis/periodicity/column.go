package periodicity

import (
	"iter"
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
)

// columnStats holds the statistics of a column that the projection uses.
type columnStats struct {
	mean, noise float64 // noise is a standard deviation
	lo, hi      float32 // values beyond are clipped
}

// describeSamples is the number of samples, spread over a column, that its
// statistics are taken from.
const describeSamples = 8192

// countUnit is the unit of address samples.
const countUnit = "samples"

// measureColumn returns the mean, the noise and the limits for clipping of column j, from up to describeSamples of its
// samples. If the counts are shares of a total, nothing is clipped and the noise is that of drawing the samples. ok is
// false if the column has no variance or fewer than 8 usable samples.
func measureColumn(s source, j int, total totals) (st columnStats, ok bool) {
	vals := make([]float64, 0, describeSamples)
	diffs := make([]float64, 0, describeSamples)
	c, n, within, at := s.cols[j], s.len(), 0.0, -1
	var buf []float32
	for a, b := range sampleBlocks(n) {
		buf = s.read(buf, j, a, min(b+1, n))
		for i, x := range buf[:b-a] {
			at++
			v := float64(x)
			if isUnusable(v) {
				continue
			}
			vals = append(vals, v)
			if total.any {
				within += withinSlot(v, total, total.some[at])
			}
			if i+1 < len(buf) {
				if d := float64(buf[i+1]) - v; !isUnusable(d) {
					diffs = append(diffs, math.Abs(d))
				}
			}
		}
	}
	if len(vals) < 8 || len(diffs) < 8 {
		return st, false
	}
	if !total.any { // shares of a total are not clipped
		slices.Sort(vals)
		st.lo, st.hi = clipBounds(vals)
		for i, v := range vals {
			vals[i] = min(max(v, float64(st.lo)), float64(st.hi))
		}
	}
	mean, sd := robust.Mean(vals)
	st.mean = mean
	if sd*sd <= 1e-12*mean*mean+1e-30 {
		return st, false
	}
	noise := within / float64(len(vals))
	if !total.any {
		noise = noiseOf(c.Unit, vals, diffs, mean)
	}
	// At least the rounding to whole counts, whose regular beat with the grid is not a loop.
	if c.Unit == countUnit {
		noise = max(noise, 0.05)
	}
	st.noise = math.Sqrt(max(noise, 1e-4*sd*sd))
	return st, true
}

// clipBounds returns the values at which the sorted values are clipped, because spikes far beyond the bulk carry no
// period and would hide it: as far outside of the 2nd and 98th percentiles as these are apart. If they are equal,
// nothing is clipped.
func clipBounds(vals []float64) (lo, hi float32) {
	q2, q98 := robust.SortedQuantile(vals, 0.02), robust.SortedQuantile(vals, 0.98)
	if q98 <= q2 {
		return float32(vals[0]), float32(vals[len(vals)-1])
	}
	return float32(q2 - (q98 - q2)), float32(q98 + (q98 - q2))
}

// noiseOf returns the variance of the noise of a single column: for counts the mean (Poisson), at most half the mean
// squared step, for other values the variance of a normal sample with the median step, with the same limit. diffs are
// the sizes of the steps from one value to the next, vals the values, sorted.
func noiseOf(unit string, vals, diffs []float64, mean float64) float64 {
	steps := 0.0
	for _, d := range diffs {
		steps += d * d / 2 / float64(len(diffs))
	}
	if unit == countUnit {
		return max(min(mean, steps), 0.25) // Poisson at most
	}
	// The median keeps edges out; a column that mostly stands still has none,
	// and its jumps have to be taken for chance.
	noise := steps
	if m := robust.Median(diffs) / 0.954; m > 0 {
		noise = min(m*m, steps)
	}
	return noise
}

// sampleIndexes yields all indexes below n, or of more than describeSamples those of blocks spread over them. Single
// ones at equal distances would show a period of three samples at one phase only.
func sampleIndexes(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for a, b := range sampleBlocks(n) {
			for i := a; i < b; i++ {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// sampleBlocks yields the first index and the end of the blocks of sampleIndexes.
func sampleBlocks(n int) iter.Seq2[int, int] {
	const block = 128
	return func(yield func(int, int) bool) {
		step := block
		if n > describeSamples {
			step = n / (describeSamples / block)
		}
		for a := 0; a < n; a += step {
			if !yield(a, min(a+block, n)) {
				return
			}
		}
	}
}

// withinSlot returns an unbiased estimate of the variance of a count c among the samples of a slot: the noise
// of the count. The Poisson variance, c, would be too large if one page has nearly all samples.
func withinSlot(c float64, total totals, slot float32) float64 {
	n := float64(slot)
	if n < 2 {
		return c // what a Poisson count would have
	}
	s := float64(total.scale(slot))
	return c * (1 - c/n) * n / (n - 1) * s * s
}
