package perf

import (
	"testing"

	"golang.org/x/sys/unix"
)

// All members use one clock, and only the leader is opened disabled. Experiments showed that other ways end in
// EINVAL or in siblings that stay 0 forever.
func TestHowAGroupIsOpened(t *testing.T) {
	k := newFakeKernel(t, hybridFiles())
	open := k.open
	var leaders, siblings int
	calls := k.calls()
	calls.open = func(a *unix.PerfEventAttr, pid, cpu, group, flags int) (int, error) {
		if a.Bits&unix.PerfBitUseClockID == 0 || a.Clockid != unix.CLOCK_MONOTONIC {
			t.Errorf("event %d:%d has another clock", a.Type, a.Config)
		}
		if disabled := a.Bits&unix.PerfBitDisabled != 0; disabled != (group == -1) {
			t.Errorf("event %d:%d: disabled %v in group %d", a.Type, a.Config, disabled, group)
		}
		want := uint64(unix.PERF_FORMAT_GROUP | unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING)
		if a.Read_format != want {
			t.Errorf("event %d:%d: read format %#x", a.Type, a.Config, a.Read_format)
		}
		if group == -1 {
			leaders++
			if a.Sample != 5e6 || a.Sample_type != unix.PERF_SAMPLE_READ|unix.PERF_SAMPLE_TIME ||
				a.Config != unix.PERF_COUNT_SW_CPU_CLOCK {
				t.Errorf("leader %+v", a)
			}
			if a.Bits&unix.PerfBitWatermark == 0 || a.Wakeup < 1<<24 {
				t.Errorf("a leader that wakes us: %+v", a)
			}
		} else {
			siblings++
		}
		return open(a, pid, cpu, group, flags)
	}
	c, err := newCounters(calls, k.roots, nil, 5e6)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if leaders < 6 || siblings < 6*len(c.events) {
		t.Errorf("%d leaders, %d siblings", leaders, siblings)
	}
}

// Enabling 200 CPUs takes many steps of the grid: each begins near a point of
// it, until that has taken too long.
func TestStartPhases(t *testing.T) {
	files := intelFiles()
	files["sys/devices/system/cpu/present"] = "0-199\n"
	files["sys/devices/system/cpu/online"] = "0-199\n"
	for _, costNS := range []int64{3_000, 20_000, 2_000_000} {
		k := newFakeKernel(t, files)
		k.refuse = func(a *unix.PerfEventAttr, cpu int) error { return noHardware(a, unix.ENOENT) }
		calls := k.calls()
		c, err := newCounters(calls, k.roots, nil, 5e6)
		if err != nil {
			t.Fatal(err)
		}
		began := k.clock
		for _, l := range c.lanes {
			l.group.k.ioctl = func(int, uint, int) error { k.clock += costNS; return nil }
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		off := 0
		for _, l := range c.lanes {
			if l.enabledNS%5e6 > 300_000 {
				off++
			}
		}
		if took := k.clock - began; took > PhaseLimit+200*costNS || costNS < 1e6 && off > 0 {
			t.Errorf("at %d ns each: %d of 200 off the grid, after %d ms", costNS, off, took/1e6)
		}
		c.Close()
	}
}

// Sometimes the process is delayed just before the call: the timer's period is then set again, at a point of
// the grid.
func TestStartsThatAreHeldUp(t *testing.T) {
	k := newFakeKernel(t, intelFiles())
	c := k.counters(nil)
	n := 0
	for _, l := range c.lanes {
		l.group.k.ioctl = func(fd int, request uint, arg int) error {
			if n++; n == 1 {
				k.clock += 3e6
			}
			return k.ioctl(fd, request, arg)
		}
	}
	sink := start(t, c)
	k.advance(100e6)
	drain(t, c, sink)
	for _, r := range sink.Readings {
		if r.Timer && r.TimeNS%5e6 > 600_000 {
			t.Fatalf("lane %d: a record %d ns after the grid", r.Lane, r.TimeNS%5e6)
		}
	}
	if r, _ := sink.Last(0); n != 2 || r.Counts[0] < 200_000 {
		t.Errorf("%d starts, counted %v", n, r.Counts)
	}
}

func TestMultiplexedCountsAreScaled(t *testing.T) {
	g := newGroup(syscalls{}, 0, make([]member, 1))
	total := make([]uint64, 1)
	for _, c := range []struct {
		name             string
		enabled, running uint64
		count, want      uint64
		multiplexed      bool
	}{
		{"always ran", 5e6, 5e6, 100, 100, false},
		{"ran half of the time", 10e6, 7.5e6, 200, 300, true},
		{"crossed a record", 9e6, 7e6, 150, 300, false},
		{"did not run at all", 20e6, 7.5e6, 200, 300, true},
		{"made up for that", 25e6, 12.5e6, 300, 600, true},
		{"always ran again", 30e6, 17.5e6, 350, 650, false},
	} {
		if got := g.accumulate(Sample{Enabled: c.enabled, Running: c.running, Counts: []uint64{0, c.count}},
			total); got != c.multiplexed {
			t.Errorf("%s: multiplexed %v", c.name, got)
		}
		if total[0] != c.want {
			t.Errorf("%s: total %d, want %d", c.name, total[0], c.want)
		}
	}
}

// A machine on which every call takes a period gets its timer, at some phase.
func TestSlowMachineStartsAtAnyPhase(t *testing.T) {
	clock, calls := int64(0), 0
	slow := func() error { calls++; clock += 10; return nil }
	err := TimerPhase{PeriodNS: 10, PhaseNS: 3, SlackNS: 2}.Start(func() int64 {
		if calls > 100 {
			t.Fatal("no end")
		}
		return clock
	}, func(until int64) { clock = until }, 100, slow, slow)
	if err != nil || calls < 2 || calls > 10 || clock > 120 {
		t.Errorf("%v, %d calls until %d", err, calls, clock)
	}
}

func TestNextPhase(t *testing.T) {
	for _, c := range []struct{ now, period, phase, want int64 }{
		{0, 10, 0, 0}, {1, 10, 0, 10}, {1, 10, 5, 5}, {5, 10, 5, 5}, {6, 10, 5, 15}, {99, 10, 12, 102}, {92, 10, 12, 92},
	} {
		if got := NextPhase(c.now, c.period, c.phase); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
