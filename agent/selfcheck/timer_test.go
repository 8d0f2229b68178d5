package selfcheck

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/perf"
	"jobgait/agent/profile"
)

// load is what slows the loop down.
type load interface {
	on() error
	off() error
	// drain takes what was recorded since.
	drain() (records int64, err error)
}

// timer is the group that the sampler has on every CPU, a cpu-clock leader with
// counters that are free anywhere, on one CPU and at another rate. How many
// counters there are makes no difference that could be measured.
type timer struct {
	fds   []int
	ring  *perf.Ring
	scope string
}

// openTimer opens it for a whole CPU, else for the calling thread, with kernel
// code if that is permitted.
func openTimer(open perf.Opener, cpu int, hz float64) (*timer, error) {
	var first error
	for _, try := range []struct {
		scope    string
		pid, cpu int
		bits     uint64
	}{
		{"cpu", -1, cpu, 0},
		{"task", 0, -1, 0},
		{"task", 0, -1, unix.PerfBitExcludeKernel},
	} {
		t := &timer{scope: try.scope}
		err := t.open(open, try.pid, try.cpu, hz, try.bits)
		if err == nil {
			return t, nil
		}
		if first == nil {
			first = err
		}
		if err := t.close(); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("open timer: %w", first)
}

func (t *timer) open(open perf.Opener, pid, cpu int, hz float64, bits uint64) error {
	leader := perf.Timer(int64(1e9/hz), unix.PERF_SAMPLE_READ|unix.PERF_SAMPLE_TIME)
	leader.Read_format = unix.PERF_FORMAT_GROUP | unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING
	leader.Bits |= bits
	group := -1
	for i, config := range []uint64{0, unix.PERF_COUNT_SW_CONTEXT_SWITCHES, unix.PERF_COUNT_SW_PAGE_FAULTS,
		unix.PERF_COUNT_SW_CPU_MIGRATIONS} {
		attr := leader
		if i > 0 {
			attr = unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Config: config, Read_format: leader.Read_format,
				Bits: leader.Bits &^ (unix.PerfBitDisabled | unix.PerfBitWatermark), Clockid: leader.Clockid}
			attr.Size = uint32(unsafe.Sizeof(attr))
		}
		fd, err := open(&attr, pid, cpu, group, 0)
		if err != nil {
			return err
		}
		t.fds = append(t.fds, fd)
		group = t.fds[0]
	}
	// A record of four counts has 72 bytes: room for a second.
	ring, err := perf.MapRing(t.fds[0], perf.Pages(int(hz)*80))
	t.ring = ring
	return err
}

func (t *timer) on() error {
	return perf.Ioctl(t.fds[0], unix.PERF_EVENT_IOC_ENABLE, unix.PERF_IOC_FLAG_GROUP)
}

func (t *timer) off() error {
	return perf.Ioctl(t.fds[0], unix.PERF_EVENT_IOC_DISABLE, unix.PERF_IOC_FLAG_GROUP)
}

func (t *timer) drain() (int64, error) {
	var records int64
	err := t.ring.Drain(func(h perf.Header, body []byte) {
		if h.Type == unix.PERF_RECORD_SAMPLE {
			records++
		}
		records += perf.LostRecords(h, body) // they interrupted all the same
	})
	return records, err
}

func (t *timer) close() error {
	var all error
	if t.ring != nil {
		all = t.ring.Close()
		t.ring = nil
	}
	for _, fd := range t.fds {
		all = errors.Join(all, os.NewSyscallError("close", unix.Close(fd)))
	}
	t.fds = nil
	return all
}

// sources are counters as they are shipped.
type sources struct {
	list []counter.Source
	n    tally
}

func (s *sources) on() error {
	for _, c := range s.list {
		if err := c.Start(); err != nil {
			return err
		}
	}
	return nil
}

func (s *sources) off() error {
	var all error
	for _, c := range s.list {
		all = errors.Join(all, c.Stop())
	}
	return all
}

func (s *sources) drain() (int64, error) {
	var all error
	s.n = 0
	for _, c := range s.list {
		all = errors.Join(all, c.Drain(&s.n))
	}
	return int64(s.n), all
}

// tally is a sink that only counts records.
type tally int64

func (t *tally) Record(int, int64, []uint64) {}
func (t *tally) Read(int, int64, []uint64)   {}
func (t *tally) Hit(int64, uint64, uint8)    {}
func (t *tally) Ran(int, uint64, uint64)     {}
func (t *tally) Changed(profile.Epoch)       {}
func (t *tally) Drained(n int64)             { *t += tally(n) }
func (t *tally) Lost(n int64)                { *t += tally(n) }
