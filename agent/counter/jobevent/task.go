package jobevent

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/perf"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// TaskParams say what a Task counts.
type TaskParams struct {
	// Root is the command, which waits before its exec.
	Root int
	// CPUs is how many CPUs it may run on: a reading interrupts each that
	// it does run on.
	CPUs int
	// Hz is how many readings a second are wanted at most; 0 = Rate, which
	// holds in any case.
	Hz float64
}

// Task counts the events of one command and of all that it starts. It is one
// lane. Read after the command's end it still has all of it: the kernel adds
// the counts of a task that ends to those of the event it came from.
type Task struct {
	p        TaskParams
	hz       float64
	events   []event
	fds      []int // of each event
	tallies  []tally
	totals   []uint64
	buf      [24]byte
	began    int64
	userOnly bool
	starved  bool
	sources  []run.CounterSource
}

var _ counter.Source = (*Task)(nil)

// NewTask opens the events of a command, with kernel code where that is
// permitted. An error means that even its CPU time cannot be counted;
// perf.Forbidden tells whether for lack of permission.
func NewTask(open perf.Opener, p TaskParams) (*Task, error) {
	t := &Task{p: p}
	var absent []run.CounterSource
	for i, e := range events(unix.PERF_COUNT_SW_TASK_CLOCK) {
		fd, err := t.open(open, e, i > 0)
		if err != nil && i == 0 {
			return nil, fmt.Errorf("count events of process %d: %w", p.Root, err)
		}
		if err != nil {
			absent = append(absent, e.source("job", t.what(), 0, err))
			continue
		}
		t.events, t.fds = append(t.events, e), append(t.fds, fd)
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

// open opens one event, and without kernel code if it must: alone and not in a
// group, for before Linux 6.13 groups that children inherit cannot be sampled, nor
// read before 4.13.
func (t *Task) open(open perf.Opener, e event, optional bool) (int, error) {
	all := e.attr(times, unix.PerfBitInherit)
	user := e.attr(times, unix.PerfBitInherit|unix.PerfBitExcludeKernel)
	switch {
	case t.userOnly && e.kernel:
		return -1, errInKernel
	case t.userOnly:
		return open(&user, t.p.Root, -1, -1, 0)
	}
	fd, err := open(&all, t.p.Root, -1, -1, 0)
	if !perf.Forbidden(err) || optional {
		return fd, err
	}
	// The CPU time comes first, and is all of it without kernel code too.
	fd, err = open(&user, t.p.Root, -1, -1, 0)
	t.userOnly = err == nil
	return fd, err
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
func (t *Task) Sources() []run.CounterSource { return t.sources }
func (t *Task) Notes() []note.Note {
	var notes []note.Note
	if t.userOnly && len(t.events) > 1 {
		notes = append(notes, note.New(note.UserOnly,
			"events in the kernel are not the user's to count: kernel.perf_event_paranoid is above 1"))
	}
	if t.starved {
		notes = append(notes, note.New(note.Multiplexed, "the job's counters shared the PMU with others; counts are scaled"))
	}
	return notes
}

// Start lets the events count, in all processes that there are by then.
func (t *Task) Start() error {
	t.began = rawcall.Now()
	return t.control(unix.PERF_EVENT_IOC_ENABLE, "start")
}

// Stop keeps the counts as they are.
func (t *Task) Stop() error { return t.control(unix.PERF_EVENT_IOC_DISABLE, "stop") }

func (t *Task) control(request uint, verb string) error {
	var first error
	for i, fd := range t.fds {
		if err := perf.Ioctl(fd, request, 0); err != nil && first == nil {
			first = fmt.Errorf("%s %s of process %d: %w", verb, t.events[i].name, t.p.Root, err)
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
	for i, fd := range t.fds {
		count, enabled, running, err := t.read(fd)
		if err != nil {
			return fmt.Errorf("read %s of process %d: %w", t.events[i].name, t.p.Root, err)
		}
		wanted, ran := t.tallies[i].add(count, enabled, running)
		t.starved = t.starved || ran+ran/100+1e6 < wanted
		to.Ran(i, wanted, ran)
		t.totals[i] = t.tallies[i].total
	}
	to.Read(0, before+(rawcall.Now()-before)/2, t.totals)
	return nil
}

func (t *Task) read(fd int) (count, enabled, running uint64, err error) {
	n, _, code := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&t.buf[0])), uintptr(len(t.buf)))
	if code != 0 {
		return 0, 0, 0, code
	}
	return parseOne(t.buf[:n])
}

// Close gives the events back.
func (t *Task) Close() error {
	var all error
	for _, fd := range t.fds {
		all = errors.Join(all, unix.Close(fd))
	}
	t.fds = nil
	return all
}
