package sampler

import "jobgait/agent/profile"

// Shape is what a source gives: how many columns, on how many lanes, and every
// how many ns a record is due (0: never).
type Shape struct {
	Columns, Lanes int
	PeriodNS       int64
}

// Track takes the readings of one source. It is a counter.Sink.
type Track struct {
	s     *Sampler
	shape Shape
	lanes []*lane
	// By slot modulo the window: per column the sum over the lanes that
	// have reached the slot's end, and how many have.
	sums    [][]int64
	reached []uint16
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
		t.sums = append(t.sums, make([]int64, s.p.Window))
	}
	t.reached = make([]uint16, s.p.Window)
	return t
}

// Record takes a reading of the lane's own timer.
func (t *Track) Record(lane int, timeNS int64, counts []uint64) {
	l := t.lanes[lane]
	slot := t.s.p.Grid.Slot(timeNS)
	if l.begun {
		t.judge(l, slot, counts)
	}
	t.add(l, timeNS, counts)
	l.saw(slot, counts)
}

// Read takes a reading that was asked for. Its own slot may still get a record.
func (t *Track) Read(lane int, timeNS int64, counts []uint64) {
	l := t.lanes[lane]
	slot := t.s.p.Grid.Slot(timeNS)
	if l.begun {
		t.judge(l, slot, counts)
	}
	t.add(l, timeNS, counts)
	l.saw(slot-1, counts)
}

// judge marks the slots before this one that had no record while counts moved.
func (t *Track) judge(l *lane, slot int64, counts []uint64) {
	if t.shape.PeriodNS == 0 || slot <= l.seen+1 || !l.moved(counts) {
		return
	}
	for i := max(l.seen+1, t.s.first); i < min(slot, t.s.horizon); i++ {
		t.s.missing[t.s.at(i)] = true
	}
}

// add interpolates up to a reading and adds what the lane counted to the slots
// that end there or before. Before its first reading a lane counted nothing.
func (t *Track) add(l *lane, timeNS int64, counts []uint64) {
	g := t.s.p.Grid
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
		for c := range t.sums {
			t.sums[c][at] += l.at(c, g.End(i), timeNS, counts)
		}
	}
	l.advance(timeNS, counts)
}

// Hit takes a sample of the job's code.
func (t *Track) Hit(timeNS int64, page uint64) { t.s.hit(timeNS, page) }

// Ran and Changed are not kept yet.
func (t *Track) Ran(column int, enabledNS, runningNS uint64) {}
func (t *Track) Changed(e profile.Epoch)                     {}

// Drained and Lost count records.
func (t *Track) Drained(records int64) { t.s.records += records }
func (t *Track) Lost(records int64)    { t.s.lost += records }

// take moves a slot's values out of the window.
func (t *Track) take(slot int64, out [][]int64, i int) {
	at := t.s.at(slot)
	for c := range t.sums {
		out[c][i] = profile.NoValue
		if int(t.reached[at]) == t.shape.Lanes {
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
}
