package jobevent

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/perf"
	"jobgait/agent/profile"
	"jobgait/analysis/run"
)

// task attaches to a process, or skips the test if that is not permitted.
func task(t testing.TB, open perf.Opener, p TaskParams) *Task {
	t.Helper()
	s, err := NewTask(open, p)
	if perf.IsForbidden(err) {
		t.Skipf("perf events are not permitted here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// counted runs a workload to its end under a Task that is read from time to time. It returns its CPU time as
// counted and as reported to its parent.
func counted(t testing.TB, role string) (clock, used time.Duration) {
	t.Helper()
	w := begin(t, role, nil)
	s := task(t, perf.Open, TaskParams{Root: w.pid, CPUs: 2})
	var sink countertest.Sink
	must(t, s.Start())
	must(t, s.Drain(&sink))
	ended := make(chan time.Duration)
	go func() { ended <- w.end(t) }()
	wake := time.NewTicker(time.Duration(s.EveryNS()))
	defer wake.Stop()
	for used == 0 {
		select {
		case used = <-ended:
		case <-wake.C:
			must(t, s.Drain(&sink))
		}
	}
	must(t, s.Drain(&sink))
	must(t, s.Stop())
	ordered(t, sink)
	for _, n := range s.Notes() {
		t.Errorf("%s: note %v", role, n)
	}
	last, _ := sink.Last(0)
	return time.Duration(last.Counts[0]), used
}

// ordered tests that neither times nor counts decrease.
func ordered(t testing.TB, sink countertest.Sink) {
	t.Helper()
	for i := 1; i < len(sink.Readings); i++ {
		a, b := sink.Readings[i-1], sink.Readings[i]
		if b.TimeNS <= a.TimeNS {
			t.Errorf("reading %d is %d ns after the one before", i, b.TimeNS-a.TimeNS)
		}
		for c := range b.Counts {
			if b.Counts[c] < a.Counts[c] {
				t.Errorf("reading %d: column %d went back from %d to %d", i, c, a.Counts[c], b.Counts[c])
			}
		}
	}
}

// The clocks count all CPU time except what processes use after their events are removed (since Linux 6.16):
// almost nothing for a program with some children, a tenth for a shell that starts /bin/true again and again. In
// a virtual machine whose host takes CPU time, perf's clocks count more than the kernel's accounting (0.7 % was
// seen), so the best of three is used.
func TestTaskCountsAForkingProgram(t *testing.T) {
	for role, ends := range map[string]float64{"forks": 0.06, "shell": 0.25} {
		off := math.Inf(1)
		for try := 0; try < 3 && off > 0; try++ {
			clock, used := counted(t, role)
			apart := clock.Seconds()/used.Seconds() - 1
			t.Logf("%s: task_clock %v, rusage %v, %+.2f %%", role, clock, used, 100*apart)
			off = min(off, max(apart-0.01, -apart-ends, 0))
		}
		if off > 0 {
			t.Errorf("%s: %.2f %% too far apart", role, 100*off)
		}
	}
}

// counts returns the columns of a source.
func columnNames(s counter.Source) []string {
	var names []string
	for _, c := range s.Columns() {
		names = append(names, c.Name)
	}
	return names
}

func absent(sources []run.CounterSource) map[string]string {
	m := map[string]string{}
	for _, s := range sources {
		if s.Absent != "" {
			m[s.Name] = s.Absent
		}
	}
	return m
}

// fake is a perf_event_open of a system with fewer permissions or fewer events.
type fake struct {
	userOnly, forbidden, noPMU bool
	offline                    map[int]bool
	opened                     []unix.PerfEventAttr
	// reading is what each read of the leader returns.
	reading []uint64
}

func (f *fake) open(a *unix.PerfEventAttr, pid, cpu, group, flags int) (int, error) {
	switch {
	case f.forbidden:
		return -1, unix.EACCES
	case f.userOnly && a.Bits&unix.PerfBitExcludeKernel == 0:
		return -1, unix.EACCES
	case f.offline[cpu]:
		return -1, unix.ENODEV
	case f.noPMU && a.Type == unix.PERF_TYPE_HARDWARE:
		return -1, unix.ENOENT
	}
	f.opened = append(f.opened, *a)
	if f.reading != nil && group < 0 {
		return f.pipe()
	}
	return unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
}

// pipe returns a descriptor from which the reading can be read 16 times.
func (f *fake) pipe() (int, error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return -1, err
	}
	defer unix.Close(p[1])
	var b []byte
	for range 16 {
		for _, v := range f.reading {
			b = binary.NativeEndian.AppendUint64(b, v)
		}
	}
	_, err := unix.Write(p[1], b)
	return p[0], err
}

// The fallback chain under perf_event_paranoid: at 2, events of the kernel would read 0, so they are absent.
func TestTaskFallbackChain(t *testing.T) {
	all := []string{"task_clock", "context_switches", "page_faults", "cpu_migrations", "instructions", "cycles"}
	for _, c := range []struct {
		name   string
		open   fake
		want   []string
		absent int
	}{
		{"everything", fake{}, all, 0},
		{"no PMU", fake{noPMU: true}, all[:4], 2},
		{"user only", fake{userOnly: true}, []string{"task_clock", "page_faults", "instructions", "cycles"}, 2},
		{"user only, no PMU", fake{userOnly: true, noPMU: true}, []string{"task_clock", "page_faults"}, 4},
	} {
		s, err := NewTask(c.open.open, TaskParams{Root: 7, CPUs: 4})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		defer s.Close()
		if got := columnNames(s); !slices.Equal(got, c.want) {
			t.Errorf("%s: columns %v", c.name, got)
		}
		if got := absent(s.Sources()); len(got) != c.absent || len(s.Sources()) != 6 {
			t.Errorf("%s: absent %v of %d", c.name, got, len(s.Sources()))
		}
		if user := len(s.Notes()) == 1; user != c.open.userOnly {
			t.Errorf("%s: notes %v", c.name, s.Notes())
		}
		for _, a := range c.open.opened {
			if a.Bits&(unix.PerfBitInherit|unix.PerfBitDisabled) != unix.PerfBitInherit|unix.PerfBitDisabled ||
				a.Read_format&unix.PERF_FORMAT_GROUP != 0 {
				t.Errorf("%s: event %d/%d opened with bits %x, format %x", c.name, a.Type, a.Config, a.Bits, a.Read_format)
			}
		}
	}
	if _, err := NewTask((&fake{forbidden: true}).open, TaskParams{Root: 7, CPUs: 4}); !perf.IsForbidden(err) {
		t.Errorf("forbidden: %v", err)
	}
}

func TestRateKeepsTheCostDown(t *testing.T) {
	for _, c := range []struct {
		interrupts int
		hz         float64
	}{{0, 50}, {2, 50}, {20, 50}, {40, 25}, {100, 10}, {128, 7.8125}, {4096, 5}} {
		if got := Rate(c.interrupts); got != c.hz {
			t.Errorf("%d interrupts a reading: %v Hz, want %v", c.interrupts, got, c.hz)
		}
	}
	s, err := NewTask((&fake{}).open, TaskParams{Root: 7, CPUs: 8, Hz: 20})
	must(t, err)
	defer s.Close()
	if s.EveryNS() != 50e6 || s.Columns()[0] != (profile.Column{Name: "task_clock", Unit: "ns", Scope: "job", Hz: 20}) {
		t.Errorf("every %d ns, %+v", s.EveryNS(), s.Columns()[0])
	}
}
