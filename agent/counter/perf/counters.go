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

// Counters counts events of the whole node, by a group of events on each CPU.
type Counters struct {
	k       syscalls
	roots   kernel.Roots
	machine machine
	events  []Event
	// What was dropped while counting: events with an index of keptEvents or more, and all hardware events.
	keptEvents    int
	noHardware    bool
	lanes         []*lane
	sources       []run.CounterSource
	notes         []note.Note
	periodNS      int64
	pages         int // of a ring
	started       bool
	online        *kernel.Online
	hotplugEpochs int // number of recorded hotplug epochs
	// By column, since the last drain.
	enabled, running []uint64
}

var _ counter.Source = (*Counters)(nil)

// NewCounters opens a group on every given CPU, nil for all that are present. Events that the machine lacks are
// left out and named in Sources; the others are counted on all CPUs. The counts of an offline CPU stand still
// until it comes back. It returns an error if no group can be opened; IsForbidden reports whether for lack of
// permission.
func NewCounters(open Opener, r kernel.Roots, cpus []int, periodNS int64) (*Counters, error) {
	return newCounters(kernelCalls(open), r, cpus, periodNS)
}

// newCounters does what NewCounters does, by the system calls k. The rings have room for ringNS of records. While the
// user may not lock that much memory it halves them, down to minPages, and adds a note.
func newCounters(k syscalls, r kernel.Roots, cpus []int, periodNS int64) (*Counters, error) {
	cpus, err := cpusToCount(r, cpus)
	if err != nil {
		return nil, err
	}
	l, err := probeEvents(k, r, cpus, periodNS)
	if err != nil {
		return nil, err
	}
	c := &Counters{k: k, roots: r, online: kernel.NewOnline(r.Sys), machine: l.machine, events: l.events(),
		sources: l.sources(), notes: l.notes(), periodNS: periodNS}
	n := len(c.events)
	c.keptEvents, c.enabled, c.running = n, make([]uint64, n), make([]uint64, n)
	for _, cpu := range cpus {
		c.lanes = append(c.lanes, &lane{cpu: cpu, total: make([]uint64, n)})
	}
	c.pages = Pages(int(int64(ringNS)/periodNS) * recordSize(n))
	err = c.openAll()
	for errors.Is(err, errMemoryLock) && c.pages > minPages {
		c.pages /= 2
		err = c.openAll()
	}
	if err != nil {
		return nil, err
	}
	if c.roomNS() < ringNS {
		c.noteOnce(note.SmallRings, "kernel.perf_event_mlock_kb allows memory for only %.1f s of perf records, so some "+
			"may be lost: raise it",
			float64(c.roomNS())/1e9)
	}
	return c, nil
}

// openAll opens the groups of all online CPUs, with rings of one size. If one cannot be opened it closes all.
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
		return fmt.Errorf("open the perf event groups: none of the CPUs is online: %w", unix.ENODEV)
	}
	return nil
}

// roomNS returns for how many ns of records the rings have room.
func (c *Counters) roomNS() int64 {
	return int64(c.pages*os.Getpagesize()/recordSize(len(c.events))) * c.periodNS
}

// cpusToCount returns the given CPUs, or all present ones for nil. It returns an error for an empty list.
func cpusToCount(r kernel.Roots, cpus []int) ([]int, error) {
	if cpus == nil {
		var err error
		if cpus, err = presentCPUs(r.Sys); err != nil {
			return nil, err
		}
	}
	if len(cpus) == 0 {
		return nil, errors.New("internal error, please report it: the list of CPUs to sample is empty: no hardware " +
			"counters are read")
	}
	return cpus, nil
}

// Columns returns a node-wide column for each event.
func (c *Counters) Columns() []profile.Column {
	cols := make([]profile.Column, len(c.events))
	for i, e := range c.events {
		cols[i] = profile.Column{Name: e.Name, Unit: e.Unit, Scope: "node"}
	}
	return cols
}

// CPUNS returns the approximate CPU time, in ns, of one count of each column.
func (c *Counters) CPUNS() []float64 {
	ns := make([]float64, len(c.events))
	for i, e := range c.events {
		ns[i] = e.CPUNS
	}
	return ns
}

// Lanes returns the number of CPUs.
func (c *Counters) Lanes() int { return len(c.lanes) }

// PeriodNS returns the time between two records of the group leader.
func (c *Counters) PeriodNS() int64 { return c.periodNS }

// EveryNS returns 0 if the rings have room for two seconds or more, as they do when the user may lock the
// memory; else half of the time that they have room for.
func (c *Counters) EveryNS() int64 {
	if room := c.roomNS(); room < 2e9 {
		return room / 2
	}
	return 0
}

// Sources returns what is counted and what is absent.
func (c *Counters) Sources() []run.CounterSource { return c.sources }

// Notes returns notes on events that are not counted, or only part of the time.
func (c *Counters) Notes() []note.Note { return c.notes }

// noteOnce adds a note unless there is one with this code.
func (c *Counters) noteOnce(code note.Code, format string, args ...any) {
	for _, n := range c.notes {
		if n.Code == code {
			return
		}
	}
	c.notes = append(c.notes, note.New(code, format, args...))
}

// Start enables all groups just after a point of the grid. Records then fall on the grid, little is
// interpolated, and all CPUs are interrupted at the same time (in a simulation 5 ms rates had an error of 3.5 %
// with random phases and of 0.07 % with aligned ones).
func (c *Counters) Start() error {
	late := c.k.now() + PhaseLimit
	for _, l := range c.lanes {
		if l.group == nil {
			continue
		}
		if err := c.enable(l, late); err != nil {
			return err
		}
	}
	c.started = true
	return nil
}

// enable starts a lane at the next point of the grid, or at once after the time late.
func (c *Counters) enable(l *lane, late int64) error {
	phase := TimerPhase{PeriodNS: c.periodNS, WindowNS: c.periodNS / 20, SlackNS: c.periodNS / 10}
	err := phase.Start(c.k.now, c.k.wait, late, func() error {
		l.enabledNS = c.k.now()
		l.lastAlive = Sample{TimeNS: l.enabledNS, Enabled: l.group.last.Enabled}
		return l.group.enable()
	}, func() error { return c.k.period(l.group.fds[0], c.periodNS) })
	if err != nil {
		return fmt.Errorf("start the CPU time and hardware counters of CPU %d: %w", l.cpu, err)
	}
	return nil
}

// Stop disables all groups and keeps their counts.
func (c *Counters) Stop() error {
	c.started = false
	var first error
	for _, l := range c.lanes {
		if l.group == nil {
			continue
		}
		if err := l.group.disable(); err != nil && first == nil {
			first = fmt.Errorf("stop the CPU time and hardware counters of CPU %d: %w: they go on until the agent ends",
				l.cpu, err)
		}
	}
	return first
}

// Drain reads each group once, then passes all its records to the sink, and among them the reading itself if the timer
// wrote no record in the one and a half periods before it. After Start it begins with the counts at that moment. It
// also passes for how long each event was enabled and counted, drops events that cost too much or get no counter, and
// follows CPU hotplug.
func (c *Counters) Drain(to counter.Sink) error {
	clear(c.enabled)
	clear(c.running)
	var first error
	for i, l := range c.lanes {
		if err := c.drainLane(i, l, to); err != nil && first == nil {
			first = err
		}
	}
	for i := range c.events {
		if c.enabled[i] > 0 {
			to.Ran(i, c.enabled[i], c.running[i])
		}
	}
	if c.started {
		c.dropCostlyTracepoints(to)
		c.dropStarvedHardware(to)
		c.followHotplug(to)
	}
	return first
}

// Close closes all events.
func (c *Counters) Close() error {
	first := c.online.Close()
	for _, l := range c.lanes {
		if l.group != nil {
			if err := l.group.close(); err != nil && first == nil {
				first = err
			}
			l.group = nil
		}
	}
	return first
}

// syscalls are the system calls on events, and the clock; tests replace them.
type syscalls struct {
	open  Opener
	read  func(fd int, b []byte) (int, error)
	ioctl func(fd int, request uint, arg int) error
	mmap  func(fd, pages int) (*Ring, error)
	now   func() int64
	wait  func(untilNS int64)
	// period sets the period of a timer event and restarts it.
	period func(fd int, ns int64) error
}

// kernelCalls returns the system calls of the kernel, with open for perf_event_open(2).
func kernelCalls(open Opener) syscalls {
	return syscalls{open: open, read: rawcall.Read, ioctl: Ioctl, mmap: MapRing, now: rawcall.Now, wait: WaitUntil,
		period: SetPeriod}
}
