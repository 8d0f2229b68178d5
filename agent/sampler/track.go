package sampler

import (
	"math"

	"jobgait/agent/profile"
)

// Shape describes the readings of a source: the number of columns and lanes, and the ns between two timer
// records (0 for no records).
type Shape struct {
	Columns, Lanes int
	PeriodNS       int64
	// Gauge says for each column whether it is a level; nil for no levels.
	Gauge []bool
	// CPUNS is the approximate CPU time of one count of each column, in ns. It decides whether a slot without
	// records of some lanes is missing; nil without timer records.
	CPUNS []float64
}

// isLevel reports whether a column is a level.
func (s Shape) isLevel(column int) bool { return s.Gauge != nil && s.Gauge[column] }

// Track sorts the readings of one source into the slots of the grid. It is a counter.Sink.
type Track struct {
	s     *Sampler
	shape Shape
	lanes []*lane
	// By slot modulo the window: per column the sum over the lanes that
	// have reached the slot's end, and how many have.
	sums    [][]int64
	reached []uint16
	// silentNS is the approximate CPU time that lanes without a record counted in a slot, silent their number; nil
	// without timer records.
	silentNS []float32
	silent   []uint16
	// uncertain and counted are, for each column over the run, the counts in gaps between a lane's records, and
	// all counts.
	uncertain, counted []float64
	// levels is the number of lanes with a reading before and after the slot's end: before the first reading a
	// level is unknown, while a count is 0.
	levels []uint16
	ran    []share
	// records is the number of drained records since the beginning.
	records int64
}

// Records returns the number of records drained from this source so far.
func (t *Track) Records() int64 { return t.records }

// share has the time for which a column was enabled and counted since the last block, and the share of the
// previous block.
type share struct {
	enabled, running uint64
	last             uint16
}

// fullShare is a share of 1, in 1/10000.
const fullShare = 10000

// take returns the share since the last block, in 1/10000, and restarts it. A block without a drain has the
// share of the previous one.
func (s *share) take() uint16 {
	if s.enabled > 0 {
		s.last = uint16(math.Round(fullShare * min(1, float64(s.running)/float64(s.enabled))))
	}
	s.enabled, s.running = 0, 0
	return s.last
}

// newTrack returns a track for a source of this shape.
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
		t.ran[c].last = fullShare
	}
	return t
}

// Record adds a reading that the lane's own timer took. The lane then has a record in the slot of the reading; slots
// since its last record have none (addSilent).
func (t *Track) Record(lane int, timeNS int64, counts []uint64) {
	l := t.lanes[lane]
	if l.begun {
		t.addSilent(l, timeNS, counts)
	}
	t.add(l, timeNS, counts)
	l.setSeen(t.s.grid.Slot(timeNS), timeNS, counts)
}

// Read adds a requested reading. Slots between the lane's last record and that of the reading then have no record; one
// for the slot of the reading may still follow.
func (t *Track) Read(lane int, timeNS int64, counts []uint64) {
	l := t.lanes[lane]
	if l.begun {
		t.addSilent(l, timeNS, counts)
	}
	t.add(l, timeNS, counts)
	l.setSeen(t.s.grid.Slot(timeNS)-1, timeNS, counts)
}

// addSilent spreads the CPU time that a lane counted since its last record evenly over the slots without a
// record (silentNS), because the true distribution is unknown. It also adds the counts to the totals counted
// and uncertain.
func (t *Track) addSilent(l *lane, timeNS int64, counts []uint64) {
	if t.shape.PeriodNS == 0 {
		return
	}
	slot := t.s.grid.Slot(timeNS)
	gap, ns := slot-l.seen-1, 0.0
	steps := float64(timeNS-l.seenNS) / float64(t.s.grid.StepNS)
	for c, v := range counts {
		grew := float64(v - min(v, l.seenCounts[c]))
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
		at := t.s.windowIndex(i)
		t.silentNS[at] += float32(min(ns, float64(t.s.grid.StepNS)))
		t.silent[at]++
	}
}

// cpuNS returns the CPU time of one count of a column, in ns, 1 if it is not known.
func (t *Track) cpuNS(column int) float64 {
	if t.shape.CPUNS == nil {
		return 1
	}
	return t.shape.CPUNS[column]
}

// maxUncertainShare is the largest share of a slot's CPU time that may belong to other slots without the slot
// being missing.
const maxUncertainShare = 0.01

// incomplete reports whether more than maxUncertainShare of a slot's CPU time may belong to other slots. The
// slot's CPU time is one step for each lane with known counts, plus silentNS.
func (t *Track) incomplete(slot int64) bool {
	if t.silent == nil {
		return false
	}
	at := t.s.windowIndex(slot)
	uncertain := float64(t.silentNS[at])
	known := float64(t.s.grid.StepNS) * float64(t.shape.Lanes-int(t.silent[at]))
	return uncertain > maxUncertainShare*(known+uncertain)
}

// UncertainShares returns for each column the share of its counts so far that is in gaps between a lane's
// records, whose distribution over slots is unknown; nil without timer records.
func (t *Track) UncertainShares() []float64 {
	var parts []float64
	for c, v := range t.uncertain {
		parts = append(parts, v/max(1, t.counted[c]))
	}
	return parts
}

// add interpolates a lane's counts up to a reading and adds them to the slots that end by then. Before its
// first reading a lane's counts are 0. A reading that is not later than the last one is ignored.
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
		at := t.s.windowIndex(i)
		t.reached[at]++
		if g.End(i) <= l.time {
			continue // only at the first reading: zero
		}
		t.addValues(l, at, g.End(i), timeNS, counts)
	}
	l.advance(timeNS, counts, t.shape.Gauge)
}

// addValues adds a lane's interpolated values at a slot's end to the slot.
func (t *Track) addValues(l *lane, at int, end, timeNS int64, counts []uint64) {
	for c := range t.sums {
		if t.shape.isLevel(c) {
			t.sums[c][at] += l.levelAt(c, end, timeNS, counts)
		} else {
			t.sums[c][at] += l.countAt(c, end, timeNS, counts)
		}
	}
	if t.levels != nil {
		t.levels[at]++
	}
}

// Hit adds a sample of the job's code to its slot, page and block.
func (t *Track) Hit(timeNS int64, page uint64, place uint8) { t.s.hit(timeNS, page, place) }

// Ran adds to the times that a column was enabled and really counted.
func (t *Track) Ran(column int, enabledNS, runningNS uint64) {
	t.ran[column].enabled += enabledNS
	t.ran[column].running += runningNS
}

// Changed stores an epoch with its slot.
func (t *Track) Changed(e profile.Epoch) { t.s.Changed(e) }

// Drained adds to the number of drained records.
func (t *Track) Drained(records int64) {
	t.records += records
	t.s.records += records
}

// Lost counts records that the kernel could not store.
func (t *Track) Lost(records int64) { t.s.lost += records }

// moveSlot moves a slot's values out of the window into out[...][i], NoValue if not all lanes have reached its
// end.
func (t *Track) moveSlot(slot int64, out [][]int64, i int) {
	at := t.s.windowIndex(slot)
	for c := range t.sums {
		out[c][i] = profile.NoValue
		if int(t.reached[at]) == t.shape.Lanes && (!t.shape.isLevel(c) || int(t.levels[at]) == t.shape.Lanes) {
			out[c][i] = t.sums[c][at]
		}
	}
	t.clearSlot(slot)
}

// clearSlot clears a slot of the window, so that a later slot can use it. It does nothing for a source without columns.
func (t *Track) clearSlot(slot int64) {
	if t.reached == nil {
		return
	}
	at := t.s.windowIndex(slot)
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
