package perf

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A group that cannot be read is reopened. Its lane continues to have readings, because no slot is complete
// without them.
func TestAGroupThatCannotBeRead(t *testing.T) {
	for _, failure := range []error{unix.EIO, nil} { // nil: it gives no bytes
		k := newFakeKernel(t, intelFiles())
		calls := k.calls()
		broken := -1
		calls.read = func(fd int, b []byte) (int, error) {
			if k.events[fd].cpu == broken {
				return 0, failure
			}
			return k.read(fd, b)
		}
		c, err := newCounters(calls, k.roots, nil, 5e6)
		if err != nil {
			t.Fatal(err)
		}
		i := column(t, c, "instructions")
		sink := start(t, c)
		k.advance(800e6)
		drain(t, c, sink)
		before := last(t, sink, 1, i)
		broken = 1
		k.advance(800e6)
		n := len(sink.Readings)
		if err := c.Drain(sink); err == nil || failure != nil && !errors.Is(err, failure) ||
			!strings.Contains(err.Error(), "CPU 1") {
			t.Errorf("%v: error %v", failure, err)
		}
		if r, ok := sink.Last(1); !ok || len(sink.Readings) == n || r.TimeNS < k.clock-10e6 || r.Counts[i] != before {
			t.Errorf("%v: the lane is at %d of %d, with %d", failure, r.TimeNS, k.clock, r.Counts[i])
		}
		broken = -1
		k.advance(800e6)
		drain(t, c, sink)
		if got := last(t, sink, 1, i) - before; got < 1_590_000 || got > 1_610_000 {
			t.Errorf("%v: %d instructions after it was opened anew, want 1600000", failure, got)
		}
		c.Close()
	}
}

// leader returns the event that leads the group of a lane.
func (k *fakeKernel) leader(c *Counters, lane int) (int, *fakeEvent) {
	fd := c.lanes[lane].group.fds[0]
	return fd, k.events[fd]
}

// A CPU whose timer writes nothing while counts continue uses the requested reading, dated by its time enabled;
// a CPU with a working timer does not.
func TestATimerThatGoesQuiet(t *testing.T) {
	k := newFakeKernel(t, intelFiles())
	c := k.counters(nil)
	i := column(t, c, "instructions")
	sink := start(t, c)
	if len(sink.Readings) != 2 {
		t.Fatalf("%d readings at the start, want one of each lane", len(sink.Readings))
	}
	k.advance(100e6)
	drain(t, c, sink)
	_, e := k.leader(c, 1)
	before, asked := last(t, sink, 1, i), len(sink.Readings)
	e.due += 40e6
	k.advance(40e6)
	drain(t, c, sink)
	r, _ := sink.Last(1)
	if r.Timer || r.TimeNS < k.clock-100_000 || r.Counts[i]-before < 79_000 || r.Counts[i]-before > 91_000 {
		t.Errorf("at %d: reading %+v, %d more", k.clock, r, r.Counts[i]-before)
	}
	for _, r := range sink.Readings[asked:] {
		if r.Lane == 0 && !r.Timer {
			t.Errorf("a reading of a lane whose timer goes on: %+v", r)
		}
	}
}

// A read may return late. Its time is then derived from the time enabled, limited to the duration of the call.
func TestDated(t *testing.T) {
	g := &group{last: Sample{TimeNS: 1000, Enabled: 50}}
	for _, c := range []struct{ enabled, before, after, want int64 }{
		{150, 900, 5000, 1100}, {150, 1200, 5000, 1200}, {9000, 1200, 5000, 5000}, {40, 900, 5000, 990}, {40, 995, 5000, 995},
	} {
		s := g.placeReading(reading{Sample{TimeNS: 3000, Enabled: uint64(c.enabled)}, c.before, c.after})
		if s.TimeNS != c.want {
			t.Errorf("%+v: %d", c, s.TimeNS)
		}
	}
}

// Records that the kernel dropped are reported, and so are records that cannot be parsed.
func TestLostRecordsAreReported(t *testing.T) {
	k := newFakeKernel(t, intelFiles())
	c := k.counters(nil)
	sink := start(t, c)
	fd, e := k.leader(c, 0)
	word := func(v ...uint64) []byte { return record(0, v...)[headerSize:] }
	k.write(fd, e, unix.PERF_RECORD_LOST, word(7, 5))
	k.write(fd, e, unix.PERF_RECORD_SAMPLE, word(1))
	k.write(fd, e, unix.PERF_RECORD_THROTTLE, word(1, 2, 3))
	drain(t, c, sink)
	if sink.Gone != 5+1+1 || sink.DrainedRecords != 3 {
		t.Errorf("%d lost, %d drained", sink.Gone, sink.DrainedRecords)
	}
}

// A group that waits for the PMU from time to time is kept.
func TestOccasionallyStarvedGroup(t *testing.T) {
	k := newFakeKernel(t, intelFiles())
	k.slots = 5
	c := k.counters(nil)
	sink := start(t, c)
	for range 6 {
		k.held, k.pinned = 5, true
		k.advance(2.5e9)
		drain(t, c, sink)
		k.held, k.pinned = 0, false
		k.advance(500e6)
		drain(t, c, sink)
	}
	if len(sink.Epochs) != 0 {
		t.Errorf("epochs %+v", sink.Epochs)
	}
}

// CPUs that go offline and return forever do not fill the profile with epochs.
func TestNotesOnChangedCPUsAreLimited(t *testing.T) {
	k := newFakeKernel(t, intelFiles())
	c := k.counters(nil)
	sink := start(t, c)
	for range 3 * maxPlugs {
		k.unplug(1)
		k.plug(1)
		k.advance(200e6)
		drain(t, c, sink)
	}
	if n := len(sink.Epochs); n != maxPlugs {
		t.Errorf("%d epochs, want %d", n, maxPlugs)
	}
	before := last(t, sink, 1, 0)
	k.advance(200e6)
	drain(t, c, sink)
	if last(t, sink, 1, 0) == before {
		t.Error("it came back, and is not counted")
	}
}

// Counters placed behind a tracepoint that is dropped are dropped too, and all are named.
func TestShedNamesAllThatIsGivenUp(t *testing.T) {
	files := intelFiles()
	for i, e := range []string{"block/block_rq_issue", "net/net_dev_queue", "raw_syscalls/sys_enter"} {
		files["sys/kernel/tracing/events/"+e+"/id"] = fmt.Sprintf("%d\n", 7+i)
	}
	k := newFakeKernel(t, files)
	k.perMS = func(a *unix.PerfEventAttr, cpu int) float64 {
		if a.Type == unix.PERF_TYPE_TRACEPOINT && a.Config == 8 {
			return 1000
		}
		return 1
	}
	c := k.counters(nil)
	sink := start(t, c)
	for range 3 {
		k.advance(800e6)
		drain(t, c, sink)
	}
	if len(sink.Epochs) != 1 || !strings.HasSuffix(sink.Epochs[0].Text, ": net:net_dev_queue, raw_syscalls:sys_enter") {
		t.Errorf("epochs %+v", sink.Epochs)
	}
	stood, blocks := last(t, sink, 0, column(t, c, "syscalls")), last(t, sink, 0, column(t, c, "block_requests"))
	k.advance(800e6)
	drain(t, c, sink)
	if last(t, sink, 0, column(t, c, "syscalls")) != stood || last(t, sink, 0, column(t, c, "block_requests")) <= blocks {
		t.Error("not what was named stands still")
	}
}

// 128 CPUs that come back at once are enabled by the same points of the grid, not
// one point each.
func TestManyCPUsComeBackTogether(t *testing.T) {
	files := intelFiles()
	files["sys/devices/system/cpu/present"] = "0-127\n"
	files["sys/devices/system/cpu/online"] = "0\n"
	k := newFakeKernel(t, files)
	k.refuse = func(a *unix.PerfEventAttr, cpu int) error {
		k.clock += 500_000 // so long does it take to open one
		return noHardware(a, unix.ENOENT)
	}
	for cpu := 1; cpu < 128; cpu++ {
		k.offline[cpu] = true
	}
	c := k.counters(nil)
	sink := start(t, c)
	clear(k.offline)
	k.set("sys/devices/system/cpu/online", "0-127\n")
	k.advance(20e6)
	began := k.clock
	drain(t, c, sink)
	opening := int64(127 * 5 * 500_000)
	if took := k.clock - began - opening; took > PhaseLimit+20e6 {
		t.Errorf("waited %d ms beside opening them", took/1e6)
	}
	if len(sink.Epochs) != 1 || !strings.Contains(sink.Epochs[0].Text, "CPU 1-127 came online") {
		t.Errorf("epochs %+v", sink.Epochs)
	}
}
