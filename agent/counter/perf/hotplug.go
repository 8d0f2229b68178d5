package perf

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
)

// follow closes the groups of CPUs that went offline and opens those of CPUs
// that came back. A group does not outlive its CPU, though nothing says so:
// reading it gives the last counts without an error, and enabling it again
// "succeeds". A CPU that was away and back between two drains is found by the
// time enabled, which stands still.
func (c *Counters) follow(to counter.Sink) {
	_, err := c.online.Read()
	is := func(cpu int) bool { return err != nil || c.online.Has(cpu) }
	var gone []int
	var absent []*lane
	for _, l := range c.lanes {
		if l.g != nil && (l.dead() || !is(l.cpu)) {
			l.g.close()
			l.g = nil
			gone = append(gone, l.cpu)
		}
		if l.g == nil && is(l.cpu) {
			absent = append(absent, l)
		}
	}
	c.tell(to, gone, "went offline: nothing is counted there")
	c.tell(to, c.reopen(absent), "came online: counted from here on")
}

// maxPlugs is how many times it is said that CPUs came or went. The note says
// that they do; a profile must not grow with each.
const maxPlugs = 64

func (c *Counters) tell(to counter.Sink, cpus []int, what string) {
	if len(cpus) == 0 || c.plugs >= maxPlugs {
		return
	}
	c.plugs++
	text := fmt.Sprintf("CPU %s %s", formatCPUs(cpus), what)
	to.Changed(profile.Epoch{Kind: "hotplug", TimeNS: c.k.now(), Text: text})
	c.remark(note.CPUsChanged, "CPUs went offline or came online while the job ran (first: %s)", text)
}

// reopen returns the CPUs of those lanes that count again.
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
			l.g.close()
			l.g = nil
		}
		if !errors.Is(err, unix.ENODEV) {
			c.remark(note.LostSamples, "a CPU that came online is not counted: %v", err)
		}
	}
	return back
}

// deadNS is how long a group must be looked at before it is called dead.
const deadNS = 100e6

// dead tells whether the group's time stands still.
func (l *lane) dead() bool {
	wall := l.seen - l.alive.TimeNS
	if wall < deadNS {
		return false
	}
	grown := int64(l.ran.Enabled - l.alive.Enabled)
	l.alive.TimeNS, l.alive.Enabled = l.seen, l.ran.Enabled
	return grown < wall/4
}
