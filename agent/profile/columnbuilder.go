package profile

import (
	"math"
	"math/bits"

	"jobgait/analysis/series"
)

// columnBuilder builds one column of a set. Slots that are merged into a sample are averaged over those with a
// value; if sumSlots is true they are summed, and the sample is missing if one slot is, since an incomplete sum
// would look like a slow iteration.
type columnBuilder struct {
	out         series.Values
	merge       int64
	shift       int // of merge, a power of two
	sumSlots    bool
	sampleIndex int64 // sample under way
	summedSlots int64
	sum         float64
}

// newColumnBuilder returns a builder of n samples of merge slots each (a power of two), which sums slots if add
// is true, else averages them.
func newColumnBuilder(n, merge int64, add bool) *columnBuilder {
	l := &columnBuilder{merge: merge, shift: bits.TrailingZeros64(uint64(merge)), sumSlots: add}
	l.reset(n)
	return l
}

// reset sets the column to n missing samples.
func (l *columnBuilder) reset(n int64) {
	l.out = resize(l.out, int(n))
	missing := series.Missing()
	for i := range l.out {
		l.out[i] = missing
	}
}

// addBlock adds a block to the column and merges its values into samples of merge slots. at is the block's first
// slot, counted from the start of the column. sums has the sum over each group of slots, NaN if it is missing; a
// group is one slot, or up to eight of an overview. The sum of the first group leaves out its first skip slots.
// Blocks come in ascending order, and no group lies in two samples.
func (l *columnBuilder) addBlock(b *Block, at int64, skip int, sums []float64) {
	if l.merge == 1 {
		out := l.out[at:][:len(sums)]
		for i, v := range sums {
			out[i] = float32(v)
		}
		return
	}
	every := int64(b.slotsPerCount())
	slot, end := at+int64(skip), at+int64(b.N)
	next := min(at+every-int64(b.leadSlots), end)
	for _, v := range sums {
		if i := slot >> l.shift; i != l.sampleIndex {
			l.endSample()
			l.sampleIndex = i
		}
		if !math.IsNaN(v) {
			l.sum += v
			l.summedSlots += next - slot
		}
		slot, next = next, min(next+every, end)
	}
}

// endSample stores the mean of the present sample over its slots with a value or, if slots are summed, their sum if all
// of them have one. Otherwise the sample stays missing.
func (l *columnBuilder) endSample() {
	if l.sampleIndex < int64(len(l.out)) && l.summedSlots > 0 {
		switch {
		case !l.sumSlots:
			l.out[l.sampleIndex] = float32(l.sum / float64(l.summedSlots))
		case l.summedSlots == l.merge:
			l.out[l.sampleIndex] = float32(l.sum)
		}
	}
	l.summedSlots, l.sum = 0, 0
}

// finish stores the last sample and returns the column.
func (l *columnBuilder) finish() series.Values {
	if l.merge > 1 {
		l.endSample()
	}
	return l.out
}
