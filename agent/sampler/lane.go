package sampler

import "math/bits"

// lane interpolates the readings of one lane, such as a CPU.
type lane struct {
	begun bool
	base  []uint64 // of the first reading
	time  int64    // of the last reading
	last  []uint64
	// seen is the slot of the last record, or the last slot covered by a reading; seenCounts are the counts then.
	seen       int64
	seenCounts []uint64
	seenNS     int64 // time of seenCounts
}

// newLane returns a lane without readings.
func newLane(columns int) *lane {
	return &lane{base: make([]uint64, columns), last: make([]uint64, columns), seenCounts: make([]uint64, columns)}
}

// begin makes the first reading the lane's zero.
func (l *lane) begin(t int64, slot int64, counts []uint64) {
	l.begun, l.time, l.seen, l.seenNS = true, t, slot, t
	copy(l.base, counts)
	copy(l.last, counts)
	copy(l.seenCounts, counts)
}

// levelAt returns the interpolated level of column c at a time between the last reading and a new one. Readings
// of a level are below 2^63, their difference times a second's nanoseconds is not: in floating point, which is
// exact to 2^-53 of the difference.
func (l *lane) levelAt(c int, t, newTime int64, counts []uint64) int64 {
	was, now := int64(l.last[c]), int64(counts[c])
	return was + int64(float64(now-was)*(float64(t-l.time)/float64(newTime-l.time)))
}

// countAt returns the interpolated count of column c at a time between the last reading and a new one, relative
// to the lane's zero. Exact integer arithmetic: at the time of a reading it is the reading.
func (l *lane) countAt(c int, t, newTime int64, counts []uint64) int64 {
	was, now := l.last[c], max(counts[c], l.last[c])
	hi, lo := bits.Mul64(now-was, uint64(t-l.time))
	q, _ := bits.Div64(hi, lo, uint64(newTime-l.time))
	return int64(was + q - l.base[c])
}

// advance makes a reading the last one. Counts never decrease, even if a read and a record cross within
// microseconds; levels may.
func (l *lane) advance(t int64, counts []uint64, gauge []bool) {
	l.time = t
	for c, v := range counts {
		if gauge == nil || !gauge[c] {
			v = max(v, l.last[c])
		}
		l.last[c] = v
	}
}

// setSeen records that the lane's counts are known up to a slot.
func (l *lane) setSeen(slot, timeNS int64, counts []uint64) {
	l.seen, l.seenNS = max(l.seen, slot), timeNS
	copy(l.seenCounts, counts)
}
