package jobevent

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/perf"
	"jobgait/agent/rawcall"
)

// group is the events of one CPU, led by the clock. Its counts continue when it is closed and opened again.
type group struct {
	cpu     int
	fds     []int
	buf     []byte
	counts  []uint64
	tallies []eventTotal
	totals  []uint64
}

// newGroup returns a group for n events, not open.
func newGroup(cpu, n int) *group {
	return &group{cpu: cpu, buf: make([]byte, 24+8*n), counts: make([]uint64, n), tallies: make([]eventTotal, n),
		totals: make([]uint64, n)}
}

// open opens the group's events, disabled: a sibling added to a running leader may stay 0 for ever.
func (g *group) open(open perf.Opener, pid, flags int, events []event) error {
	for _, e := range events {
		a := e.attr(timeFormat|unix.PERF_FORMAT_GROUP, 0)
		leader := -1
		if len(g.fds) > 0 {
			leader = g.fds[0]
			a.Bits &^= unix.PerfBitDisabled
		}
		fd, err := open(&a, pid, g.cpu, leader, flags)
		if err != nil {
			return errors.Join(fmt.Errorf("open the perf event %s on CPU %d: %w", e.name, g.cpu, err), g.close())
		}
		g.fds = append(g.fds, fd)
	}
	for i := range g.tallies {
		g.tallies[i].restart()
	}
	return nil
}

// control enables or disables the group.
func (g *group) control(request uint) error {
	if len(g.fds) == 0 {
		return nil
	}
	return perf.Ioctl(g.fds[0], request, unix.PERF_IOC_FLAG_GROUP)
}

// read reads the group and passes its totals to the sink; of a CPU without open events the unchanged totals.
// wanted and ran are the ns for which the events were enabled and counted since the last read.
func (g *group) read(to counter.Sink, lane int) (wanted, ran uint64, err error) {
	before := rawcall.Now()
	if len(g.fds) > 0 {
		n, _, code := unix.RawSyscall(unix.SYS_READ, uintptr(g.fds[0]), uintptr(unsafe.Pointer(&g.buf[0])),
			uintptr(len(g.buf)))
		if code != 0 {
			return 0, 0, fmt.Errorf("on CPU %d: %w", g.cpu, code)
		}
		enabled, running, err := parseGroup(g.buf[:n], g.counts)
		if err != nil {
			return 0, 0, fmt.Errorf("on CPU %d: %w", g.cpu, err)
		}
		for i := range g.tallies {
			wanted, ran = g.tallies[i].add(g.counts[i], enabled, running)
			g.totals[i] = g.tallies[i].total
		}
	}
	to.Read(lane, before+(rawcall.Now()-before)/2, g.totals)
	return wanted, ran, nil
}

// close closes the events and keeps the counts.
func (g *group) close() error {
	var first error
	for i := len(g.fds) - 1; i >= 0; i-- {
		first = errors.Join(first, unix.Close(g.fds[i]))
	}
	g.fds = nil
	return first
}
