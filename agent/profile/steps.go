package profile

import (
	"encoding/binary"
	"math/bits"
)

// Steps are the differences of a column's quanta. Within a part of the job's loop
// a counter has one rate and noise, so that a body has of each step how far it is
// from the level: a running mean of about the last four steps. The numbers that
// are left are small, and zstd's Huffman code takes the rest: 64 MB of the columns
// of a day against 67 MB where the last step was the level. Where steps are 0 but
// now and then, they are written as they are.

// stepLevel is the expected next step of a column, a running mean with levelBits fractional bits; its
// arithmetic wraps.
type stepLevel int64

// levelBits is the number of fractional bits of a stepLevel.
const levelBits = 8

// expectedStep returns the next step by the mean, rounded.
func (l stepLevel) expectedStep() int64 { return (int64(l) + 1<<(levelBits-1)) >> levelBits }

// update moves the level a quarter of the way towards a step, whose deviation from the expected one is off. A deviation
// of more than an eighth of the expected step plus 8 sets the level to the step: another part of the loop has begun.
func (l *stepLevel) update(step, off int64) {
	if near := max(l.expectedStep(), -l.expectedStep())>>3 + 8; off > near || off < -near {
		*l = stepLevel(step << levelBits)
		return
	}
	*l += (stepLevel(step<<levelBits) - *l) >> 2
}

// appendSteps appends steps as zigzag varints: as deviations from the level if those are shorter, and then
// levelled is true.
func appendSteps(dst []byte, steps []int64) (body []byte, levelled bool) {
	var l stepLevel
	plain, short := 0, 0
	for _, s := range steps {
		off := s - l.expectedStep()
		l.update(s, off)
		plain += varintBits(s)
		short += varintBits(off)
	}
	l = 0
	for _, s := range steps {
		if short >= plain {
			dst = binary.AppendVarint(dst, s)
			continue
		}
		off := s - l.expectedStep()
		l.update(s, off)
		dst = binary.AppendVarint(dst, off)
	}
	return dst, short < plain
}

// readSteps reads as many steps as steps has room for into it, as appendSteps wrote them. levelled says that they are
// stored as deviations from the level.
func (d *decoder) readSteps(steps []int64, levelled bool) {
	if !levelled {
		for i := range steps {
			steps[i] = d.varint()
		}
		return
	}
	var l stepLevel
	for i := range steps {
		off := d.varint()
		s := off + l.expectedStep()
		l.update(s, off)
		steps[i] = s
	}
}

// varintBits returns how many bits of v a zigzag varint has to hold.
func varintBits(v int64) int { return bits.Len64(uint64(v<<1) ^ uint64(v>>63)) }
