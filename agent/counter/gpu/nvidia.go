package gpu

import (
	"fmt"
	"io"

	"jobgait/agent/counter"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// nvColumn is the counter source of one column of an NVIDIA GPU, from the readings of jobgait-nvml.
type nvColumn struct {
	h      *helper
	device uint16
	column profile.Column
	event  string
	value  value
	// ready are the readings since the last drain, last is the newest that was drained.
	ready []timedValue
	last  timedValue
	// startNS is the time from which readings count, 0 while unknown; before is the last reading before it.
	startNS         int64
	before          timedValue
	total           uint64
	moved           bool
	readings, fails int64
	failure         uint8
	reportsHelper   bool // reports the helper's failure in its notes
}

// timedValue is a count or a level at a time.
type timedValue struct {
	timeNS int64
	v      uint64
}

var _ counter.Source = (*nvColumn)(nil)

// value computes what a reading adds to a counter, or its level. A status other than nvOK says why there is no
// value.
type value interface {
	read(r *record) (v uint64, status uint8)
}

// maxReady limits the readings that wait for a drain, maxEarly those kept from before a process of the job has
// the GPU open.
const (
	maxReady = 1 << 14
	maxEarly = 64
)

// take adds a reading of the helper, if it is of this device. A reading that failed is only counted. At most
// maxReady readings wait for the next drain; further ones are dropped. Before StartAt it keeps the newest readings
// only, at most maxEarly.
func (c *nvColumn) take(r *record) {
	if r.device != c.device || r.kind != recReading {
		return
	}
	v, status := c.value.read(r)
	switch status {
	case nvNotRead:
		return
	case nvOK:
		c.readings++
	case nvBegins:
	default:
		c.fails++
		c.failure = status
		return
	}
	if c.column.Gauge {
		c.total = v
	} else {
		c.total += v
		c.moved = c.moved || v > 0
	}
	if c.startNS == 0 && len(c.ready) >= maxEarly {
		c.ready = append(c.ready[:0], c.ready[maxEarly/2:]...)
	}
	if len(c.ready) < maxReady {
		c.ready = append(c.ready, timedValue{r.begunNS + (r.endedNS-r.begunNS)/2, c.total})
	}
}

// Columns returns the one column. EveryNS is 0: readings carry their times, so they are drained when the
// profile is written.
func (c *nvColumn) Columns() []profile.Column { return []profile.Column{c.column} }

// Lanes returns 1.
func (c *nvColumn) Lanes() int { return 1 }

// PeriodNS returns 0: no record is due at a fixed time.
func (c *nvColumn) PeriodNS() int64 { return 0 }

// EveryNS returns 0: records are fetched when the profile is written.
func (c *nvColumn) EveryNS() int64 { return 0 }

// Start does nothing: the helper reads from its own start on.
func (c *nvColumn) Start() error { return nil }

// StartAt discards readings before a time. The counter's value at that time is interpolated, so that a rarely
// read counter counts from then on.
func (c *nvColumn) StartAt(timeNS int64) { c.startNS = max(1, timeNS) }

// Stop does nothing.
func (c *nvColumn) Stop() error { return nil }

// Close ends the helper; later calls of its other columns do nothing.
func (c *nvColumn) Close() error { return c.h.close() }

// Drain passes the readings since the last drain to the sink, except those before the time of StartAt. It repeats a
// level at the present time if it was read within levelHoldNS. If the helper has ended, it returns the reason.
func (c *nvColumn) Drain(to counter.Sink) error {
	c.h.poll()
	for _, s := range c.ready {
		c.passReading(to, s)
	}
	c.ready = c.ready[:0]
	if c.h.gone != nil {
		return fmt.Errorf("read %s: %w: its values are missing from here on", c.column.Name, c.h.gone)
	}
	// A level holds until it is read again.
	if now := c.h.now(); c.column.Gauge && c.last.timeNS != 0 && now-c.last.timeNS < levelHoldNS {
		to.Read(0, now, []uint64{c.last.v})
	}
	return nil
}

// passReading passes one reading to the sink, and before the first one of a count the interpolated value at startNS.
// It stores a reading before startNS in before, for this interpolation, and does not pass it.
func (c *nvColumn) passReading(to counter.Sink, s timedValue) {
	if s.timeNS < c.startNS {
		c.before = s
		return
	}
	if c.last.timeNS == 0 && c.before.timeNS != 0 && !c.column.Gauge && s.timeNS > c.startNS {
		part := float64(c.startNS-c.before.timeNS) / float64(s.timeNS-c.before.timeNS)
		to.Read(0, c.startNS, []uint64{c.before.v + uint64(part*float64(s.v-c.before.v))})
	}
	c.last = s
	to.Read(0, s.timeNS, []uint64{s.v})
}

// levelHoldNS is how long a level, read every 0.15 s, the memory every 0.5 s, is taken to hold.
const levelHoldNS = 1e9

// Sources describes what is read.
func (c *nvColumn) Sources() []run.CounterSource {
	return []run.CounterSource{{Name: c.column.Name, Event: c.event, PMU: "nvml", Config: c.h.devices[c.device].uuid,
		Scope: c.column.Scope, Hz: c.column.Hz}}
}

// Notes returns notes on failed readings, on a counter that did not move or began again, and on the helper's
// failure.
func (c *nvColumn) Notes() (list []note.Note) {
	if why := c.h.refused(c.device); why != nil && c.event == energyEvent && c.h.gone == nil {
		return []note.Note{note.New(note.GPUsUnread, "%s: %v", c.column.Name, why)}
	}
	if gone := c.h.gone; c.reportsHelper && gone != nil && gone != io.EOF {
		list = append(list, note.New(note.GPUsUnread, "%v: GPU values are missing from then on", gone))
	}
	switch {
	case c.readings == 0 && c.fails > 0:
		list = append(list, note.New(note.NeverRead, "%s could never be read, so it has no values: %s",
			c.column.Name, statusText(c.failure)))
	case c.fails > 0:
		list = append(list, note.New(note.ReadFailed, "%s: %d of %d readings failed and are missing, the last with: %s",
			c.column.Name,
			c.fails, c.fails+c.readings, statusText(c.failure)))
	case c.readings > minEnergyReadings && !c.moved && c.event == energyEvent:
		list = append(list, note.New(note.NeverRead, "%s did not change in %d readings, so it has no value", c.column.Name,
			c.readings))
	}
	if n, ok := c.value.(*growingCounter); ok && n.begins > 0 {
		list = append(list, note.New(note.ReadFailed,
			"%s restarted or wrapped %d times: its total lacks the counts between these readings", c.column.Name,
			n.begins))
	}
	return list
}

// minEnergyReadings is the number of readings after which energy must have moved: 20 s.
const minEnergyReadings = 10

// energyEvent is the name of the energy counter, which moves even on an idle board.
const energyEvent = "total energy consumption"

// growingCounter returns a counter's increase since the last reading, times scale. A counter that decreased has
// begun again or wrapped; its increase is unknown and counts as 0.
type growingCounter struct {
	field  int
	scale  uint64
	last   uint64
	begun  bool
	begins int // how often it has begun again
}

// read returns the growth of the counter since the previous record, times its scale, and the status of the
// value. The growth is 0 for the first record and after a reset.
func (c *growingCounter) read(r *record) (uint64, uint8) {
	if s := r.status[c.field]; s != nvOK {
		return 0, s
	}
	now, was := r.value[c.field], c.last
	grew := uint64(0)
	switch {
	case !c.begun:
	case now >= was:
		grew = now - was
	default:
		c.begins++
	}
	c.begun, c.last = true, now
	return grew * c.scale, nvOK
}

// timeShare multiplies a share, read as a part of full, by the time since the previous reading. A gap longer
// than shareHoldNS adds nothing, because the share in it is unknown.
type timeShare struct {
	field   int
	full    uint64
	sinceNS int64
}

// read returns the time since the previous record, in ns, times the share, and the status of the value. It
// returns 0 for the first record and after a gap longer than shareHoldNS.
func (u *timeShare) read(r *record) (uint64, uint8) {
	if s := r.status[u.field]; s != nvOK {
		return 0, s
	}
	since := u.sinceNS
	u.sinceNS = r.begunNS
	if since == 0 || r.begunNS-since > shareHoldNS || r.begunNS < since {
		return 0, nvOK
	}
	return part(r.value[u.field], u.full, r.begunNS-since), nvOK
}

// part returns ns times share / full, where share is limited to full.
func part(share, full uint64, ns int64) uint64 { return min(share, full) * uint64(ns) / full }

// gpmFull is the value of a GPM mean that stands for 100 %.
const gpmFull = 10_000

// meanSince multiplies a mean reported by GPM, NVIDIA's performance monitoring, by the time that the mean
// covers: from one GPM sample to the next, however far apart they are.
type meanSince struct {
	field int
	time  bool // the time itself
}

// read returns the time, in ns, from the beginning of GPM's mean to the record, times the mean unless m.time
// is set, and the status of the value.
func (m meanSince) read(r *record) (uint64, uint8) {
	began := int64(r.value[valGPMBegan])
	if r.status[m.field] == nvNotRead && r.status[valGPMBegan] == nvOK {
		return 0, nvBegins
	}
	if s := r.status[m.field]; s != nvOK {
		return 0, s
	}
	if r.status[valGPMBegan] != nvOK || began <= 0 || began > r.begunNS {
		return 0, nvNotRead
	}
	if m.time {
		return uint64(r.begunNS - began), nvOK
	}
	return part(r.value[m.field], gpmFull, r.begunNS-began), nvOK
}

// shareHoldNS is the longest time, in ns, for which a share that was read is assumed to stay valid.
const shareHoldNS = 2e9

// level returns a value unchanged.
type level struct{ field int }

// read returns the field's value and status.
func (l level) read(r *record) (uint64, uint8) { return r.value[l.field], r.status[l.field] }

// slowdownTime returns the time for which a board was slowed for one of two reasons with counters of their own:
// the longer of both, since both may hold at once. For a board without these counters it uses the bits of the
// reasons, which are taken to hold from one reading to the next.
type slowdownTime struct {
	counters [2]growingCounter
	bits     uint64
	sinceNS  int64
	// counts says that the board has counters, masks that it has the bits.
	counts, masks bool
}

// Bits of nvmlClocksEventReasons.
const (
	reasonPowerCap   = 0x4
	reasonSWThermal  = 0x20
	reasonHWThermal  = 0x40
	reasonPowerBrake = 0x80
	reasonsOfPower   = reasonPowerCap | reasonPowerBrake
	reasonsOfHeat    = reasonSWThermal | reasonHWThermal
)

// slowedByPower returns the value that reads how long, in ns, the board was slowed by a power cap or power
// brake.
func slowedByPower() *slowdownTime {
	return &slowdownTime{counters: [2]growingCounter{{field: valPowerCap, scale: 1}, {field: valPowerBrake, scale: 1}},
		bits: reasonsOfPower}
}

// slowedByHeat returns the value that reads how long, in ns, the board was slowed by heat.
func slowedByHeat() *slowdownTime {
	return &slowdownTime{counters: [2]growingCounter{{field: valSWThermal, scale: 1}, {field: valHWThermal, scale: 1}},
		bits: reasonsOfHeat}
}

// read returns for how long, in ns since the previous record, the board was slowed, and the status of the
// value. This is the larger growth of the two counters. On a board without counters it is the whole time since the
// previous record if a reason in bits holds now and that time is at most shareHoldNS, else 0.
func (t *slowdownTime) read(r *record) (longest uint64, status uint8) {
	status = nvNotRead
	for i := range t.counters {
		v, s := t.counters[i].read(r)
		if status == nvNotRead || s == nvOK {
			status = s
		}
		longest = max(longest, v)
	}
	t.counts = t.counts || status == nvOK
	t.masks = t.masks || r.status[valReasons] == nvOK
	switch {
	case t.counts || !t.masks:
		return longest, status
	case r.status[valReasons] != nvOK:
		return 0, nvNotRead
	}
	since := t.sinceNS
	if t.sinceNS = r.begunNS; since == 0 || r.begunNS-since > shareHoldNS || r.begunNS < since ||
		r.value[valReasons]&t.bits == 0 {
		return 0, nvOK
	}
	return uint64(r.begunNS - since), nvOK
}

// The rates at which jobgait-nvml reads the groups of its plan, if their cost permits, in Hz.
const (
	fastHz   = 1 / 0.15
	memoryHz = 2
	energyHz = 0.5
	gpmHz    = 1
	seldomHz = 0.2
)

// nvColumns returns the columns of the n-th device of the job.
func nvColumns(h *helper, n int) []*nvColumn {
	column := func(what, unit, event string, hz float64, gauge bool, v value) *nvColumn {
		return &nvColumn{h: h, device: uint16(n), event: event, value: v,
			column: profile.Column{Name: fmt.Sprintf("gpu%d_%s", n, what), Unit: unit, Scope: "job", Gauge: gauge, Hz: hz,
				Ticked: true}}
	}
	gpm := func(what, event string, field int) *nvColumn {
		return column(what, "ns", event, gpmHz, false, meanSince{field: field})
	}
	return []*nvColumn{
		column("energy", "uJ", energyEvent, energyHz, false, &growingCounter{field: valEnergy, scale: 1000}),
		column("kernel", "ns", "utilization.gpu", fastHz, false, &timeShare{field: valKernel, full: 100}),
		column("memory", "bytes", "memory used", memoryHz, true, level{valUsed}),
		column("power", "mW", "power", fastHz, true, level{valPower}),
		column("power_capped", "ns", "slowed by power cap or power brake", seldomHz, false, slowedByPower()),
		column("heat_slowed", "ns", "slowed by heat", seldomHz, false, slowedByHeat()),
		column("pcie_tx", "bytes", "PCIe bytes sent", seldomHz, false, &growingCounter{field: valPCIeTX, scale: 1}),
		column("pcie_rx", "bytes", "PCIe bytes received", seldomHz, false, &growingCounter{field: valPCIeRX, scale: 1}),
		column("gpm", "ns", "time of which GPM has means", gpmHz, false, meanSince{field: valSM, time: true}),
		gpm("sm", "GPM SM activity", valSM),
		gpm("occupancy", "GPM SM occupancy", valOccupancy),
		gpm("tensor", "GPM tensor activity", valTensor),
		gpm("dram", "GPM DRAM bandwidth", valDRAM),
	}
}
