package jobevent

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"golang.org/x/sys/unix"

	"jobgait/agent/cgroup"
	"jobgait/agent/counter"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
)

// followCgroup opens the events of the job's cgroup when it appears, again after CPU hotplug, and those of
// another cgroup in its place. While there is no cgroup, the counts stand still. After a failure it retries at
// doubling intervals.
func (c *Cgroup) followCgroup(to counter.Sink) error {
	now := rawcall.Now()
	c.looked = true
	dir, ok := c.p.Find.Perf()
	if !ok {
		return c.closeRemoved(to)
	}
	plugged := c.opened && c.hotplugged(now)
	if dir == c.dir && !plugged && (c.opened || now < c.retry) {
		return nil
	}
	if dir != c.dir {
		c.wait, plugged = 0, false
	}
	again := c.opened
	if again { // what it counted until now
		if err := c.read(to); err != nil {
			return err
		}
	}
	c.dir, c.failed = dir, c.openGroups(dir)
	if c.failed != nil {
		// A controller may be enabled later, or the directory be made
		// again: tried in 1, 2, 4 .. 64 s.
		c.opened = false
		c.wait = min(max(2*c.wait, 1e9), 64e9)
		c.retry = now + c.wait
		return fmt.Errorf("count events of the job's cgroup: %w: it is tried again later", c.failed)
	}
	e := profile.Epoch{TimeNS: now, Kind: "scope", Text: "the job's cgroup appeared: its events are counted from here on"}
	switch {
	case plugged:
		e.Kind, e.Text = "hotplug", fmt.Sprintf("%d CPUs are online: the job's events are counted on these",
			len(c.online.CPUs()))
	case again:
		e.Text = "the job's cgroup was made again: its events are counted on"
	}
	c.opened = true
	to.Changed(e)
	return nil
}

// closeRemoved reads and closes the events of a cgroup that was removed. Open events would hold descriptors and
// keep the kernel's data of the cgroup on every CPU.
func (c *Cgroup) closeRemoved(to counter.Sink) error {
	if c.dir == (cgroup.FoundDir{}) {
		return nil
	}
	var err error
	if c.opened {
		err = c.read(to)
	}
	c.dir = cgroup.FoundDir{} // found again, it is opened again
	return errors.Join(err, c.Close())
}

// hotplugged reports, about once a second, whether CPUs came or went since the last check. An event of a CPU
// that went offline does not count when the CPU comes back; it must be opened again.
func (c *Cgroup) hotplugged(now int64) bool {
	if now < c.nextOnlineNS {
		return false
	}
	c.nextOnlineNS = now + 750e6 + rand.Int64N(500e6)
	changed, err := c.online.Read()
	return err == nil && changed
}

// openGroups closes the groups of all CPUs and opens them on a cgroup directory, which must still be the one that was
// found. It enables them if the source is started. It skips offline CPUs, whose counts stay as they are, and returns
// ENODEV if all are offline. If a group cannot be opened, it closes all.
func (c *Cgroup) openGroups(dir cgroup.FoundDir) error {
	fd, err := dir.Open()
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := c.closeGroups(); err != nil {
		return err
	}
	open := 0
	for _, g := range c.groups {
		err := g.open(c.open, fd, unix.PERF_FLAG_PID_CGROUP, c.events)
		if errors.Is(err, unix.ENODEV) {
			continue
		}
		if err == nil && c.on {
			err = g.control(unix.PERF_EVENT_IOC_ENABLE)
		}
		if err != nil {
			return errors.Join(err, c.closeGroups())
		}
		open++
	}
	if open == 0 {
		return unix.ENODEV
	}
	return nil
}
