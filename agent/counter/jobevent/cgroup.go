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

// Finder knows the job's cgroup in the hierarchy of perf events, once there is
// one; cgroup.Finder does. Absent says why there will be none.
type Finder interface {
	Perf() (cgroup.Found, bool)
	Absent() string
}

// CgroupParams say what a Cgroup counts.
type CgroupParams struct {
	// Sys is "/sys" if it is "".
	Sys  string
	CPUs []int
	// Hz is how many readings a second are wanted at most; 0 = Rate, which
	// holds in any case.
	Hz   float64
	Find Finder
}

// Cgroup counts the events of the job's cgroup and of those below it, by one
// group of events per CPU, which is a lane. It gives no readings until the
// cgroup is there; when it is removed and made again, counting goes on with the
// new one.
type Cgroup struct {
	p       CgroupParams
	open    perf.Opener
	hz      float64
	events  []event
	sources []run.CounterSource
	groups  []*group
	dir     cgroup.Found
	opened  bool
	// retry is when a cgroup that could not be counted is tried again, after
	// wait more.
	retry, wait int64
	// online are the CPUs when it was looked for them, lookAt the next time.
	online  *kernel.Online
	lookAt  int64
	on      bool // started
	looked  bool // for the cgroup, at least once
	failed  error
	starved bool
}

var _ counter.Source = (*Cgroup)(nil)

// NewCgroup finds out what can be counted, on one CPU: the columns are the same
// whenever the cgroup appears. An error means that no event of a CPU may be
// opened; perf.Forbidden tells whether for lack of permission.
func NewCgroup(open perf.Opener, p CgroupParams) (*Cgroup, error) {
	if len(p.CPUs) == 0 {
		return nil, errors.New("count events of the job's cgroup: no CPU to count on")
	}
	if p.Sys == "" {
		p.Sys = "/sys"
	}
	c := &Cgroup{p: p, open: open, hz: Rate(len(p.CPUs)), online: kernel.NewOnline(p.Sys)}
	if p.Hz > 0 {
		c.hz = min(c.hz, p.Hz)
	}
	for i, e := range events(unix.PERF_COUNT_SW_CPU_CLOCK) {
		err := c.try(e)
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

// try opens one more event in the group, for the whole CPU.
func (c *Cgroup) try(e event) error {
	g := newGroup(c.p.CPUs[0], len(c.events)+1)
	err := g.open(c.open, -1, 0, append(c.events[:len(c.events):len(c.events)], e))
	return errors.Join(err, g.close())
}

// Columns are the events that a CPU has.
func (c *Cgroup) Columns() []profile.Column {
	cols := make([]profile.Column, len(c.events))
	for i, e := range c.events {
		cols[i] = e.column(c.hz)
	}
	return cols
}

// Lanes is the number of CPUs. No record is due.
func (c *Cgroup) Lanes() int      { return len(c.groups) }
func (c *Cgroup) PeriodNS() int64 { return 0 }

// EveryNS is the time between two readings.
func (c *Cgroup) EveryNS() int64 { return int64(1e9 / c.hz) }

// Sources and Notes tell what is counted.
func (c *Cgroup) Sources() []run.CounterSource { return c.sources }
func (c *Cgroup) Notes() []note.Note {
	var notes []note.Note
	switch absent := c.p.Find.Absent(); {
	case c.opened:
	case errors.Is(c.failed, unix.ENOENT):
		notes = append(notes, note.New(note.NoJobCgroup, "the kernel does not count events of the job's cgroup "+
			"(Linux 6.1 and older, until a controller is enabled in cgroup.subtree_control above it)"))
	case c.failed != nil:
		notes = append(notes, note.New(note.NoJobCgroup, "events of the job's cgroup were not counted: %v", c.failed))
	case absent != "":
		notes = append(notes, note.New(note.NoJobCgroup, "events of the job were not counted: %s", absent))
	case c.looked:
		notes = append(notes, note.New(note.NoJobCgroup, "events of the job were not counted: its cgroup did not appear"))
	}
	if c.starved {
		notes = append(notes, note.New(note.Multiplexed, "the job's counters shared the PMU with others; counts are scaled"))
	}
	return notes
}

// Start lets it count, or look for the cgroup. Stop keeps the counts.
func (c *Cgroup) Start() error {
	c.on = true
	return c.control(unix.PERF_EVENT_IOC_ENABLE, "start")
}
func (c *Cgroup) Stop() error {
	c.on = false
	return c.control(unix.PERF_EVENT_IOC_DISABLE, "stop")
}

func (c *Cgroup) control(request uint, verb string) error {
	var first error
	for _, g := range c.groups {
		if err := g.control(request); err != nil && first == nil {
			first = fmt.Errorf("%s events of the job's cgroup on CPU %d: %w", verb, g.cpu, err)
		}
	}
	return first
}

// Drain follows the cgroup and reads the group of every CPU.
func (c *Cgroup) Drain(to counter.Sink) error {
	err := c.follow(to)
	if !c.opened {
		return err
	}
	return errors.Join(err, c.read(to))
}

func (c *Cgroup) read(to counter.Sink) error {
	var first error
	var wanted, ran uint64
	for lane, g := range c.groups {
		w, r, err := g.read(to, lane)
		if err != nil && first == nil {
			first = err
		}
		wanted, ran = wanted+w, ran+r
	}
	c.starved = c.starved || ran+ran/100+1e6 < wanted
	for i := range c.events {
		to.Ran(i, wanted, ran)
	}
	return first
}

// Close gives the events back.
func (c *Cgroup) Close() error {
	return errors.Join(c.online.Close(), c.closeGroups())
}

func (c *Cgroup) closeGroups() error {
	var all error
	for _, g := range c.groups {
		all = errors.Join(all, g.close())
	}
	return all
}
