package gpu

import (
	"fmt"
	"io"

	"jobgait/agent/counter"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// nvColumn is one column of an NVIDIA GPU: what jobgait-nvml reads of it.
type nvColumn struct {
	h      *helper
	device uint16
	column profile.Column
	event  string
	value  value
	// ready is what was taken since the last drain.
	ready           []stamped
	last            stamped // of the last drain that had any
	total           uint64
	moved           bool
	readings, fails int64
	failure         uint8
	tells           bool // of the helper
}

// stamped is a count, or a level, at a time.
type stamped struct {
	timeNS int64
	v      uint64
}

var _ counter.Source = (*nvColumn)(nil)

// value makes what a reading adds of it, or the level that it is. A status other than
// nvOK is why there is none.
type value interface {
	of(r *record) (v uint64, status uint8)
	forget()
}

// mostReady bounds what waits for a drain: half an hour.
const mostReady = 1 << 14

// take is told of every reading.
func (c *nvColumn) take(r *record) {
	if r.device != c.device {
		return
	}
	v, status := c.value.of(r)
	switch {
	case status == nvNotAsked:
		return
	case status != nvOK:
		c.fails++
		c.failure = status
		return
	}
	c.readings++
	if c.column.Gauge {
		c.total = v
	} else {
		c.total += v
		c.moved = c.moved || v > 0
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

// Start begins anew: what was read until now does not count.
func (c *nvColumn) Start() error {
	c.h.poll()
	c.ready, c.last = c.ready[:0], stamped{}
	c.value.forget()
	return nil
}

// Stop has nothing to do.
func (c *nvColumn) Stop() error { return nil }

// Close ends the helper with the first of its columns.
func (c *nvColumn) Close() error { return c.h.close() }

// Drain hands over what the helper has said.
func (c *nvColumn) Drain(to counter.Sink) error {
	c.h.poll()
	for _, s := range c.ready {
		to.Read(0, s.timeNS, []uint64{s.v})
	}
	if n := len(c.ready); n > 0 {
		c.last = c.ready[n-1]
	}
	c.ready = c.ready[:0]
	if c.h.gone != nil {
		return fmt.Errorf("read %s: %w", c.column.Name, c.h.gone)
	}
	// What was read last holds until it is read again, of a level.
	if now := c.h.now(); c.column.Gauge && c.last.timeNS != 0 && now-c.last.timeNS < holdsNS {
		to.Read(0, now, []uint64{c.last.v})
	}
	return nil
}

// holdsNS is for how long a level holds that is read every 1.2 s.
const holdsNS = 3e9

// Sources tell what is read.
func (c *nvColumn) Sources() []summary.Source {
	return []summary.Source{{Name: c.column.Name, Event: c.event, PMU: "nvml", Config: c.h.devices[c.device].uuid, Scope: c.column.Scope, Hz: c.column.Hz}}
}

// Notes say what could not be read, and that a counter did not move.
func (c *nvColumn) Notes() (list []note.Note) {
	if gone := c.h.gone; c.tells && gone != nil && gone != io.EOF {
		list = append(list, note.New(note.GPUsUnread, "%v: what the GPUs did from then on is not known", gone))
	}
	switch {
	case c.readings == 0 && c.fails > 0:
		list = append(list, note.New(note.NeverRead, "%s could never be read: %s", c.column.Name, said(c.failure)))
	case c.fails > 0:
		list = append(list, note.New(note.ReadFailed, "%s: %d of %d readings failed, the last with: %s", c.column.Name, c.fails, c.fails+c.readings, said(c.failure)))
	case c.readings > minMoves && !c.moved && c.event == energyEvent:
		list = append(list, note.New(note.NeverRead, "%s did not move in %d readings: it is no 0", c.column.Name, c.readings))
	}
	return list
}

// minMoves is after how many readings energy must have moved: 15 s.
const minMoves = 100

// energyEvent is the name of the energy counter, which an idle board moves too.
const energyEvent = "total energy consumption"

// counted is a counter that grows: by how much since the last reading, times scale.
// One that wraps at wrap did so if it is smaller than it was and was seen not longer
// ago than it takes to wrap twice; another began anew.
type counted struct {
	field  int
	scale  uint64
	wrap   uint64
	last   uint64
	lastNS int64
	begun  bool
}

// wrapNS is how old a reading may be for one that is smaller to have wrapped once: at
// 10 GB/s 32 bits take 430 ms.
const wrapNS = 400e6

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
	case c.wrap > 0 && was < c.wrap && r.begunNS-c.lastNS < wrapNS:
		grew = now + c.wrap - was
	}
	c.begun, c.last, c.lastNS = true, now, r.begunNS
	return grew * c.scale, nvOK
}

func (c *counted) forget() { c.begun = false }

// utilized is the utilization times the time since the last reading.
type utilized struct{ sinceNS int64 }

func (u *utilized) of(r *record) (uint64, uint8) {
	if s := r.status[valKernel]; s != nvOK {
		return 0, s
	}
	since := u.sinceNS
	u.sinceNS = r.begunNS
	if since == 0 {
		return 0, nvOK
	}
	return min(r.value[valKernel], 100) * uint64(min(max(0, r.begunNS-since), utilizedMost)) / 100, nvOK
}

func (u *utilized) forget() { u.sinceNS = 0 }

// utilizedMost is for how long a utilization is taken to hold: over the 2 s in which
// the refresh is measured, too.
const utilizedMost = 3e9

// level is a value as it is.
type level struct{ field int }

func (l level) of(r *record) (uint64, uint8) { return r.value[l.field], r.status[l.field] }
func (l level) forget()                      {}

// throttled is the longest of the times for which a board was slowed for power or
// heat; reasons that hold at once do not add up.
type throttled struct{ reasons [4]counted }

func newThrottled() *throttled {
	t := &throttled{}
	for i := range t.reasons {
		t.reasons[i] = counted{field: valPowerCap + i, scale: 1}
	}
	return t
}

func (t *throttled) of(r *record) (longest uint64, status uint8) {
	status = nvNotAsked
	for i := range t.reasons {
		v, s := t.reasons[i].of(r)
		if status == nvNotAsked || s == nvOK {
			status = s
		}
		longest = max(longest, v)
	}
	return longest, status
}

func (t *throttled) forget() {
	for i := range t.reasons {
		t.reasons[i].forget()
	}
}

// How often jobgait-nvml reads: at 100 to 200 ms, drawn, and seldom every 8th time.
const (
	beatHz   = 1 / 0.15
	seldomHz = beatHz / 8
)

// nvColumns are those of a device, the n-th of the job's.
func nvColumns(h *helper, n int) []*nvColumn {
	column := func(what, unit, event string, hz float64, gauge bool, v value) *nvColumn {
		return &nvColumn{h: h, device: uint16(n), event: event, value: v,
			column: profile.Column{Name: fmt.Sprintf("gpu%d_%s", n, what), Unit: unit, Scope: "job", Gauge: gauge, Hz: hz, Ticked: true}}
	}
	return []*nvColumn{
		column("energy", "uJ", energyEvent, beatHz, false, &counted{field: valEnergy, scale: 1000}),
		column("kernel", "ns", "utilization.gpu", beatHz, false, &utilized{}),
		column("memory", "bytes", "memory used", seldomHz, true, level{valUsed}),
		column("throttled", "ns", "slowed by power cap, heat or power brake", seldomHz, false, newThrottled()),
		column("pcie_tx", "bytes", "PCIe bytes sent", beatHz, false, &counted{field: valPCIeTX, scale: 1, wrap: 1 << 32}),
		column("pcie_rx", "bytes", "PCIe bytes received", beatHz, false, &counted{field: valPCIeRX, scale: 1, wrap: 1 << 32}),
	}
}
