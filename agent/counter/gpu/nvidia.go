package gpu

import (
	"fmt"
	"io"

	"jobgait/agent/counter"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// nvColumn is one column of an NVIDIA GPU, made of what jobgait-nvml reads of it.
type nvColumn struct {
	h      *helper
	device uint16
	column profile.Column
	event  string
	value  value
	// ready are the readings since the last drain, last is the newest that was drained.
	ready []stamped
	last  stamped
	// startNS is from when on readings count, 0 while that is not known; before is the
	// last reading before it.
	startNS         int64
	before          stamped
	total           uint64
	moved           bool
	readings, fails int64
	failure         uint8
	tells           bool // reports what became of the helper
}

// stamped is a count, or a level, at a time.
type stamped struct {
	timeNS int64
	v      uint64
}

var _ counter.Source = (*nvColumn)(nil)

// value returns what a reading adds to a counter, or its level. A status other than nvOK is the reason for no
// value.
type value interface {
	of(r *record) (v uint64, status uint8)
}

// mostReady limits what waits for a drain, mostEarly what is kept of the time before a
// process of the job holds the GPU.
const (
	mostReady = 1 << 14
	mostEarly = 64
)

// take takes every reading of the helper.
func (c *nvColumn) take(r *record) {
	if r.device != c.device || r.kind != recReading {
		return
	}
	v, status := c.value.of(r)
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
	if c.startNS == 0 && len(c.ready) >= mostEarly {
		c.ready = append(c.ready[:0], c.ready[mostEarly/2:]...)
	}
	if len(c.ready) < mostReady {
		c.ready = append(c.ready, stamped{r.begunNS + (r.endedNS-r.begunNS)/2, c.total})
	}
}

// Columns, Lanes, PeriodNS and EveryNS: records have times of their own, so they are
// fetched when the profile is written.
func (c *nvColumn) Columns() []profile.Column { return []profile.Column{c.column} }
func (c *nvColumn) Lanes() int                { return 1 }
func (c *nvColumn) PeriodNS() int64           { return 0 }
func (c *nvColumn) EveryNS() int64            { return 0 }

// Start does nothing: the helper reads from its start on.
func (c *nvColumn) Start() error { return nil }

// StartAt discards what was read before a time. The counter's value at that time is
// interpolated, so that a counter that is read seldom counts from there on.
func (c *nvColumn) StartAt(timeNS int64) { c.startNS = max(1, timeNS) }

// Stop has nothing to do.
func (c *nvColumn) Stop() error { return nil }

// Close ends the helper with the first of its columns.
func (c *nvColumn) Close() error { return c.h.close() }

// Drain hands over what the helper has read since StartAt.
func (c *nvColumn) Drain(to counter.Sink) error {
	c.h.poll()
	for _, s := range c.ready {
		c.give(to, s)
	}
	c.ready = c.ready[:0]
	if c.h.gone != nil {
		return fmt.Errorf("read %s: %w", c.column.Name, c.h.gone)
	}
	// A level holds until it is read again.
	if now := c.h.now(); c.column.Gauge && c.last.timeNS != 0 && now-c.last.timeNS < holdsNS {
		to.Read(0, now, []uint64{c.last.v})
	}
	return nil
}

// give hands over one reading.
func (c *nvColumn) give(to counter.Sink, s stamped) {
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

// holdsNS is for how long a level holds that is read every 0.15 s.
const holdsNS = 1e9

// Sources describe what is read.
func (c *nvColumn) Sources() []run.CounterSource {
	return []run.CounterSource{{Name: c.column.Name, Event: c.event, PMU: "nvml", Config: c.h.devices[c.device].uuid,
		Scope: c.column.Scope, Hz: c.column.Hz}}
}

// Notes say what could not be read, and that a counter did not move.
func (c *nvColumn) Notes() (list []note.Note) {
	if why := c.h.refused(c.device); why != nil && c.event == energyEvent && c.h.gone == nil {
		return []note.Note{note.New(note.GPUsUnread, "%s: %v", c.column.Name, why)}
	}
	if gone := c.h.gone; c.tells && gone != nil && gone != io.EOF {
		list = append(list, note.New(note.GPUsUnread, "%v: what the GPUs did from then on is not known", gone))
	}
	switch {
	case c.readings == 0 && c.fails > 0:
		list = append(list, note.New(note.NeverRead, "%s could never be read: %s", c.column.Name, said(c.failure)))
	case c.fails > 0:
		list = append(list, note.New(note.ReadFailed, "%s: %d of %d readings failed, the last with: %s", c.column.Name,
			c.fails, c.fails+c.readings, said(c.failure)))
	case c.readings > minMoves && !c.moved && c.event == energyEvent:
		list = append(list, note.New(note.NeverRead, "%s did not move in %d readings: it has no value", c.column.Name,
			c.readings))
	}
	if n, ok := c.value.(*counted); ok && n.begins > 0 {
		list = append(list, note.New(note.ReadFailed,
			"%s began again %d times, or wrapped: its total lacks what it counted between these readings", c.column.Name,
			n.begins))
	}
	return list
}

// minMoves is after how many readings energy must have moved: 20 s.
const minMoves = 10

// energyEvent is the name of the energy counter, which an idle board moves too.
const energyEvent = "total energy consumption"

// counted is a counter that grows: by how much since the last reading, times scale. One
// that is smaller than it was has begun again, or has wrapped: then its growth is not known.
type counted struct {
	field  int
	scale  uint64
	last   uint64
	begun  bool
	begins int // how often it has begun again
}

func (c *counted) of(r *record) (uint64, uint8) {
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

// sharing is a share of full at a reading, times the time since the reading before. A gap
// is longer than mostNS: of it nothing is known, so that it adds nothing.
type sharing struct {
	field   int
	full    uint64
	sinceNS int64
}

func (u *sharing) of(r *record) (uint64, uint8) {
	if s := r.status[u.field]; s != nvOK {
		return 0, s
	}
	since := u.sinceNS
	u.sinceNS = r.begunNS
	if since == 0 || r.begunNS-since > mostNS || r.begunNS < since {
		return 0, nvOK
	}
	return part(r.value[u.field], u.full, r.begunNS-since), nvOK
}

// part is a share of full, times a time.
func part(share, full uint64, ns int64) uint64 { return min(share, full) * uint64(ns) / full }

// gpmFull is the share of GPM's means that is all.
const gpmFull = 10_000

// meanSince is a mean of GPM, times the time that it is of: from one sample of GPM to the
// next, however far apart they are.
type meanSince struct {
	field int
	time  bool // the time itself
}

func (m meanSince) of(r *record) (uint64, uint8) {
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

// mostNS is for how long a share is taken to hold.
const mostNS = 2e9

// level is a value as it is.
type level struct{ field int }

func (l level) of(r *record) (uint64, uint8) { return r.value[l.field], r.status[l.field] }

// slowed is the time for which a board was slowed for one of two reasons that its counters
// tell apart: the longer of both, since reasons that hold at once do not add up. A board
// without these counters has the bits of the reasons, which hold from one reading to the next.
type slowed struct {
	counters [2]counted
	bits     uint64
	sinceNS  int64
	// counts is whether the board has counters, masks whether it has the bits.
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

func slowedByPower() *slowed {
	return &slowed{counters: [2]counted{{field: valPowerCap, scale: 1}, {field: valPowerBrake, scale: 1}},
		bits: reasonsOfPower}
}

func slowedByHeat() *slowed {
	return &slowed{counters: [2]counted{{field: valSWThermal, scale: 1}, {field: valHWThermal, scale: 1}},
		bits: reasonsOfHeat}
}

func (t *slowed) of(r *record) (longest uint64, status uint8) {
	status = nvNotRead
	for i := range t.counters {
		v, s := t.counters[i].of(r)
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
	if t.sinceNS = r.begunNS; since == 0 || r.begunNS-since > mostNS || r.begunNS < since ||
		r.value[valReasons]&t.bits == 0 {
		return 0, nvOK
	}
	return uint64(r.begunNS - since), nvOK
}

// How often jobgait-nvml reads the groups of its plan, where their cost allows it.
const (
	beatHz   = 1 / 0.15
	energyHz = 0.5
	gpmHz    = 1
	seldomHz = 0.2
)

// nvColumns are those of a device, the n-th of the job's.
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
		column("energy", "uJ", energyEvent, energyHz, false, &counted{field: valEnergy, scale: 1000}),
		column("kernel", "ns", "utilization.gpu", beatHz, false, &sharing{field: valKernel, full: 100}),
		column("memory", "bytes", "memory used", beatHz, true, level{valUsed}),
		column("power", "mW", "power", beatHz, true, level{valPower}),
		column("power_capped", "ns", "slowed by power cap or power brake", seldomHz, false, slowedByPower()),
		column("heat_slowed", "ns", "slowed by heat", seldomHz, false, slowedByHeat()),
		column("pcie_tx", "bytes", "PCIe bytes sent", seldomHz, false, &counted{field: valPCIeTX, scale: 1}),
		column("pcie_rx", "bytes", "PCIe bytes received", seldomHz, false, &counted{field: valPCIeRX, scale: 1}),
		column("gpm", "ns", "time of which GPM has means", gpmHz, false, meanSince{field: valSM, time: true}),
		gpm("sm", "GPM SM activity", valSM),
		gpm("occupancy", "GPM SM occupancy", valOccupancy),
		gpm("tensor", "GPM tensor activity", valTensor),
		gpm("dram", "GPM DRAM bandwidth", valDRAM),
	}
}
