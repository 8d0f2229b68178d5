package perf

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// member is a sibling of a group: its attributes, and its column.
type member struct {
	column int
	attr   unix.PerfEventAttr
}

// group is a group of events on one CPU: the leader, its siblings, and the ring buffer of its records.
type group struct {
	k           syscalls
	cpu         int
	fds         []int // leader first
	members     []member
	columns     []int // columns of the members, kept separately because every record needs them
	ring        *Ring
	counts      []uint64 // of the last parsed record, leader first
	readCounts  []uint64 // of the last read
	buf         []byte
	last        Sample // last accumulated sample, with its own copy of the counts
	uncountedNS uint64 // time enabled since the group last ran, in ns
}

// newGroup returns a group without open events.
func newGroup(k syscalls, cpu int, members []member) *group {
	n := len(members) + 1
	g := &group{k: k, cpu: cpu, members: members, counts: make([]uint64, n), readCounts: make([]uint64, n),
		buf: make([]byte, 24+8*n), last: Sample{Counts: make([]uint64, n)}}
	for _, m := range members {
		g.columns = append(g.columns, m.column)
	}
	return g
}

// openGroup opens a group's leader, disabled, and its members on a CPU.
func openGroup(k syscalls, cpu int, periodNS int64, members []member) (*group, error) {
	g := newGroup(k, cpu, members)
	a := leaderAttr(periodNS)
	fd, err := k.open(&a, -1, cpu, -1, 0)
	if err != nil {
		return nil, fmt.Errorf("open the perf event cpu-clock on CPU %d: %w", cpu, err)
	}
	g.fds = append(g.fds, fd)
	for _, m := range members {
		a := siblingAttr(m.attr)
		fd, err := k.open(&a, -1, cpu, g.fds[0], 0)
		if err != nil {
			g.close()
			return nil, fmt.Errorf("open perf event type %d config %#x on CPU %d: %w", m.attr.Type, m.attr.Config, cpu, err)
		}
		g.fds = append(g.fds, fd)
	}
	return g, nil
}

// ringNS is for how many ns of records a ring has room. minPages is the smallest ring that is used: 16 KiB hold
// half a second at 200 Hz.
const (
	ringNS   = 4e9
	minPages = 4
)

// recordSize returns the size in bytes of a record of a group with the given number of siblings.
func recordSize(siblings int) int { return headerSize + 8 + 24 + 8*(siblings+1) }

// errMemoryLock means that the user may not lock more memory (perf_event_mlock_kb and RLIMIT_MEMLOCK).
var errMemoryLock = errors.New("it exceeds the memory that may be locked: raise kernel.perf_event_mlock_kb")

// mapRing maps the ring of the group's leader; errMemoryLock if the user may not lock that much memory.
func (g *group) mapRing(pages int) error {
	ring, err := g.k.mmap(g.fds[0], pages)
	if errors.Is(err, unix.EPERM) {
		err = fmt.Errorf("%w: %w", errMemoryLock, err)
	}
	if err != nil {
		return fmt.Errorf("map the buffer of records of CPU %d: %w", g.cpu, err)
	}
	g.ring = ring
	return nil
}

// enable starts counting of the whole group.
func (g *group) enable() error {
	return g.k.ioctl(g.fds[0], unix.PERF_EVENT_IOC_ENABLE, unix.PERF_IOC_FLAG_GROUP)
}

// disable stops counting of the whole group.
func (g *group) disable() error {
	return g.k.ioctl(g.fds[0], unix.PERF_EVENT_IOC_DISABLE, unix.PERF_IOC_FLAG_GROUP)
}

// Ioctl calls ioctl(2) with a number as its argument.
func Ioctl(fd int, request uint, arg int) error {
	if err := unix.IoctlSetInt(fd, request, arg); err != nil {
		return os.NewSyscallError("ioctl", err)
	}
	return nil
}

// reading is a sample that read(2) returned, taken at some time between before and after (CLOCK_MONOTONIC ns).
type reading struct {
	Sample
	before, after int64
}

// read reads the counts of the group now, which interrupts its CPU.
func (g *group) read() (reading, error) {
	r := reading{before: g.k.now()}
	n, err := g.k.read(g.fds[0], g.buf)
	r.after = g.k.now()
	if err != nil {
		return r, fmt.Errorf("read the CPU time and hardware counters of CPU %d: %w", g.cpu, err)
	}
	if r.Sample, err = parseGroup(g.buf[:n], g.readCounts); err != nil {
		return r, fmt.Errorf("read the CPU time and hardware counters of CPU %d: %w", g.cpu, err)
	}
	r.TimeNS = r.before + (r.after-r.before)/2
	return r, nil
}

// placeReading returns a reading with its time computed from its enabled time and the last sample, within the
// call. The call itself takes milliseconds if the agent has to wait for a CPU.
func (g *group) placeReading(r reading) Sample {
	r.TimeNS = min(max(g.last.TimeNS+int64(r.Enabled-g.last.Enabled), r.before), r.after)
	return r.Sample
}

// accumulate adds a sample's increments to the totals and reports whether the group was multiplexed since the
// last sample. A sample older than the last one is ignored. Counts of part of the time are scaled by enabled
// / running for each interval, as perf stat does; an interval without any count is included in the next one
// with counts.
func (g *group) accumulate(s Sample, total []uint64) (multiplexed bool) {
	if s.Enabled < g.last.Enabled {
		return false // a read and a record that crossed
	}
	enabled, running := s.Enabled-g.last.Enabled+g.uncountedNS, s.Running-g.last.Running
	// Reading the two times is not exact to the nanosecond.
	multiplexed = running+running/1000+1000 < enabled
	if g.uncountedNS = 0; running == 0 {
		g.uncountedNS = enabled
	}
	n := min(len(g.columns), len(s.Counts)-1)
	counts, last := s.Counts[1:n+1], g.last.Counts[1:n+1]
	for i, column := range g.columns[:n] {
		now, was := counts[i], last[i]
		if now <= was {
			continue
		}
		d := now - was
		if multiplexed && running > 0 {
			d = uint64(float64(d) * float64(enabled) / float64(running))
		}
		total[column] += d
		last[i] = now
	}
	g.last.TimeNS, g.last.Enabled, g.last.Running = s.TimeNS, s.Enabled, s.Running
	return multiplexed
}

// dropFrom closes the members with this column or a higher one. Their totals stand still; records already in
// the ring still contain them.
func (g *group) dropFrom(column int) error {
	var first error
	for n := len(g.members); n > 0 && g.members[n-1].column >= column; n-- {
		if err := unix.Close(g.fds[n]); err != nil && first == nil {
			first = err
		}
		g.members, g.columns, g.fds = g.members[:n-1], g.columns[:n-1], g.fds[:n]
	}
	return first
}

// close unmaps the ring and closes all events.
func (g *group) close() error {
	var first error
	if g.ring != nil {
		first = g.ring.Close()
	}
	for i := len(g.fds) - 1; i >= 0; i-- {
		if err := unix.Close(g.fds[i]); err != nil && first == nil {
			first = err
		}
	}
	g.fds = nil
	return first
}
