package perf

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
)

// followHotplug closes the groups of CPUs that went offline and opens groups on those that came back. A group
// stops counting with its CPU without any error: reading it gives the last counts, and enabling it again
// "succeeds". A CPU that went offline and came back between two drains is found by the enabled time, which
// stands still.
func (c *Counters) followHotplug(to counter.Sink) {
	_, err := c.online.Read()
	is := func(cpu int) bool { return err != nil || c.online.Has(cpu) }
	var gone []int
	var absent []*lane
	for _, l := range c.lanes {
		if l.group != nil && (l.standsStill() || !is(l.cpu)) {
			l.group.close()
			l.group = nil
			gone = append(gone, l.cpu)
		}
		if l.group == nil && is(l.cpu) {
			absent = append(absent, l)
		}
	}
	c.recordHotplug(to, gone, "went offline: nothing is counted there")
	c.recordHotplug(to, c.reopen(absent), "came online: counted from here on")
}

// maxPlugs limits the recorded hotplug epochs, so that a profile does not grow with each change.
const maxPlugs = 64

// recordHotplug records an epoch that these CPUs came or went, at most maxPlugs times in a run, and a note at
// the first time.
func (c *Counters) recordHotplug(to counter.Sink, cpus []int, what string) {
	if len(cpus) == 0 || c.hotplugEpochs >= maxPlugs {
		return
	}
	c.hotplugEpochs++
	text := fmt.Sprintf("CPU %s %s", formatCPUs(cpus), what)
	to.Changed(profile.Epoch{Kind: "hotplug", TimeNS: c.k.now(), Text: text})
	c.noteOnce(note.CPUsChanged, "CPUs went offline or came online while the job ran (first: %s)", text)
}

// reopen opens and starts groups on these lanes and returns the CPUs that count again.
func (c *Counters) reopen(lanes []*lane) (back []int) {
	if len(lanes) == 0 {
		return nil
	}
	// CPUs are in no PMU's mask while they are offline.
	c.machine.cores = readCores(c.roots.Sys)
	late := c.k.now() + PhaseLimit
	for _, l := range lanes {
		err := c.open(l)
		if err == nil {
			if err = c.enable(l, late); err == nil {
				back = append(back, l.cpu)
				continue
			}
			l.group.close()
			l.group = nil
		}
		if !errors.Is(err, unix.ENODEV) {
			c.noteOnce(note.LostSamples, "a CPU that came online is not counted: %v", err)
		}
	}
	return back
}

// deadNS is the least time, in ns, over which standsStill compares clocks.
const deadNS = 100e6

// standsStill reports whether the group's enabled time grew by less than a quarter of the time that passed
// since the last check. It returns false, and does not count as a check, until deadNS have passed.
func (l *lane) standsStill() bool {
	wall := l.drainedNS - l.lastAlive.TimeNS
	if wall < deadNS {
		return false
	}
	grown := int64(l.lastRun.Enabled - l.lastAlive.Enabled)
	l.lastAlive.TimeNS, l.lastAlive.Enabled = l.drainedNS, l.lastRun.Enabled
	return grown < wall/4
}
