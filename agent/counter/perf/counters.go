package perf

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// Counters are the groups of all CPUs. They count the whole node.
type Counters struct {
	k       calls
	roots   kernel.Roots
	machine machine
	events  []Event
	// Given up while it counted: events from kept on, and the hardware ones.
	kept       int
	noHardware bool
	lanes      []*lane
	sources    []run.CounterSource
	notes      []note.Note
	periodNS   int64
	pages      int // of a ring
	started    bool
	online     *kernel.Online
	plugs      int // how many times CPUs were said to come or go
	// By column, since the last drain.
	enabled, running []uint64
}

var _ counter.Source = (*Counters)(nil)

// NewCounters opens a group on every CPU given, nil for all that are present.
// Events that the machine does not have are left out and named in Sources; what
// remains is the same on all CPUs. An offline CPU is a lane that stands still
// until it comes back. An error means that there is no group at all; Forbidden
// tells whether for lack of permission.
func NewCounters(open Opener, r kernel.Roots, cpus []int, periodNS int64) (*Counters, error) {
	return newCounters(kernelCalls(open), r, cpus, periodNS)
}

func newCounters(k calls, r kernel.Roots, cpus []int, periodNS int64) (*Counters, error) {
	cpus, err := lanes(r, cpus)
	if err != nil {
		return nil, err
	}
	l, err := climb(k, r, cpus, periodNS)
	if err != nil {
		return nil, err
	}
	c := &Counters{k: k, roots: r, online: kernel.NewOnline(r.Sys), machine: l.machine, events: l.events(),
		sources: l.sources(), notes: l.notes(), periodNS: periodNS}
	n := len(c.events)
	c.kept, c.enabled, c.running = n, make([]uint64, n), make([]uint64, n)
	for _, cpu := range cpus {
		c.lanes = append(c.lanes, &lane{cpu: cpu, total: make([]uint64, n)})
	}
	c.pages = Pages(int(int64(ringNS)/periodNS) * recordSize(n))
	err = c.openAll()
	for errors.Is(err, errLocked) && c.pages > minPages {
		c.pages /= 2
		err = c.openAll()
	}
	if err != nil {
		return nil, err
	}
	if c.roomNS() < ringNS {
		c.remark(note.SmallRings, "kernel.perf_event_mlock_kb allows memory for %.1f s of records only",
			float64(c.roomNS())/1e9)
	}
	return c, nil
}

// openAll opens the groups of all CPUs that are online, with rings of one size.
func (c *Counters) openAll() error {
	counted := 0
	for _, l := range c.lanes {
		if err := c.open(l); err == nil {
			counted++
		} else if !errors.Is(err, unix.ENODEV) {
			c.Close()
			return err
		}
	}
	if counted == 0 {
		return fmt.Errorf("open groups: %w", unix.ENODEV)
	}
	return nil
}

// roomNS is for how long the rings have room.
func (c *Counters) roomNS() int64 {
	return int64(c.pages*os.Getpagesize()/recordSize(len(c.events))) * c.periodNS
}

// lanes are the CPUs given, else those below sys.
func lanes(r kernel.Roots, cpus []int) ([]int, error) {
	if cpus == nil {
		var err error
		if cpus, err = presentCPUs(r.Sys); err != nil {
			return nil, err
		}
	}
	if len(cpus) == 0 {
		return nil, errors.New("no CPU to count on")
	}
	return cpus, nil
}

// Columns are the events, node-wide.
func (c *Counters) Columns() []profile.Column {
	cols := make([]profile.Column, len(c.events))
	for i, e := range c.events {
		cols[i] = profile.Column{Name: e.Name, Unit: e.Unit, Scope: "node"}
	}
	return cols
}

// CPUNS is about how much CPU time goes with one count of each column, in ns.
func (c *Counters) CPUNS() []float64 {
	ns := make([]float64, len(c.events))
	for i, e := range c.events {
		ns[i] = e.CPUNS
	}
	return ns
}

// Lanes is the number of CPUs, PeriodNS the leader's period.
func (c *Counters) Lanes() int      { return len(c.lanes) }
func (c *Counters) PeriodNS() int64 { return c.periodNS }

// EveryNS is 0 where the rings have room for two seconds or more, as they do
// when the user may lock the memory; else half of what they have room for.
func (c *Counters) EveryNS() int64 {
	if room := c.roomNS(); room < 2e9 {
		return room / 2
	}
	return 0
}

// Sources and Notes tell what is counted.
func (c *Counters) Sources() []run.CounterSource { return c.sources }
func (c *Counters) Notes() []note.Note           { return c.notes }

// remark adds a note, once for each code.
func (c *Counters) remark(code note.Code, format string, args ...any) {
	for _, n := range c.notes {
		if n.Code == code {
			return
		}
	}
	c.notes = append(c.notes, note.New(code, format, args...))
}

// Start enables all groups just after a point of the grid: records then fall on
// the grid, interpolation has next to nothing to do, and all CPUs lose the same
// microseconds together (measured in simulation: 3.5 % error of 5 ms rates with
// random phases, 0.07 % with aligned ones).
func (c *Counters) Start() error {
	late := c.k.now() + PhaseLimit
	for _, l := range c.lanes {
		if l.g == nil {
			continue
		}
		if err := c.enable(l, late); err != nil {
			return err
		}
	}
	c.started = true
	return nil
}

// enable starts a lane at the next point of the grid, or at once when it is too
// late for that.
func (c *Counters) enable(l *lane, late int64) error {
	phase := TimerPhase{PeriodNS: c.periodNS, WindowNS: c.periodNS / 20, SlackNS: c.periodNS / 10}
	err := phase.Set(c.k.now, c.k.wait, late, func() error {
		l.began = c.k.now()
		l.alive = Sample{TimeNS: l.began, Enabled: l.g.last.Enabled}
		return l.g.enable()
	}, func() error { return c.k.period(l.g.fds[0], c.periodNS) })
	if err != nil {
		return fmt.Errorf("start group of CPU %d: %w", l.cpu, err)
	}
	return nil
}

// Stop disables all groups. Their counts stay.
func (c *Counters) Stop() error {
	c.started = false
	var first error
	for _, l := range c.lanes {
		if l.g == nil {
			continue
		}
		if err := l.g.disable(); err != nil && first == nil {
			first = fmt.Errorf("stop group of CPU %d: %w", l.cpu, err)
		}
	}
	return first
}

// Drain reads each group once, then hands over its records up to that time, and
// the reading itself where the timer had gone quiet. After Start it begins with
// the counts at that moment.
func (c *Counters) Drain(to counter.Sink) error {
	clear(c.enabled)
	clear(c.running)
	var first error
	for i, l := range c.lanes {
		if err := c.drain(i, l, to); err != nil && first == nil {
			first = err
		}
	}
	for i := range c.events {
		if c.enabled[i] > 0 {
			to.Ran(i, c.enabled[i], c.running[i])
		}
	}
	if c.started {
		c.shed(to)
		c.unstarve(to)
		c.follow(to)
	}
	return first
}

// Close gives all events back.
func (c *Counters) Close() error {
	first := c.online.Close()
	for _, l := range c.lanes {
		if l.g != nil {
			if err := l.g.close(); err != nil && first == nil {
				first = err
			}
			l.g = nil
		}
	}
	return first
}

// calls are the system calls on events, and the clock. Tests put a machine of
// their own in place.
type calls struct {
	open  Opener
	read  func(fd int, b []byte) (int, error)
	ioctl func(fd int, request uint, arg int) error
	mmap  func(fd, pages int) (*Ring, error)
	now   func() int64
	wait  func(untilNS int64)
	// period sets and restarts the period of a timer.
	period func(fd int, ns int64) error
}

func kernelCalls(open Opener) calls {
	return calls{open: open, read: rawcall.Read, ioctl: Ioctl, mmap: MapRing, now: rawcall.Now, wait: WaitUntil,
		period: SetPeriod}
}
