package profile

import (
	"math/bits"

	"jobgait/analysis/series"
)

// lane is one column in the making. Merged slots are averaged over those that
// have a value, or added up if all have one: a sum with a hole in it would
// look like a slow iteration.
type lane struct {
	out   series.Values
	merge int64
	shift int // of merge, a power of two
	add   bool
	at    int64 // sample under way
	n     int64
	sum   float64
}

func newLane(n, merge int64, add bool) *lane {
	l := &lane{merge: merge, shift: bits.TrailingZeros64(uint64(merge)), add: add}
	l.reset(n)
	return l
}

// reset makes the lane one of n samples without values.
func (l *lane) reset(n int64) {
	l.out = resize(l.out, int(n))
	missing := series.Missing()
	for i := range l.out {
		l.out[i] = missing
	}
}

// put gives the groups of a block (slots, or eight of them in an overview) their
// sums over the slots behind the first skip, NaN for a missing one. Blocks come in
// ascending order, and no group lies in two samples.
func (l *lane) put(b *Block, at int64, skip int, sums []float64) {
	if l.merge == 1 {
		out := l.out[at:][:len(sums)]
		for i, v := range sums {
			out[i] = float32(v)
		}
		return
	}
	every := int64(b.step())
	slot, end := at+int64(skip), at+int64(b.N)
	next := min(at+every-int64(b.lead), end)
	for _, v := range sums {
		if i := slot >> l.shift; i != l.at {
			l.flush()
			l.at = i
		}
		if v == v {
			l.sum += v
			l.n += next - slot
		}
		slot, next = next, min(next+every, end)
	}
}

// flush ends the sample under way.
func (l *lane) flush() {
	if l.at < int64(len(l.out)) && l.n > 0 {
		switch {
		case !l.add:
			l.out[l.at] = float32(l.sum / float64(l.n))
		case l.n == l.merge:
			l.out[l.at] = float32(l.sum)
		}
	}
	l.n, l.sum = 0, 0
}

// done returns the column.
func (l *lane) done() series.Values {
	if l.merge > 1 {
		l.flush()
	}
	return l.out
}
