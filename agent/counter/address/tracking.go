package address

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"jobgait/agent/cgroup"
	"jobgait/agent/counter/perf"
)

// CgroupFinder finds the job's cgroup in the hierarchy of perf events, while it exists; cgroup.Finder implements
// it.
type CgroupFinder interface {
	Perf() (cgroup.FoundDir, bool)
}

// tracking is the state of the tracking events. There is one on each CPU, which counts nothing: it writes the
// records of mappings, forks, execs and exits into the ring of that CPU's timer. The timers, which must fire at
// fixed times, cannot be limited to a cgroup without losing their phase; tracking events can. If the job has a
// cgroup, they are limited to it, and what its neighbors map and fork is never recorded. Otherwise they record
// the whole node, and storm.go limits what neighbors can make of that.
//
// Under `jobgait run` the timers are limited to the command and write these records themselves.
type tracking struct {
	attr unix.PerfEventAttr
	// dir is the cgroup to which the events are limited; zero means the whole node.
	dir cgroup.FoundDir
	// failed is a cgroup on which events could not be opened. It is tried again at retryNS; waitNS is the interval,
	// which doubles each time.
	failed          cgroup.FoundDir
	retryNS, waitNS int64
}

// limited reports whether only records of the job's cgroup arrive.
func (t *tracking) limited() bool { return t.dir != cgroup.FoundDir{} }

// trackCPU opens the tracking event of a CPU, unless it is open, and enables it if tracking is on. For a
// command it does nothing.
func (s *Sampler) trackCPU(c *cpu) error {
	if s.p.Root != 0 {
		return nil
	}
	if c.tracker < 0 {
		from, err := openTracked(s.tracking.dir)
		if err != nil {
			return err
		}
		defer from.close()
		if c.tracker, err = s.openTracker(c, from); err != nil {
			return err
		}
	}
	return s.enableTracker(c)
}

// tracked names the processes that a tracking event records, as perf_event_open takes it: those of a cgroup by an
// open descriptor of its directory, or all of the node.
type tracked struct{ pid, flags int }

// openTracked opens a cgroup for tracking events; the zero directory means the whole node. The caller must close the
// result.
func openTracked(dir cgroup.FoundDir) (tracked, error) {
	if dir == (cgroup.FoundDir{}) {
		return tracked{pid: -1}, nil
	}
	fd, err := dir.Open()
	return tracked{fd, unix.PERF_FLAG_PID_CGROUP}, err
}

// close closes the directory; the events that were opened on it remain.
func (t tracked) close() {
	if t.flags != 0 {
		_ = unix.Close(t.pid)
	}
}

// openTracker opens a tracking event that writes into the ring of a CPU's timer, disabled. It returns -1 on an error.
func (s *Sampler) openTracker(c *cpu, from tracked) (int, error) {
	fd, err := s.open(&s.tracking.attr, from.pid, c.number, -1, from.flags)
	if err != nil {
		return -1, fmt.Errorf("open the perf event that tracks processes on CPU %d: %w", c.number, err)
	}
	if err := perf.Ioctl(fd, unix.PERF_EVENT_IOC_SET_OUTPUT, c.fd); err != nil {
		return -1, errors.Join(fmt.Errorf("write the perf records of processes on CPU %d into the ring of its timer: %w",
			c.number, err), unix.Close(fd))
	}
	return fd, nil
}

// enableTracker enables a CPU's tracking event if sampling is on and tracking is not paused.
func (s *Sampler) enableTracker(c *cpu) error {
	if c.tracker < 0 || !s.on || s.storm.paused() {
		return nil
	}
	return perf.Ioctl(c.tracker, unix.PERF_EVENT_IOC_ENABLE, 0)
}

// disableTrackers disables the tracking events of all CPUs.
func (s *Sampler) disableTrackers() error {
	var all error
	for _, c := range s.cpus {
		if c.tracker >= 0 {
			all = errors.Join(all, perf.Ioctl(c.tracker, unix.PERF_EVENT_IOC_DISABLE, 0))
		}
	}
	return all
}

// closeTracker closes a CPU's tracking event, if open.
func (c *cpu) closeTracker() error {
	if c.tracker < 0 {
		return nil
	}
	fd := c.tracker
	c.tracker = -1
	return unix.Close(fd)
}

// followCgroup limits the tracking events to the job's cgroup when it appears, and lifts the limit when it is
// removed. If they cannot be opened on the cgroup (Linux 6.1 and older, until a controller is enabled above it),
// they keep recording the whole node, and it is tried again later.
func (s *Sampler) followCgroup(now int64) error {
	if s.p.Find == nil || s.p.Root != 0 || !s.on {
		return nil
	}
	dir, _ := s.p.Find.Perf()
	t := &s.tracking
	switch {
	case dir == t.dir:
		return nil
	case dir != t.failed:
		t.waitNS = 0
	case now < t.retryNS:
		return nil
	}
	err := s.trackOnlyCgroup(dir, now)
	if err == nil {
		t.failed, t.waitNS = cgroup.FoundDir{}, 0
		return nil
	}
	t.waitNS = min(max(2*t.waitNS, 1e9), 64e9)
	t.failed, t.retryNS = dir, now+t.waitNS
	return fmt.Errorf("limit the perf records of processes to the job's cgroup: %w: those of other jobs are recorded too "+
		"until a later try succeeds", err)
}

// trackOnlyCgroup replaces the tracking events by events limited to a cgroup, or by events of the whole node for
// the zero directory. The old events are closed only after all new ones record, so that no record is lost; a
// record that arrives twice changes nothing. After an error the old events remain.
func (s *Sampler) trackOnlyCgroup(dir cgroup.FoundDir, now int64) error {
	from, err := openTracked(dir)
	if err != nil {
		return err
	}
	defer from.close()
	opened := map[*cpu]int{}
	for _, c := range s.cpus {
		if c.fd < 0 {
			continue
		}
		fd, failed := s.openTracker(c, from)
		if errors.Is(failed, unix.ENODEV) {
			continue // went offline
		}
		if failed == nil {
			opened[c], failed = fd, perf.Ioctl(fd, unix.PERF_EVENT_IOC_ENABLE, 0)
		}
		if err = failed; err != nil {
			break
		}
	}
	if err != nil {
		for _, fd := range opened {
			err = errors.Join(err, unix.Close(fd))
		}
		return err
	}
	s.tracking.dir = dir
	if s.storm.paused() { // the new events are enabled; the note on the pause stays
		s.storm.end(now)
	}
	for c, fd := range opened {
		err = errors.Join(err, c.closeTracker())
		c.tracker = fd
	}
	return err
}
