package perf

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// Counters are the groups of all CPUs. They count the whole node.
type Counters struct {
	groups      []*group
	events      []Event
	sources     []summary.Source
	notes       []note.Note
	periodNS    int64
	multiplexed bool
}

var _ counter.Source = (*Counters)(nil)

// NewCounters opens a group on every CPU given. Events that the machine does
// not have are left out and named in Sources; what remains is the same on all
// CPUs. An error means that there is no group at all; Forbidden tells whether
// for lack of permission.
func NewCounters(open Opener, cpus []int, periodNS int64) (*Counters, error) {
	if len(cpus) == 0 {
		return nil, errors.New("no CPU to count on")
	}
	c := &Counters{periodNS: periodNS}
	if err := c.choose(open, cpus[0], Events()); err != nil {
		return nil, err
	}
	for _, cpu := range cpus {
		g, err := openGroup(open, cpu, periodNS, c.events)
		if errors.Is(err, unix.ENODEV) {
			continue // went offline
		}
		if err == nil {
			c.groups = append(c.groups, g)
			err = g.mapRing(periodNS)
		}
		if err != nil {
			c.Close()
			return nil, err
		}
	}
	if len(c.groups) == 0 {
		return nil, fmt.Errorf("open groups: %w", unix.ENODEV)
	}
	return c, nil
}

// choose finds the events that a CPU has, by opening them: names in sysfs do
// not tell whether a virtual machine counts. When the group has no room for all
// the last hardware event goes first; nothing is multiplexed by choice.
func (c *Counters) choose(open Opener, cpu int, want []Event) error {
	var have []Event
	for _, e := range want {
		g, err := openGroup(open, cpu, c.periodNS, append(have[:len(have):len(have)], e))
		switch {
		case err == nil:
			g.close()
			have = append(have, e)
		case leaderFailed(open, cpu, c.periodNS):
			return err
		}
		c.describe(e, err)
	}
	c.events = have
	if !counts(have, "instructions") || !counts(have, "cycles") {
		c.notes = append(c.notes, note.New(note.NoPMU,
			"this machine has no hardware counters for instructions and cycles: no IPC"))
	}
	return nil
}

func leaderFailed(open Opener, cpu int, periodNS int64) bool {
	g, err := openGroup(open, cpu, periodNS, nil)
	if err != nil {
		return true
	}
	g.close()
	return false
}

func (c *Counters) describe(e Event, err error) {
	s := summary.Source{Name: e.Name, Event: e.Name, PMU: e.PMU, Scope: "node"}
	if err != nil {
		s.Absent = reason(err)
	}
	c.sources = append(c.sources, s)
}

func counts(events []Event, name string) bool {
	for _, e := range events {
		if e.Name == name {
			return true
		}
	}
	return false
}

// Columns are the events, node-wide.
func (c *Counters) Columns() []profile.Column {
	cols := make([]profile.Column, len(c.events))
	for i, e := range c.events {
		cols[i] = profile.Column{Name: e.Name, Unit: e.Unit, Scope: "node"}
	}
	return cols
}

// Lanes is the number of CPUs, PeriodNS the leader's period.
func (c *Counters) Lanes() int      { return len(c.groups) }
func (c *Counters) PeriodNS() int64 { return c.periodNS }

// EveryNS is 0: the rings hold four seconds.
func (c *Counters) EveryNS() int64 { return 0 }

// Sources and Notes tell what is counted.
func (c *Counters) Sources() []summary.Source { return c.sources }
func (c *Counters) Notes() []note.Note {
	if !c.multiplexed {
		return c.notes
	}
	return append(c.notes[:len(c.notes):len(c.notes)],
		note.New(note.Multiplexed, "the counters shared the PMU with others; counts are scaled"))
}

// Start enables all groups just after a point of the grid: records then fall on
// the grid, interpolation has next to nothing to do, and all CPUs lose the same
// microseconds together (measured in simulation: 3.5 % error of 5 ms rates with
// random phases, 0.07 % with aligned ones).
func (c *Counters) Start() error {
	slack, late := c.periodNS/20, Now()+PhaseLimit
	for _, g := range c.groups {
		now := Now()
		if now%c.periodNS > slack && now < late {
			WaitUntil(NextPhase(now, c.periodNS, 0))
		}
		if err := g.enable(); err != nil {
			return fmt.Errorf("start group of CPU %d: %w", g.cpu, err)
		}
	}
	return nil
}

// Stop disables all groups. Their counts stay.
func (c *Counters) Stop() error {
	var first error
	for _, g := range c.groups {
		if err := g.disable(); err != nil && first == nil {
			first = fmt.Errorf("stop group of CPU %d: %w", g.cpu, err)
		}
	}
	return first
}

// Drain reads each group once, then hands over its records up to that time, and
// the reading itself where the timer had gone quiet. After Start it begins with
// the counts at that moment.
func (c *Counters) Drain(to counter.Sink) error {
	var first error
	for lane, g := range c.groups {
		if err := c.drain(lane, g, to); err != nil && first == nil {
			first = err
		}
	}
	return first
}

func (c *Counters) drain(lane int, g *group, to counter.Sink) error {
	asked, err := g.read()
	if err != nil {
		return err
	}
	if g.began != 0 {
		// While it was not enabled nothing was counted: the baseline.
		to.Read(lane, g.began, g.total)
		g.last.TimeNS, g.began = g.began, 0
	}
	pending := true
	give := func() {
		if pending && asked.TimeNS-g.last.TimeNS > c.periodNS*3/2 {
			c.multiplexed = g.add(asked) || c.multiplexed
			to.Read(lane, asked.TimeNS, g.total)
		}
		pending = false
	}
	var drained int64
	err = g.ring.Drain(func(h Header, body []byte) {
		drained++
		to.Lost(Lost(h, body))
		if h.Type != unix.PERF_RECORD_SAMPLE {
			return
		}
		s, err := parseSample(body, g.counts)
		if err != nil {
			to.Lost(1)
			return
		}
		if s.TimeNS > asked.TimeNS {
			give()
		}
		c.multiplexed = g.add(s) || c.multiplexed
		to.Record(lane, s.TimeNS, g.total)
	})
	give()
	to.Drained(drained)
	return err
}

// Close gives all events back.
func (c *Counters) Close() error {
	var first error
	for _, g := range c.groups {
		if err := g.close(); err != nil && first == nil {
			first = err
		}
	}
	c.groups = nil
	return first
}
