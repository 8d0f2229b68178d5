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

// group is the leader and its siblings on one CPU, with their ring.
type group struct {
	k       calls
	cpu     int
	fds     []int // leader first
	members []member
	columns []int // of the members: these are needed for every record
	ring    *Ring
	counts  []uint64 // of the last parse, leader first
	asked   []uint64 // of the last read
	buf     []byte
	last    Sample // with counts of its own
	owed    uint64 // time enabled since the group last ran
}

func newGroup(k calls, cpu int, members []member) *group {
	n := len(members) + 1
	g := &group{k: k, cpu: cpu, members: members, counts: make([]uint64, n), asked: make([]uint64, n),
		buf: make([]byte, 24+8*n), last: Sample{Counts: make([]uint64, n)}}
	for _, m := range members {
		g.columns = append(g.columns, m.column)
	}
	return g
}

func openGroup(k calls, cpu int, periodNS int64, members []member) (*group, error) {
	g := newGroup(k, cpu, members)
	a := leader(periodNS)
	fd, err := k.open(&a, -1, cpu, -1, 0)
	if err != nil {
		return nil, fmt.Errorf("open cpu-clock on CPU %d: %w", cpu, err)
	}
	g.fds = append(g.fds, fd)
	for _, m := range members {
		a := sibling(m.attr)
		fd, err := k.open(&a, -1, cpu, g.fds[0], 0)
		if err != nil {
			g.close()
			return nil, fmt.Errorf("open type %d config %#x on CPU %d: %w", m.attr.Type, m.attr.Config, cpu, err)
		}
		g.fds = append(g.fds, fd)
	}
	return g, nil
}

// ringNS is for how long a ring has room. minPages is the least that is worth
// having: 16 KiB are half a second at 200 Hz.
const (
	ringNS   = 4e9
	minPages = 4
)

// recordSize returns the size in bytes of a record of a group with the given number of siblings.
func recordSize(siblings int) int { return headerSize + 8 + 24 + 8*(siblings+1) }

// errLocked means that the user may lock no more memory: perf_event_mlock_kb and
// RLIMIT_MEMLOCK.
var errLocked = errors.New("too much memory locked")

func (g *group) mapRing(pages int) error {
	ring, err := g.k.mmap(g.fds[0], pages)
	if errors.Is(err, unix.EPERM) {
		err = fmt.Errorf("%w: %w", errLocked, err)
	}
	if err != nil {
		return fmt.Errorf("group of CPU %d: %w", g.cpu, err)
	}
	g.ring = ring
	return nil
}

func (g *group) enable() error {
	return g.k.ioctl(g.fds[0], unix.PERF_EVENT_IOC_ENABLE, unix.PERF_IOC_FLAG_GROUP)
}

func (g *group) disable() error {
	return g.k.ioctl(g.fds[0], unix.PERF_EVENT_IOC_DISABLE, unix.PERF_IOC_FLAG_GROUP)
}

// Ioctl is ioctl(2) with a number as its argument.
func Ioctl(fd int, request uint, arg int) error {
	if err := unix.IoctlSetInt(fd, request, arg); err != nil {
		return os.NewSyscallError("ioctl", err)
	}
	return nil
}

// reading is a sample that read(2) returned: true at some time between two records.
type reading struct {
	Sample
	before, after int64
}

// read reads the group now, through an interrupt on its CPU.
func (g *group) read() (reading, error) {
	r := reading{before: g.k.now()}
	n, err := g.k.read(g.fds[0], g.buf)
	r.after = g.k.now()
	if err != nil {
		return r, fmt.Errorf("read group of CPU %d: %w", g.cpu, err)
	}
	if r.Sample, err = parseGroup(g.buf[:n], g.asked); err != nil {
		return r, fmt.Errorf("read group of CPU %d: %w", g.cpu, err)
	}
	r.TimeNS = r.before + (r.after-r.before)/2
	return r, nil
}

// dated puts a reading at the time that its time enabled says, seen from the
// last sample: the call itself takes milliseconds when the agent has to wait
// for a CPU.
func (g *group) dated(r reading) Sample {
	r.TimeNS = min(max(g.last.TimeNS+int64(r.Enabled-g.last.Enabled), r.before), r.after)
	return r.Sample
}

// add counts a sample into the totals and tells whether the group was
// multiplexed since the last one. Counts that were taken for part of the time
// are scaled by enabled / running, as perf stat does, here for each interval;
// time without any count is made up for by the next interval that has some.
func (g *group) add(s Sample, total []uint64) (multiplexed bool) {
	if s.Enabled < g.last.Enabled {
		return false // a read and a record that crossed
	}
	enabled, running := s.Enabled-g.last.Enabled+g.owed, s.Running-g.last.Running
	// Reading the two times is not exact to the nanosecond.
	multiplexed = running+running/1000+1000 < enabled
	if g.owed = 0; running == 0 {
		g.owed = enabled
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

// shed gives up the members from a column on. Their counts stand still; records
// that are in the ring already still have them.
func (g *group) shed(column int) error {
	var first error
	for n := len(g.members); n > 0 && g.members[n-1].column >= column; n-- {
		if err := unix.Close(g.fds[n]); err != nil && first == nil {
			first = err
		}
		g.members, g.columns, g.fds = g.members[:n-1], g.columns[:n-1], g.fds[:n]
	}
	return first
}

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
