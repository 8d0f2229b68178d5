package perf

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/countertest"
	"jobgait/analysis/note"
)

func start(t *testing.T, c *Counters) *countertest.Sink {
	t.Helper()
	sink := &countertest.Sink{}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	drain(t, c, sink)
	return sink
}

func drain(t *testing.T, c *Counters, sink *countertest.Sink) {
	t.Helper()
	if err := c.Drain(sink); err != nil {
		t.Fatal(err)
	}
}

func last(t *testing.T, sink *countertest.Sink, lane, column int) uint64 {
	t.Helper()
	r, ok := sink.Last(lane)
	if !ok {
		t.Fatalf("lane %d has no reading", lane)
	}
	return r.Counts[column]
}

func TestCountsAndTimesAreExact(t *testing.T) {
	k := newFakeKernel(t, intelFiles())
	c := k.counters(nil)
	sink := start(t, c)
	for range 5 {
		k.advance(800e6)
		drain(t, c, sink)
	}
	// Config 1 happens 2000 times a millisecond.
	i := column(t, c, "instructions")
	for _, r := range sink.Readings {
		first := sink.Readings[r.Lane]
		want := float64(r.TimeNS-first.TimeNS) / 1e6 * 2000
		if got := float64(r.Counts[i]); got < want-2000 || got > want+2000 {
			t.Fatalf("lane %d after %d ns: %.0f, want %.0f", r.Lane, r.TimeNS-first.TimeNS, got, want)
		}
		if r.Timer && r.TimeNS%5e6 > 0.6e6 {
			t.Errorf("a record %d ns after the grid", r.TimeNS%5e6)
		}
	}
	if sink.DrainedRecords != 2*4e9/5e6 || sink.Gone != 0 {
		t.Errorf("%d records, %d lost", sink.DrainedRecords, sink.Gone)
	}
	if e := sink.Enabled[i]; e != sink.Running[i] || e < 7.9e9 || e > 8.1e9 {
		t.Errorf("enabled %d, ran %d", e, sink.Running[i])
	}
}

// Counts of an offline CPU do not change, and those of the others continue; when the CPU is back its totals
// continue.
func TestHotplug(t *testing.T) {
	k := newFakeKernel(t, intelFiles())
	c := k.counters(nil)
	i := column(t, c, "instructions")
	sink := start(t, c)
	k.advance(800e6)
	k.unplug(1)
	k.set("sys/devices/system/cpu/online", "0\n")
	k.advance(200e6)
	drain(t, c, sink)
	before := last(t, sink, 1, i)
	if len(sink.Epochs) != 1 || sink.Epochs[0].Kind != "hotplug" ||
		!strings.Contains(sink.Epochs[0].Text, "CPU 1 went offline") {
		t.Fatalf("epochs %+v", sink.Epochs)
	}
	for range 3 {
		k.advance(800e6)
		drain(t, c, sink)
		r, _ := sink.Last(1)
		if other, _ := sink.Last(0); r.Counts[i] != before || other.TimeNS-r.TimeNS > 5e6 || r.TimeNS-other.TimeNS > 5e6 {
			t.Errorf("the offline lane is at %d (%d), the other at %d", r.TimeNS, r.Counts[i], other.TimeNS)
		}
	}
	k.plug(1)
	k.set("sys/devices/system/cpu/online", "0-1\n")
	drain(t, c, sink)
	if len(sink.Epochs) != 2 || !strings.Contains(sink.Epochs[1].Text, "CPU 1 came online") {
		t.Fatalf("epochs %+v", sink.Epochs)
	}
	k.advance(500e6)
	drain(t, c, sink)
	if got, want := last(t, sink, 1, i), before+1_000_000; got < want-4000 || got > want+4000 {
		t.Errorf("back at %d, want %d", got, want)
	}
	if n := c.Notes(); len(n) != 1 || n[0].Code != note.CPUsChanged {
		t.Errorf("notes %v", n)
	}
}

// A CPU goes offline and returns between two drains. Only its time enabled, which did not advance, shows that.
// Counters that were stopped do not advance either, but are not dead.
func TestHotplugBetweenDrains(t *testing.T) {
	k := newFakeKernel(t, intelFiles())
	c := k.counters(nil)
	i := column(t, c, "instructions")
	sink := start(t, c)
	if err := c.Stop(); err != nil {
		t.Fatal(err)
	}
	k.advance(5e9)
	drain(t, c, sink)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	k.advance(800e6)
	drain(t, c, sink)
	if len(sink.Epochs) != 0 {
		t.Fatalf("epochs %+v though no CPU changed", sink.Epochs)
	}
	k.unplug(1)
	k.plug(1)
	k.advance(800e6)
	drain(t, c, sink)
	if len(sink.Epochs) != 2 {
		t.Fatalf("epochs %+v", sink.Epochs)
	}
	before := last(t, sink, 1, i)
	k.advance(500e6)
	drain(t, c, sink)
	if got, want := last(t, sink, 1, i), before+1_000_000; got < want-4000 || got > want+4000 {
		t.Errorf("back at %d, want %d", got, want)
	}
}

// A CPU that is offline from the beginning is a lane of zeros.
func TestOfflineFromTheBeginning(t *testing.T) {
	k := newFakeKernel(t, with(intelFiles(), "sys/devices/system/cpu/online", "0\n"))
	k.unplug(1)
	c := k.counters(nil)
	sink := start(t, c)
	k.advance(100e6)
	drain(t, c, sink)
	if c.Lanes() != 2 || last(t, sink, 1, 0) != 0 || last(t, sink, 0, 0) == 0 || len(sink.Epochs) != 0 {
		t.Errorf("%d lanes, epochs %+v", c.Lanes(), sink.Epochs)
	}
	k.plug(1)
	k.set("sys/devices/system/cpu/online", "0-1\n")
	drain(t, c, sink)
	k.advance(100e6)
	drain(t, c, sink)
	if last(t, sink, 1, 0) == 0 {
		t.Error("it came online, and is not counted")
	}
}

// The slow cores of a hybrid machine are offline at first: nothing indicates then that there will be a second
// PMU.
func TestASecondKindOfCoreComesOnline(t *testing.T) {
	files := with(hybridFiles(), "sys/bus/event_source/devices/cpu_atom/cpus", "\n")
	k := newFakeKernel(t, with(files, "sys/devices/system/cpu/online", "0-3\n"))
	k.offline[4], k.offline[5] = true, true
	kinds := map[int]uint64{}
	k.refuse = func(a *unix.PerfEventAttr, cpu int) error {
		if a.Type == unix.PERF_TYPE_HARDWARE {
			kinds[cpu] = a.Config >> 32
		}
		return nil
	}
	c := k.counters(nil)
	sink := start(t, c)
	k.plug(4)
	k.set("sys/bus/event_source/devices/cpu_atom/cpus", "4\n")
	k.set("sys/devices/system/cpu/online", "0-4\n")
	drain(t, c, sink)
	if len(sink.Epochs) != 1 || kinds[4] != 10 || kinds[0] != 0 {
		t.Errorf("epochs %+v, types %v", sink.Epochs, kinds)
	}
}

// Others begin to use the PMU: Ran gives the part of the time in which the group counted, and the counts are
// scaled by it.
func TestRanReportsMultiplexing(t *testing.T) {
	k := newFakeKernel(t, intelFiles())
	k.slots = 5
	c := k.counters(nil)
	i := column(t, c, "instructions")
	sink := start(t, c)
	k.advance(500e6)
	drain(t, c, sink)
	before := last(t, sink, 0, i)
	if sink.Running[i] != sink.Enabled[i] {
		t.Errorf("ran %d of %d", sink.Running[i], sink.Enabled[i])
	}
	k.held = 3
	sink.Enabled, sink.Running = nil, nil
	k.advance(1e9)
	drain(t, c, sink)
	if share := float64(sink.Running[i]) / float64(sink.Enabled[i]); share < 0.49 || share > 0.51 {
		t.Errorf("ran %.3f of the time, want a half", share)
	}
	if got := last(t, sink, 0, i) - before; got < 1_990_000 || got > 2_010_000 {
		t.Errorf("counted %d, want 2000000", got)
	}
	if n := c.Notes(); len(n) != 1 || n[0].Code != note.Multiplexed {
		t.Errorf("notes %v", n)
	}
}

// For a program that makes a million system calls a second, counting them would cost 10 %: these tracepoints
// are dropped, with a note.
func TestTracepointsThatCostTooMuchAreShed(t *testing.T) {
	k := newFakeKernel(t, with(with(intelFiles(), "sys/kernel/tracing/events/raw_syscalls/sys_enter/id", "443\n"),
		"sys/kernel/tracing/events/block/block_rq_issue/id", "7\n"))
	rate := 9.0 // a millisecond: less than 10,000 a second
	k.perMS = func(a *unix.PerfEventAttr, cpu int) float64 {
		if a.Type == unix.PERF_TYPE_TRACEPOINT && a.Config == 443 && cpu == 1 {
			return rate
		}
		return 1
	}
	c := k.counters(nil)
	calls, blocks := column(t, c, "syscalls"), column(t, c, "block_requests")
	sink := start(t, c)
	for range 12 {
		k.advance(1e9)
		drain(t, c, sink)
	}
	if len(sink.Epochs) != 0 {
		t.Fatalf("epochs %+v at 9,000 a second", sink.Epochs)
	}
	rate = 1000
	for range 3 {
		k.advance(500e6)
		drain(t, c, sink)
	}
	if len(sink.Epochs) != 1 || sink.Epochs[0].Kind != "rate" ||
		!strings.Contains(sink.Epochs[0].Text, "raw_syscalls:sys_enter") {
		t.Fatalf("epochs %+v", sink.Epochs)
	}
	stood, before := last(t, sink, 1, calls), last(t, sink, 1, blocks)
	sink.Enabled, sink.Running = nil, nil
	k.advance(1e9)
	drain(t, c, sink)
	if got := last(t, sink, 1, calls); got != stood || sink.Running[calls] != 0 || sink.Enabled[calls] == 0 {
		t.Errorf("system calls went from %d to %d; ran %d of %d", stood, got, sink.Running[calls], sink.Enabled[calls])
	}
	if got := last(t, sink, 1, blocks); got < before+990 || sink.Running[blocks] != sink.Enabled[blocks] {
		t.Errorf("block requests went from %d to %d", before, got)
	}
	if sink.Gone != 0 {
		t.Errorf("%d records lost", sink.Gone)
	}
	if n := c.Notes(); len(n) != 1 || n[0].Code != note.CountShed {
		t.Errorf("notes %v", n)
	}
}

// Another program pins the whole PMU: the group would wait forever, and software events and the timer with it.
func TestStarvedGroupDropsHardwareCounters(t *testing.T) {
	k := newFakeKernel(t, intelFiles())
	k.slots = 5
	c := k.counters(nil)
	cycles, faults := column(t, c, "cycles"), column(t, c, "page_faults")
	sink := start(t, c)
	k.held, k.pinned = 5, true
	for range 5 {
		k.advance(900e6)
		drain(t, c, sink)
	}
	if len(sink.Epochs) != 1 || sink.Epochs[0].Kind != "rate" ||
		!strings.Contains(sink.Epochs[0].Text, "others hold the PMU") {
		t.Fatalf("epochs %+v", sink.Epochs)
	}
	stood, before, records := last(t, sink, 0, cycles), last(t, sink, 0, faults), sink.DrainedRecords
	sink.Enabled, sink.Running = nil, nil
	k.advance(1e9)
	drain(t, c, sink)
	if last(t, sink, 0, cycles) != stood || sink.Running[cycles] != 0 || sink.Enabled[cycles] == 0 {
		t.Errorf("cycles ran %d of %d", sink.Running[cycles], sink.Enabled[cycles])
	}
	if last(t, sink, 0, faults) < before+2_900_000 || sink.Running[faults] != sink.Enabled[faults] ||
		sink.DrainedRecords < records+390 {
		t.Errorf("faults went from %d to %d with %d records", before, last(t, sink, 0, faults), sink.DrainedRecords-records)
	}
}

// Where the user may lock little memory the rings are smaller, and have to be
// drained more often.
func TestRingsShrink(t *testing.T) {
	k := newFakeKernel(t, intelFiles())
	if c := k.counters(nil); c.EveryNS() != 0 || len(c.Notes()) != 0 {
		t.Errorf("every %d ns, notes %v", c.EveryNS(), c.Notes())
	}
	k.lockable = 4
	c := k.counters(nil)
	// 16 KiB / 120 B = 136 records of 5 ms, half of that.
	if every := c.EveryNS(); every != 340e6 {
		t.Errorf("every %d ns", every)
	}
	if n := c.Notes(); len(n) != 1 || n[0].Code != note.SmallRings {
		t.Errorf("notes %v", n)
	}
	k.lockable = 2
	if _, err := newCounters(k.calls(), k.roots, nil, 5e6); !errors.Is(err, unix.EPERM) {
		t.Errorf("%v, want EPERM", err)
	}
}
