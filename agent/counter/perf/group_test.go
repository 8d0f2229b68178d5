package perf

import (
	"errors"
	"os"
	"testing"
	"time"

	perfutils "github.com/hodgesds/perf-utils"
	"golang.org/x/sys/unix"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
)

// refuse is a kernel that answers every event with an error, those of the types
// given only.
func refuse(t *testing.T, err error, types ...uint32) Opener {
	return func(a *unix.PerfEventAttr, pid, cpu, group, flags int) (int, error) {
		for _, kind := range types {
			if a.Type == kind {
				return -1, err
			}
		}
		fd, merr := unix.MemfdCreate("event", unix.MFD_CLOEXEC)
		if merr != nil {
			t.Fatal(merr)
		}
		return fd, unix.Ftruncate(fd, 1<<20)
	}
}

func TestNoPermissionIsTold(t *testing.T) {
	for _, err := range []error{unix.EACCES, unix.EPERM, unix.ENOSYS} {
		_, got := NewCounters(refuse(t, err, unix.PERF_TYPE_SOFTWARE), []int{0}, 5e6)
		if !Forbidden(got) || !errors.Is(got, err) {
			t.Errorf("%v: %v", err, got)
		}
	}
}

func TestEventsThatAreAbsentAreLeftOut(t *testing.T) {
	for _, c := range []struct {
		err    error
		absent string
	}{
		{unix.ENOENT, "this machine has no such event"},
		{unix.EOPNOTSUPP, "this machine has no such event"},
		{unix.EACCES, "not permitted"},
		{unix.EINVAL, "does not fit into the group"},
	} {
		counters, err := NewCounters(refuse(t, c.err, unix.PERF_TYPE_HARDWARE), []int{0, 1}, 5e6)
		if err != nil {
			t.Fatalf("%v: %v", c.err, err)
		}
		defer counters.Close()
		if n := len(counters.Columns()); n != 3 || counters.Lanes() != 2 {
			t.Errorf("%v: %d columns on %d lanes", c.err, n, counters.Lanes())
		}
		for _, s := range counters.Sources() {
			hardware := s.Name == "instructions" || s.Name == "cycles"
			if hardware != (s.Absent == c.absent) || !hardware && s.Absent != "" {
				t.Errorf("%v: %s is absent: %q", c.err, s.Name, s.Absent)
			}
		}
		if notes := counters.Notes(); len(notes) != 1 || notes[0].Code != note.NoPMU {
			t.Errorf("%v: notes %v", c.err, notes)
		}
	}
}

func TestAllEventsOfAGroupHaveOneClock(t *testing.T) {
	var leaders, siblings int
	open := refuse(t, nil)
	counters, err := NewCounters(func(a *unix.PerfEventAttr, pid, cpu, group, flags int) (int, error) {
		if a.Bits&unix.PerfBitUseClockID == 0 || a.Clockid != unix.CLOCK_MONOTONIC {
			t.Errorf("event %d:%d has another clock", a.Type, a.Config)
		}
		disabled := a.Bits&unix.PerfBitDisabled != 0
		if disabled != (group == -1) {
			t.Errorf("event %d:%d: disabled %v in group %d", a.Type, a.Config, disabled, group)
		}
		if group == -1 {
			leaders++
		} else {
			siblings++
		}
		return open(a, pid, cpu, group, flags)
	}, []int{0}, 5e6)
	if err != nil {
		t.Fatal(err)
	}
	defer counters.Close()
	if leaders == 0 || siblings == 0 {
		t.Errorf("%d leaders, %d siblings", leaders, siblings)
	}
}

func TestMultiplexedCountsAreScaled(t *testing.T) {
	g := &group{total: make([]uint64, 1), last: Sample{Counts: make([]uint64, 2)}}
	if g.add(Sample{Enabled: 5e6, Running: 5e6, Counts: []uint64{0, 100}}) {
		t.Error("multiplexed, though it always ran")
	}
	if !g.add(Sample{Enabled: 10e6, Running: 7.5e6, Counts: []uint64{0, 200}}) {
		t.Error("not multiplexed, though it ran half of the time")
	}
	if g.total[0] != 100+200 {
		t.Errorf("total %d, want 300", g.total[0])
	}
	g.add(Sample{Enabled: 10e6, Running: 7.5e6, Counts: []uint64{0, 150}})
	if g.total[0] != 300 {
		t.Errorf("total %d after a reading that crossed a record", g.total[0])
	}
}

func TestNextPhase(t *testing.T) {
	for _, c := range []struct{ now, period, phase, want int64 }{
		{0, 10, 0, 0}, {1, 10, 0, 10}, {1, 10, 5, 5}, {5, 10, 5, 5}, {6, 10, 5, 15}, {99, 10, 12, 102},
	} {
		if got := NextPhase(c.now, c.period, c.phase); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// collect keeps what it is given.
type collect struct {
	records, reads int
	lost           int64
	first, last    map[int][]uint64
	at             map[int]int64
	backwards      bool
}

func newCollect() *collect {
	return &collect{first: map[int][]uint64{}, last: map[int][]uint64{}, at: map[int]int64{}}
}

func (c *collect) take(lane int, t int64, counts []uint64) {
	if c.first[lane] == nil {
		c.first[lane] = append([]uint64{}, counts...)
	}
	c.backwards = c.backwards || t < c.at[lane]
	c.at[lane], c.last[lane] = t, append([]uint64{}, counts...)
}
func (c *collect) Record(l int, t int64, v []uint64) { c.records++; c.take(l, t, v) }
func (c *collect) Read(l int, t int64, v []uint64)   { c.reads++; c.take(l, t, v) }
func (c *collect) Hit(int64, uint64)                 {}
func (c *collect) Drained(int64)                     {}
func (c *collect) Lost(n int64)                      { c.lost += n }
func (c *collect) Ran(int, uint64, uint64)           {}
func (c *collect) Changed(profile.Epoch)             {}

// open opens real counters or skips.
func open(t testing.TB) *Counters {
	cpus, err := kernel.OnlineCPUs("/sys")
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCounters(Open, cpus, 5e6)
	if err != nil {
		t.Skipf("perf events of whole CPUs are not to be had: %v", err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// The page faults of the test itself are in the counts of the node.
func TestRealCounters(t *testing.T) {
	c := open(t)
	got := newCollect()
	if err := c.Drain(got); err != nil {
		t.Fatal(err)
	}
	if len(got.first) != c.Lanes() || got.reads < c.Lanes() {
		t.Errorf("%d baselines on %d CPUs", got.reads, c.Lanes())
	}
	const pages = 2000
	deadline := time.Now().Add(20 * time.Second)
	for done := false; !done; {
		mem, err := unix.Mmap(-1, 0, pages*os.Getpagesize(), unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_POPULATE)
		if err != nil {
			t.Fatal(err)
		}
		unix.Madvise(mem, unix.MADV_DONTNEED)
		for i := 0; i < len(mem); i += os.Getpagesize() {
			mem[i] = 1
		}
		unix.Munmap(mem)
		if err := c.Drain(got); err != nil {
			t.Fatal(err)
		}
		done = got.records > 10
		if time.Now().After(deadline) {
			t.Fatalf("%d records in 20 s", got.records)
		}
	}
	var faults, columns uint64
	for i, col := range c.Columns() {
		columns++
		if col.Name == "page_faults" {
			for lane := range got.last {
				faults += got.last[lane][i] - got.first[lane][i]
			}
		}
	}
	// Huge pages make fewer of them.
	if faults == 0 {
		t.Errorf("no page faults in %d columns", columns)
	}
	if got.backwards {
		t.Error("times of a lane go back")
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
}

// The records fall on the grid: that is what Start waits for. A loaded machine
// takes them late, never early; timers of any phase would be early half of the time.
func TestRecordsFollowTheGrid(t *testing.T) {
	c := open(t)
	all, early := 0, 0
	for range 400 {
		time.Sleep(5 * time.Millisecond)
		for _, g := range c.groups {
			g.ring.Drain(func(h Header, body []byte) {
				if s, err := parseSample(body, g.counts); err == nil {
					all++
					if s.TimeNS%c.periodNS > c.periodNS/2 {
						early++
					}
				}
			})
		}
		if all > 100 {
			break
		}
	}
	if all == 0 {
		t.Skip("idle CPUs write no records here")
	}
	if early*4 > all {
		t.Errorf("%d of %d records in the second half of their slot", early, all)
	}
}

// What a drain of one second costs, against reading by the library 200 times.
func BenchmarkDrainOfASecond(b *testing.B) {
	const perSecond = 200
	f := newFakeRing(1<<16, 0)
	g := &group{counts: make([]uint64, 4), total: make([]uint64, 3), ring: f.Ring, last: Sample{Counts: make([]uint64, 4)}}
	for b.Loop() {
		for i := range uint64(perSecond) {
			f.write(record(unix.PERF_RECORD_SAMPLE, i, 4, i, i, i, i, i, i))
		}
		n := 0
		f.Drain(func(h Header, body []byte) {
			s, _ := parseSample(body, g.counts)
			g.add(s)
			n++
		})
		if n != perSecond {
			b.Fatal(n)
		}
	}
}

func BenchmarkLibraryReadsOfASecond(b *testing.B) {
	p, err := perfutils.NewGroupProfiler(-1, 0, unix.PERF_FLAG_FD_CLOEXEC, perfutils.CPUClockEventAttr(),
		perfutils.ContextSwitchesEventAttr(), perfutils.PageFaultsEventAttr(), perfutils.CPUMigrationsEventAttr())
	if err != nil {
		b.Skip(err)
	}
	defer p.Close()
	if err := p.Start(); err != nil {
		b.Skip(err)
	}
	var v perfutils.GroupProfileValue
	for b.Loop() {
		for range 200 {
			if err := p.Profile(&v); err != nil {
				b.Fatal(err)
			}
		}
	}
}
