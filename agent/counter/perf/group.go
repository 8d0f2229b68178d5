package perf

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// group is the leader and its siblings on one CPU, with their ring.
type group struct {
	cpu    int
	fds    []int // leader first
	ring   *Ring
	counts []uint64 // of the last parse, leader first
	asked  []uint64 // of the last read
	buf    []byte
	total  []uint64 // counts so far, scaled for multiplexing, without the leader
	last   Sample   // with counts of its own
	began  int64    // when it was enabled, until that was handed over
}

func openGroup(open Opener, cpu int, periodNS int64, events []Event) (*group, error) {
	n := len(events)
	g := &group{cpu: cpu, counts: make([]uint64, n+1), asked: make([]uint64, n+1), buf: make([]byte, 24+8*(n+1)),
		total: make([]uint64, n), last: Sample{Counts: make([]uint64, n+1)}}
	a := leader(periodNS)
	fd, err := open(&a, -1, cpu, -1, 0)
	if err != nil {
		return nil, fmt.Errorf("open cpu-clock on CPU %d: %w", cpu, err)
	}
	g.fds = append(g.fds, fd)
	for _, e := range events {
		a := sibling(e)
		fd, err := open(&a, -1, cpu, g.fds[0], 0)
		if err != nil {
			g.close()
			return nil, fmt.Errorf("open %s on CPU %d: %w", e.Name, cpu, err)
		}
		g.fds = append(g.fds, fd)
	}
	return g, nil
}

// mapRing maps room for four seconds of records.
func (g *group) mapRing(periodNS int64) error {
	record := headerSize + 8 + len(g.buf)
	ring, err := MapRing(g.fds[0], Pages(int(4e9/periodNS)*record))
	if err != nil {
		return fmt.Errorf("group of CPU %d: %w", g.cpu, err)
	}
	g.ring = ring
	return nil
}

func (g *group) enable() error {
	g.began = Now()
	return Ioctl(g.fds[0], unix.PERF_EVENT_IOC_ENABLE, unix.PERF_IOC_FLAG_GROUP)
}

func (g *group) disable() error {
	return Ioctl(g.fds[0], unix.PERF_EVENT_IOC_DISABLE, unix.PERF_IOC_FLAG_GROUP)
}

// Ioctl is ioctl(2) with a number as its argument.
func Ioctl(fd int, request uint, arg int) error {
	if err := unix.IoctlSetInt(fd, request, arg); err != nil {
		return os.NewSyscallError("ioctl", err)
	}
	return nil
}

// read reads the group now, through an interrupt on its CPU. The time is the
// middle of the call.
func (g *group) read() (Sample, error) {
	before := Now()
	n, err := unix.Read(g.fds[0], g.buf)
	after := Now()
	if err != nil {
		return Sample{}, fmt.Errorf("read group of CPU %d: %w", g.cpu, err)
	}
	s, err := parseGroup(g.buf[:n], g.asked)
	s.TimeNS = before + (after-before)/2
	return s, err
}

// add counts a sample into the totals and tells whether the group was
// multiplexed since the last one. Counts that were taken for part of the time
// are scaled by enabled / running, as perf stat does, here for each interval.
func (g *group) add(s Sample) (multiplexed bool) {
	enabled, running := s.Enabled-g.last.Enabled, s.Running-g.last.Running
	// Reading the two times is not exact to the nanosecond.
	multiplexed = running+running/1000+1000 < enabled
	for i := range g.total {
		now, was := s.Counts[i+1], g.last.Counts[i+1]
		if now <= was {
			continue // a read and a record that crossed
		}
		d := now - was
		if multiplexed && running > 0 {
			d = uint64(float64(d) * float64(enabled) / float64(running))
		}
		g.total[i] += d
		g.last.Counts[i+1] = now
	}
	g.last.TimeNS, g.last.Enabled, g.last.Running = s.TimeNS, s.Enabled, s.Running
	return multiplexed
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
