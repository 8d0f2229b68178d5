package scope

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/perf"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// TaskParams say what a Task counts.
type TaskParams struct {
	// Proc is "/proc" if it is "".
	Proc string
	// Root is the command, which waits before its exec.
	Root int
	// CPUs is how many CPUs it may run on: a reading interrupts each that
	// it does run on.
	CPUs int
	// Hz is how many readings a second are wanted at most; 0 = Rate, which
	// holds in any case.
	Hz float64
	// Dir is the run directory, in which its parent leaves what the command
	// has used; "" has none.
	Dir string
	// TimeOnly leaves out all but the CPU time, where the node's own
	// counters have the rest.
	TimeOnly bool
}

// Task counts the events of one command and of all that it starts. It is one
// lane. Read after the command's end it still has all of it: the kernel adds
// the counts of a task that ends to those of the event it came from.
type Task struct {
	p        TaskParams
	hz       float64
	threads  []int
	events   []event
	fds      [][]threadEvent // of each event
	tallies  []tally
	totals   []uint64
	buf      [24]byte
	readings int
	began    int64
	read     int64 // time of the last reading
	ends     ends
	userOnly bool
	starved  bool
	sources  []summary.Source
}

var _ counter.Source = (*Task)(nil)

// NewTask opens the events of a command, with kernel code where that is
// permitted. An error means that even its CPU time cannot be counted;
// perf.Forbidden tells whether for lack of permission.
func NewTask(open perf.Opener, p TaskParams) (*Task, error) {
	if p.Proc == "" {
		p.Proc = "/proc"
	}
	t := &Task{p: p, threads: threads(p.Proc, p.Root), ends: ends{proc: p.Proc, root: p.Root}}
	var absent []summary.Source
	for i, e := range events(unix.PERF_COUNT_SW_TASK_CLOCK) {
		fds, err := t.open(open, e, i > 0)
		if err != nil && i == 0 {
			return nil, fmt.Errorf("count events of process %d: %w", p.Root, err)
		}
		if err != nil {
			absent = append(absent, e.source("job", t.what(), 0, err))
			continue
		}
		t.events, t.fds = append(t.events, e), append(t.fds, fds)
	}
	t.tallies, t.totals = make([]tally, len(t.fds)), make([]uint64, len(t.fds))
	if t.hz = Rate(len(t.fds) * p.CPUs); p.Hz > 0 {
		t.hz = min(t.hz, p.Hz)
	}
	for _, e := range t.events {
		t.sources = append(t.sources, e.source("job", t.what(), t.hz, nil))
	}
	t.sources = append(t.sources, absent...)
	return t, nil
}

// open opens one event, and without kernel code if it must.
func (t *Task) open(open perf.Opener, e event, optional bool) ([]threadEvent, error) {
	switch {
	case optional && t.p.TimeOnly:
		return nil, errNotWanted
	case t.userOnly && e.kernel:
		return nil, errInKernel
	case t.userOnly:
		return t.each(open, e.attr(times, unix.PerfBitInherit|unix.PerfBitExcludeKernel))
	}
	fds, err := t.each(open, e.attr(times, unix.PerfBitInherit))
	if !perf.Forbidden(err) || optional {
		return fds, err
	}
	// The CPU time comes first, and is all of it without kernel code too.
	fds, err = t.each(open, e.attr(times, unix.PerfBitInherit|unix.PerfBitExcludeKernel))
	t.userOnly = err == nil
	return fds, err
}

func (t *Task) what() string {
	if t.userOnly {
		return "the command and what it started, user code"
	}
	return "the command and what it started"
}

// Columns are the events that could be opened.
func (t *Task) Columns() []profile.Column {
	cols := make([]profile.Column, len(t.events))
	for i, e := range t.events {
		cols[i] = e.column(t.hz)
	}
	return cols
}

// Lanes is one: the command. No record is due.
func (t *Task) Lanes() int      { return 1 }
func (t *Task) PeriodNS() int64 { return 0 }

// EveryNS is the time between two readings.
func (t *Task) EveryNS() int64 { return int64(1e9 / t.hz) }

// Sources and Notes tell what is counted.
func (t *Task) Sources() []summary.Source { return t.sources }
func (t *Task) Notes() []note.Note {
	var notes []note.Note
	if t.userOnly && len(t.events) > 1 {
		notes = append(notes, note.New(note.UserOnly,
			"events in the kernel are not the user's to count: kernel.perf_event_paranoid is above 1"))
	}
	if t.starved {
		notes = append(notes, note.New(note.Multiplexed, "the job's counters shared the PMU with others; counts are scaled"))
	}
	return append(notes, t.ends.notes()...)
}

// Start lets the events count, in all processes that there are by then.
func (t *Task) Start() error {
	t.ends.begin()
	t.began = rawcall.Now()
	return t.control(unix.PERF_EVENT_IOC_ENABLE, "start")
}

// Stop keeps the counts as they are.
func (t *Task) Stop() error { return t.control(unix.PERF_EVENT_IOC_DISABLE, "stop") }

func (t *Task) control(request uint, verb string) error {
	var first error
	for i, fds := range t.fds {
		for _, e := range fds {
			if err := perf.Ioctl(e.fd, request, 0); err != nil && first == nil {
				first = fmt.Errorf("%s %s of process %d: %w", verb, t.events[i].name, t.p.Root, err)
			}
		}
	}
	return first
}

// Drain reads every event once. After Start it begins with the counts at that
// moment.
func (t *Task) Drain(to counter.Sink) error {
	if t.began != 0 {
		to.Read(0, t.began, t.totals)
		t.began = 0
	}
	before := rawcall.Now()
	looked := t.ends.look(before) // before the events are read, so that it is never ahead of them
	over := !rawcall.Exists(t.p.Root)
	t.readings++
	for i := range t.fds {
		count, enabled, running, err := t.sum(i, over)
		if err != nil {
			return fmt.Errorf("read %s of process %d: %w", t.events[i].name, t.p.Root, err)
		}
		wanted, ran := t.tallies[i].add(count, enabled, running)
		t.starved = t.starved || ran+ran/100+1e6 < wanted
		to.Ran(i, wanted, ran)
		t.totals[i] = t.tallies[i].total
	}
	now := before + (rawcall.Now()-before)/2
	t.totals[0] = t.ends.add(t.totals[0])
	if over || looked {
		if end := t.settle(); t.read < end && end < now {
			to.Read(0, end, t.totals)
		}
	}
	to.Read(0, now, t.totals)
	t.read = now
	return nil
}

// Close gives the events back.
func (t *Task) Close() error {
	var all error
	for _, fds := range t.fds {
		all = errors.Join(all, closeAll(fds))
	}
	t.fds = nil
	return all
}
