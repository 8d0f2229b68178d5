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

// TaskParams says what a Task counts.
type TaskParams struct {
	// Root is the pid of the command, which waits before its exec.
	Root int
	// CPUs is the number of CPUs that it may run on: a reading interrupts each on which it runs.
	CPUs int
	// Hz limits the readings per second; 0 for no limit beyond Rate.
	Hz float64
}

// Task counts the events of one command and of all that it starts, in one lane. After the command's end its
// counts are still complete: the kernel adds the counts of an ended task to the event that it was inherited
// from.
type Task struct {
	p           TaskParams
	hz          float64
	events      []event
	fds         []int // of each event
	tallies     []eventTotal
	totals      []uint64
	buf         [24]byte
	began       int64
	userOnly    bool
	multiplexed bool
	sources     []run.CounterSource
}

var _ counter.Source = (*Task)(nil)

// NewTask opens the events of a command, with kernel code if that is permitted. It returns an error if not even
// the CPU time can be counted; perf.IsForbidden reports whether for lack of permission.
func NewTask(open perf.Opener, p TaskParams) (*Task, error) {
	t := &Task{p: p}
	var absent []run.CounterSource
	for i, e := range events(unix.PERF_COUNT_SW_TASK_CLOCK) {
		fd, err := t.open(open, e, i > 0)
		if err != nil && i == 0 {
			return nil, fmt.Errorf("count events of process %d, which needs root or kernel.perf_event_paranoid 2 or less: %w",
				p.Root, err)
		}
		if err != nil {
			absent = append(absent, e.source("job", t.scopeText(), 0, err))
			continue
		}
		t.events, t.fds = append(t.events, e), append(t.fds, fd)
	}
	t.tallies, t.totals = make([]eventTotal, len(t.fds)), make([]uint64, len(t.fds))
	if t.hz = Rate(len(t.fds) * p.CPUs); p.Hz > 0 {
		t.hz = min(t.hz, p.Hz)
	}
	for _, e := range t.events {
		t.sources = append(t.sources, e.source("job", t.scopeText(), t.hz, nil))
	}
	t.sources = append(t.sources, absent...)
	return t, nil
}

// open opens one event of the command. If kernel code is forbidden for the first event, which is not optional, it
// and all later events count user code only; an event that happens in the kernel then returns errInKernel. Each event
// is opened alone and not in a group, because inherited groups cannot be sampled before Linux 6.13, nor read before
// 4.13.
func (t *Task) open(open perf.Opener, e event, optional bool) (int, error) {
	all := e.attr(timeFormat, unix.PerfBitInherit)
	user := e.attr(timeFormat, unix.PerfBitInherit|unix.PerfBitExcludeKernel)
	switch {
	case t.userOnly && e.kernel:
		return -1, errInKernel
	case t.userOnly:
		return open(&user, t.p.Root, -1, -1, 0)
	}
	fd, err := open(&all, t.p.Root, -1, -1, 0)
	if !perf.IsForbidden(err) || optional {
		return fd, err
	}
	// The CPU time comes first, and is all of it without kernel code too.
	fd, err = open(&user, t.p.Root, -1, -1, 0)
	t.userOnly = err == nil
	return fd, err
}

// scopeText returns in words what is counted.
func (t *Task) scopeText() string {
	if t.userOnly {
		return "the command and what it started, user code"
	}
	return "the command and what it started"
}

// Columns returns a column for each event that could be opened.
func (t *Task) Columns() []profile.Column {
	cols := make([]profile.Column, len(t.events))
	for i, e := range t.events {
		cols[i] = e.column(t.hz)
	}
	return cols
}

// Lanes returns 1: the command is one lane.
func (t *Task) Lanes() int { return 1 }

// PeriodNS returns 0: no record is due at a fixed time.
func (t *Task) PeriodNS() int64 { return 0 }

// EveryNS returns the time between two readings.
func (t *Task) EveryNS() int64 { return int64(1e9 / t.hz) }

// Sources returns what is counted and what is absent.
func (t *Task) Sources() []run.CounterSource { return t.sources }

// Notes returns notes on events that were not counted, or were counted part of the time.
func (t *Task) Notes() []note.Note {
	var notes []note.Note
	if t.userOnly && len(t.events) > 1 {
		notes = append(notes, note.New(note.UserOnly,
			"events in the kernel were not counted: set kernel.perf_event_paranoid to 1 or less"))
	}
	if t.multiplexed {
		notes = append(notes, note.New(note.Multiplexed,
			"the job's events shared the hardware counters with others: their counts are scaled to the whole time"))
	}
	return notes
}

// Start enables the events, in all processes that exist by then.
func (t *Task) Start() error {
	t.began = rawcall.Now()
	return t.control(unix.PERF_EVENT_IOC_ENABLE, "start")
}

// Stop disables the events and keeps the counts.
func (t *Task) Stop() error { return t.control(unix.PERF_EVENT_IOC_DISABLE, "stop") }

// control enables or disables all events.
func (t *Task) control(request uint, verb string) error {
	var first error
	for i, fd := range t.fds {
		if err := perf.Ioctl(fd, request, 0); err != nil && first == nil {
			first = fmt.Errorf("%s the event %s of process %d: %w: its count may be wrong", verb, t.events[i].name,
				t.p.Root, err)
		}
	}
	return first
}

// Drain reads every event once and passes the totals to the sink. After Start it begins with the counts at that
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
			return fmt.Errorf("read the event %s of process %d: %w: this reading is missing", t.events[i].name, t.p.Root, err)
		}
		wanted, ran := t.tallies[i].add(count, enabled, running)
		t.multiplexed = t.multiplexed || ran+ran/100+1e6 < wanted
		to.Ran(i, wanted, ran)
		t.totals[i] = t.tallies[i].total
	}
	to.Read(0, before+(rawcall.Now()-before)/2, t.totals)
	return nil
}

// read reads one event.
func (t *Task) read(fd int) (count, enabled, running uint64, err error) {
	n, _, code := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&t.buf[0])), uintptr(len(t.buf)))
	if code != 0 {
		return 0, 0, 0, code
	}
	return parseOne(t.buf[:n])
}

// Close closes all events.
func (t *Task) Close() error {
	var all error
	for _, fd := range t.fds {
		all = errors.Join(all, unix.Close(fd))
	}
	t.fds = nil
	return all
}
