package jobevent

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"jobgait/agent/cgroup"
	"jobgait/agent/counter"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// Finder finds the job's cgroup in the hierarchy of perf events; cgroup.Finder implements it. WhyAbsent returns
// why there is no such cgroup, "" if there is or it is not known yet.
type Finder interface {
	Perf() (cgroup.FoundDir, bool)
	WhyAbsent() string
}

// CgroupParams says what a Cgroup counts.
type CgroupParams struct {
	// Sys is "/sys" if it is "".
	Sys  string
	CPUs []int
	// Hz limits the readings per second; 0 for no limit beyond Rate.
	Hz   float64
	Find Finder
}

// Cgroup counts the events of the job's cgroup and of those below it, by one group of events per CPU, which is
// a lane. It gives no readings until the cgroup exists; if the cgroup is removed and created again, the counts
// continue with the new one.
type Cgroup struct {
	p       CgroupParams
	open    perf.Opener
	hz      float64
	events  []event
	sources []run.CounterSource
	groups  []*group
	dir     cgroup.FoundDir
	opened  bool
	// retry is when opening is tried again after a failure, wait the interval, which doubles each time.
	retry, wait int64
	// online are the CPUs at the last check, nextOnlineNS the time of the next.
	online       *kernel.Online
	nextOnlineNS int64
	on           bool // started
	looked       bool // the cgroup was searched at least once
	failed       error
	multiplexed  bool
}

var _ counter.Source = (*Cgroup)(nil)

// NewCgroup probes on one CPU which events can be counted, because the columns must be known before the cgroup
// appears. It returns an error if not even the CPU time can be counted; perf.IsForbidden reports whether for
// lack of permission.
func NewCgroup(open perf.Opener, p CgroupParams) (*Cgroup, error) {
	if len(p.CPUs) == 0 {
		return nil, errors.New("internal error, please report it: the list of CPUs is empty: no events of the job's " +
			"cgroup are counted")
	}
	if p.Sys == "" {
		p.Sys = "/sys"
	}
	c := &Cgroup{p: p, open: open, hz: Rate(len(p.CPUs)), online: kernel.NewOnline(p.Sys)}
	if p.Hz > 0 {
		c.hz = min(c.hz, p.Hz)
	}
	for i, e := range events(unix.PERF_COUNT_SW_CPU_CLOCK) {
		err := c.probeEvent(e)
		if err != nil && i == 0 {
			return nil, fmt.Errorf("count events of the job's cgroup: %w", err)
		}
		if err == nil {
			c.events = append(c.events, e)
		}
		c.sources = append(c.sources, e.source("job", "the job's cgroup", c.hz, err))
	}
	for _, cpu := range p.CPUs {
		c.groups = append(c.groups, newGroup(cpu, len(c.events)))
	}
	return c, nil
}

// probeEvent tries to open one more event in a group for the whole first CPU.
func (c *Cgroup) probeEvent(e event) error {
	g := newGroup(c.p.CPUs[0], len(c.events)+1)
	err := g.open(c.open, -1, 0, append(c.events[:len(c.events):len(c.events)], e))
	return errors.Join(err, g.close())
}

// Columns returns a column for each event that can be counted.
func (c *Cgroup) Columns() []profile.Column {
	cols := make([]profile.Column, len(c.events))
	for i, e := range c.events {
		cols[i] = e.column(c.hz)
	}
	return cols
}

// Lanes returns the number of CPUs.
func (c *Cgroup) Lanes() int { return len(c.groups) }

// PeriodNS returns 0: no record is due at a fixed time.
func (c *Cgroup) PeriodNS() int64 { return 0 }

// EveryNS returns the time between two readings.
func (c *Cgroup) EveryNS() int64 { return int64(1e9 / c.hz) }

// Sources returns what is counted and what is absent.
func (c *Cgroup) Sources() []run.CounterSource { return c.sources }

// Notes returns notes on why events of the job were not counted, or were counted part of the time.
func (c *Cgroup) Notes() []note.Note {
	var notes []note.Note
	switch absent := c.p.Find.WhyAbsent(); {
	case c.opened:
	case errors.Is(c.failed, unix.ENOENT):
		notes = append(notes, note.New(note.NoJobCgroup, "events of the job were not counted: Linux 6.1 and older "+
			"count those of a cgroup only if a controller is enabled in cgroup.subtree_control above it"))
	case c.failed != nil:
		notes = append(notes, note.New(note.NoJobCgroup, "events of the job's cgroup were not counted, the report "+
			"lacks them: %v", c.failed))
	case absent != "":
		notes = append(notes, note.New(note.NoJobCgroup, "events of the job were not counted: %s", absent))
	case c.looked:
		notes = append(notes, note.New(note.NoJobCgroup,
			"events of the job were not counted: the scheduler created no cgroup for it"))
	}
	if c.multiplexed {
		notes = append(notes, note.New(note.Multiplexed,
			"the job's events shared the hardware counters with others: their counts are scaled to the whole time"))
	}
	return notes
}

// Start starts counting, once the cgroup exists.
func (c *Cgroup) Start() error {
	c.on = true
	return c.control(unix.PERF_EVENT_IOC_ENABLE, "start")
}

// Stop disables the counters, which keep their counts.
func (c *Cgroup) Stop() error {
	c.on = false
	return c.control(unix.PERF_EVENT_IOC_DISABLE, "stop")
}

// control enables or disables all groups.
func (c *Cgroup) control(request uint, verb string) error {
	var first error
	for _, g := range c.groups {
		if err := g.control(request); err != nil && first == nil {
			first = fmt.Errorf("%s events of the job's cgroup on CPU %d: %w: their counts may be wrong", verb, g.cpu, err)
		}
	}
	return first
}

// Drain opens or closes groups as the cgroup appears or disappears, and reads the group of every CPU.
func (c *Cgroup) Drain(to counter.Sink) error {
	err := c.followCgroup(to)
	if !c.opened {
		return err
	}
	return errors.Join(err, c.read(to))
}

// read reads the groups of all CPUs into the sink, with the times for which they were enabled and ran.
func (c *Cgroup) read(to counter.Sink) error {
	var first error
	var wanted, ran uint64
	for lane, g := range c.groups {
		w, r, err := g.read(to, lane)
		if err != nil && first == nil {
			first = fmt.Errorf("read the events %s of the job's cgroup %w: this reading is missing", eventNames(c.events), err)
		}
		wanted, ran = wanted+w, ran+r
	}
	c.multiplexed = c.multiplexed || ran+ran/100+1e6 < wanted
	for i := range c.events {
		to.Ran(i, wanted, ran)
	}
	return first
}

// Close closes all events.
func (c *Cgroup) Close() error {
	return errors.Join(c.online.Close(), c.closeGroups())
}

// closeGroups closes the groups of all CPUs and keeps their counts.
func (c *Cgroup) closeGroups() error {
	var all error
	for _, g := range c.groups {
		all = errors.Join(all, g.close())
	}
	return all
}
