package sampler

import (
	"math"

	"jobgait/agent/profile"
)

// Shape is what a source gives: how many columns, on how many lanes, and every
// how many ns a record is due (0: never).
type Shape struct {
	Columns, Lanes int
	PeriodNS       int64
	// Gauge tells, by column, which are levels; nil means that none is.
	Gauge []bool
	// CPUNS is about how much CPU time goes with one count of each column, in ns. A slot
	// in which lanes gave no record is judged by it; nil of a source of which no record
	// is due.
	CPUNS []float64
}

// level tells whether a column is a level.
func (s Shape) level(column int) bool { return s.Gauge != nil && s.Gauge[column] }

// Track takes the readings of one source. It is a counter.Sink.
type Track struct {
	s     *Sampler
	shape Shape
	lanes []*lane
	// By slot modulo the window: per column the sum over the lanes that
	// have reached the slot's end, and how many have.
	sums    [][]int64
	reached []uint16
	// silentNS is about how much CPU time lanes counted in a slot for which they gave no
	// record, silent how many these are; nil where no record is due.
	silentNS []float32
	silent   []uint16
	// uncertain and counted are, of each column and over the run, what lanes counted in
	// gaps between their records, and all that they counted.
	uncertain, counted []float64
	// levels is how many lanes had a reading before and after the slot's
	// end: a level is not known before the first one, where a count is 0.
	levels []uint16
	ran    []share
	// records is how many were drained since the beginning.
	records int64
}

// Records returns how many records of this source were drained so far.
func (t *Track) Records() int64 { return t.records }

// share is for how long a column was to count and did, since the last block,
// and the share of the block before.
type share struct {
	enabled, running uint64
	last             uint16
}

// always is a share of one, in 1/10000.
const always = 10000

// take returns the share since the last block; a block without a drain of its
// own has that of the one before.
func (s *share) take() uint16 {
	if s.enabled > 0 {
		s.last = uint16(math.Round(always * min(1, float64(s.running)/float64(s.enabled))))
	}
	s.enabled, s.running = 0, 0
	return s.last
}

func newTrack(s *Sampler, shape Shape) *Track {
	t := &Track{s: s, shape: shape}
	if shape.Columns == 0 {
		return t
	}
	for range shape.Lanes {
		t.lanes = append(t.lanes, newLane(shape.Columns))
	}
	for range shape.Columns {
		t.sums = append(t.sums, make([]int64, window))
	}
	t.reached = make([]uint16, window)
	if shape.PeriodNS > 0 {
		t.silentNS, t.silent = make([]float32, window), make([]uint16, window)
		t.uncertain, t.counted = make([]float64, shape.Columns), make([]float64, shape.Columns)
	}
	if shape.Gauge != nil {
		t.levels = make([]uint16, window)
	}
	t.ran = make([]share, shape.Columns)
	for c := range t.ran {
		t.ran[c].last = always
	}
	return t
}

// Record takes a reading of the lane's own timer.
func (t *Track) Record(lane int, timeNS int64, counts []uint64) {
	l := t.lanes[lane]
	if l.begun {
		t.judge(l, timeNS, counts)
	}
	t.add(l, timeNS, counts)
	l.saw(t.s.grid.Slot(timeNS), timeNS, counts)
}

// Read takes a requested reading. Its slot may still get a record.
func (t *Track) Read(lane int, timeNS int64, counts []uint64) {
	l := t.lanes[lane]
	if l.begun {
		t.judge(l, timeNS, counts)
	}
	t.add(l, timeNS, counts)
	l.saw(t.s.grid.Slot(timeNS)-1, timeNS, counts)
}

// judge adds what a lane counted in the slots before this one for which it gave no record:
// how much is known, only not in which of them.
func (t *Track) judge(l *lane, timeNS int64, counts []uint64) {
	if t.shape.PeriodNS == 0 {
		return
	}
	slot := t.s.grid.Slot(timeNS)
	gap, ns := slot-l.seen-1, 0.0
	steps := float64(timeNS-l.sureNS) / float64(t.s.grid.StepNS)
	for c, v := range counts {
		grew := float64(v - min(v, l.sure[c]))
		t.counted[c] += grew
		if gap > 0 && steps > 0 {
			t.uncertain[c] += grew * min(1, float64(gap)/steps)
			ns = max(ns, grew*t.cpuNS(c)/steps)
		}
	}
	if ns == 0 {
		return // no slot without a record, or the counts stood still
	}
	for i := max(l.seen+1, t.s.first); i < min(slot, t.s.horizon); i++ {
		at := t.s.at(i)
		t.silentNS[at] += float32(min(ns, float64(t.s.grid.StepNS)))
		t.silent[at]++
	}
}

func (t *Track) cpuNS(column int) float64 {
	if t.shape.CPUNS == nil {
		return 1
	}
	return t.shape.CPUNS[column]
}

// uncertainPart is which part of a slot's CPU time may lie in another slot for it to be
// incomplete.
const uncertainPart = 0.01

// incomplete is whether too much of a slot may lie in another one. The slot's CPU time is
// that of the lanes whose counts in it are known, a step each, and about that of the others.
func (t *Track) incomplete(slot int64) bool {
	if t.silent == nil {
		return false
	}
	at := t.s.at(slot)
	uncertain := float64(t.silentNS[at])
	known := float64(t.s.grid.StepNS) * float64(t.shape.Lanes-int(t.silent[at]))
	return uncertain > uncertainPart*(known+uncertain)
}

// Uncertain is, of each column, which part of what it counted so far lies in gaps between
// the records of a lane: how much is known, but not to the slot. nil where no record is due.
func (t *Track) Uncertain() []float64 {
	var parts []float64
	for c, v := range t.uncertain {
		parts = append(parts, v/max(1, t.counted[c]))
	}
	return parts
}

// add interpolates up to a reading and adds what the lane counted to the slots
// that end there or before. Before its first reading a lane counted nothing.
func (t *Track) add(l *lane, timeNS int64, counts []uint64) {
	g := t.s.grid
	from := t.s.first
	if !l.begun {
		l.begin(timeNS, g.Slot(timeNS), counts)
	} else if timeNS <= l.time {
		return // nothing that the last reading did not have
	} else {
		from = max(from, g.Slot(l.time))
	}
	// Slots whose end lies in (l.time, timeNS].
	for i := from; i < t.s.horizon && g.End(i) <= timeNS; i++ {
		at := t.s.at(i)
		t.reached[at]++
		if g.End(i) <= l.time {
			continue // only at the first reading: zero
		}
		t.sum(l, at, g.End(i), timeNS, counts)
	}
	l.advance(timeNS, counts, t.shape.Gauge)
}

// sum adds a lane's values at a slot's end.
func (t *Track) sum(l *lane, at int, end, timeNS int64, counts []uint64) {
	for c := range t.sums {
		if t.shape.level(c) {
			t.sums[c][at] += l.level(c, end, timeNS, counts)
		} else {
			t.sums[c][at] += l.at(c, end, timeNS, counts)
		}
	}
	if t.levels != nil {
		t.levels[at]++
	}
}

// Hit takes a sample of the job's code.
func (t *Track) Hit(timeNS int64, page uint64, place uint8) { t.s.hit(timeNS, page, place) }

// Ran adds up for how long a column counted.
func (t *Track) Ran(column int, enabledNS, runningNS uint64) {
	t.ran[column].enabled += enabledNS
	t.ran[column].running += runningNS
}

// Changed keeps an epoch, and finds its slot.
func (t *Track) Changed(e profile.Epoch) { t.s.Changed(e) }

// Drained and Lost count records.
func (t *Track) Drained(records int64) {
	t.records += records
	t.s.records += records
}
func (t *Track) Lost(records int64) { t.s.lost += records }

// take moves a slot's values out of the window.
func (t *Track) take(slot int64, out [][]int64, i int) {
	at := t.s.at(slot)
	for c := range t.sums {
		out[c][i] = profile.NoValue
		if int(t.reached[at]) == t.shape.Lanes && (!t.shape.level(c) || int(t.levels[at]) == t.shape.Lanes) {
			out[c][i] = t.sums[c][at]
		}
	}
	t.drop(slot)
}

// drop clears a slot of the window.
func (t *Track) drop(slot int64) {
	if t.reached == nil {
		return
	}
	at := t.s.at(slot)
	for c := range t.sums {
		t.sums[c][at] = 0
	}
	t.reached[at] = 0
	if t.silent != nil {
		t.silentNS[at], t.silent[at] = 0, 0
	}
	if t.levels != nil {
		t.levels[at] = 0
	}
}
