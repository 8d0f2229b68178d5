package perf

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/job/jobtest"
)

// host is the machine of the test.
func host() kernel.Roots { return kernel.Roots{Proc: "/proc", Sys: "/sys"} }

// open opens real counters or skips.
func open(t testing.TB) *Counters {
	c, err := NewCounters(Open, host(), nil, 5e6)
	if err != nil {
		t.Skipf("perf events of whole CPUs are not available: %v", err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// keepBusy makes page faults and switches until it is done.
func keepBusy(t *testing.T, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !done() {
		mem, err := unix.Mmap(-1, 0, 2000*os.Getpagesize(), unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
		if err != nil {
			t.Fatal(err)
		}
		unix.Madvise(mem, unix.MADV_NOHUGEPAGE)
		for i := 0; i < len(mem); i += os.Getpagesize() {
			mem[i] = 1
		}
		unix.Munmap(mem)
		jobtest.WorkloadPause(time.Millisecond) // a switch
		if time.Now().After(deadline) {
			t.Fatal("nothing in 20 s")
		}
	}
}

// A group that is enabled wrongly has siblings that stay 0 forever without an error: every event that certainly
// happens must increase.
func TestRealCountersMove(t *testing.T) {
	c := open(t)
	sink := &countertest.Sink{}
	moved := func(name string) bool {
		i := column(t, c, name)
		var sum uint64
		for lane := range c.Lanes() {
			if last, ok := sink.Last(lane); ok {
				sum += last.Counts[i]
			}
		}
		return sum > 0
	}
	keepBusy(t, func() bool {
		if err := c.Drain(sink); err != nil {
			t.Fatal(err)
		}
		return moved("context_switches") && moved("page_faults") && sink.DrainedRecords > 10
	})
	at := map[int]int64{}
	for _, r := range sink.Readings {
		if r.TimeNS < at[r.Lane] {
			t.Errorf("lane %d: %d after %d", r.Lane, r.TimeNS, at[r.Lane])
		}
		at[r.Lane] = r.TimeNS
	}
	if len(at) != c.Lanes() {
		t.Errorf("%d of %d lanes gave readings", len(at), c.Lanes())
	}
	for i, e := range c.events {
		if sink.Enabled[i] == 0 || sink.Running[i] > sink.Enabled[i] {
			t.Errorf("%s: enabled %d, ran %d", e.Name, sink.Enabled[i], sink.Running[i])
		}
	}
	for _, l := range c.lanes {
		for _, fd := range l.group.fds {
			if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
				t.Errorf("descriptor %d would pass to a child: flags %d, %v", fd, flags, err)
			}
		}
	}
	if len(sink.Epochs) > 0 {
		t.Errorf("epochs %+v", sink.Epochs)
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
		jobtest.WorkloadPause(5 * time.Millisecond)
		for _, l := range c.lanes {
			l.group.ring.Drain(func(h Header, body []byte) {
				if s, err := parseSample(body, l.group.counts); err == nil {
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

func onlineCPUs(t *testing.T) int {
	cpus, err := kernel.OnlineCPUs("/sys")
	if err != nil {
		t.Fatal(err)
	}
	return len(cpus)
}
