package perf

import (
	"errors"
	"fmt"
	"jobgait/agent/counter/kernel"
	"slices"

	"golang.org/x/sys/unix"
)

// candidate is an event that may be counted, and what was found.
type candidate struct {
	Event
	absent string // why it is not counted
}

// trial is what can be counted on a machine, and how that was found out.
type trial struct {
	k        calls
	machine  machine
	periodNS int64
	probes   []int // one CPU of each kind of core
	all      []candidate
}

// climb opens every candidate alone, then all of them as a group, and lets it
// count for sampleNS. An error means that there is not even a timer.
func climb(k calls, r kernel.Roots, cpus []int, periodNS int64) (*trial, error) {
	t := &trial{k: k, machine: readMachine(r), periodNS: periodNS}
	t.all = candidates(t.machine, r)
	if err := t.findProbes(cpus); err != nil {
		return t, err
	}
	for i := range t.all {
		if c := &t.all[i]; c.absent == "" {
			if err := t.alone(c.Event); err != nil {
				c.absent = reason(r, err)
			}
		}
	}
	if t.machine.watchdog && slices.ContainsFunc(t.all, func(c candidate) bool { return c.Hardware() && c.absent == "" }) {
		t.lack(branchMisses, watchdog)
	}
	return t, t.fit()
}

// candidates are in the order of the columns. Tracepoints without an id are
// absent already.
func candidates(m machine, r kernel.Roots) []candidate {
	var all []candidate
	for _, e := range append(hardware(m), software()...) {
		c := candidate{Event: e}
		if e.Name == anyCache {
			c.absent = unnamed
		}
		all = append(all, c)
	}
	for _, t := range tracepoints() {
		c := candidate{Event: Event{Name: t.name, Unit: t.unit, Kernel: t.subsystem + ":" + t.event, PMU: "tracepoint",
			Attr: unix.PerfEventAttr{Type: unix.PERF_TYPE_TRACEPOINT}}}
		id, err := t.id(r.Sys)
		if c.Attr.Config = id; err != nil {
			c.absent = reason(r, err)
		}
		all = append(all, c)
	}
	return all
}

// lack says why an event that could be opened is not counted.
func (t *trial) lack(name, why string) {
	for i := range t.all {
		if t.all[i].Name == name && t.all[i].absent == "" {
			t.all[i].absent = why
		}
	}
}

// findProbes takes the first CPU of each kind of core that can have a timer.
func (t *trial) findProbes(cpus []int) error {
	var kinds []int
	err := error(unix.ENODEV)
	for _, cpu := range cpus {
		kind := t.machine.core(cpu)
		if kind < 0 || slices.Contains(kinds, kind) {
			continue
		}
		var g *group
		if g, err = openGroup(t.k, cpu, t.periodNS, nil); errors.Is(err, unix.ENODEV) {
			continue // offline
		} else if err != nil {
			return err
		}
		g.close()
		kinds, t.probes = append(kinds, kind), append(t.probes, cpu)
		if len(kinds) == len(t.machine.cores) {
			return nil
		}
	}
	if len(t.probes) == 0 {
		return fmt.Errorf("open groups: %w", err)
	}
	return nil
}

// events are what is counted so far.
func (t *trial) events() []Event {
	var events []Event
	for _, c := range t.all {
		if c.absent == "" {
			events = append(events, c.Event)
		}
	}
	return events
}

// alone opens an event on one CPU of each kind of core. What one kind has not
// is not counted at all: the sum would be of some CPUs only.
func (t *trial) alone(e Event) error {
	groups, err := t.open([]Event{e})
	closeAll(groups)
	return err
}

func (t *trial) open(events []Event) ([]*group, error) {
	var groups []*group
	for _, cpu := range t.probes {
		g, err := openGroup(t.k, cpu, t.periodNS, members(events, t.machine, t.machine.core(cpu)))
		if err != nil {
			closeAll(groups)
			return nil, err
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// members returns the siblings for a kind of core; -1 stands for a CPU that no PMU claims.
func members(events []Event, m machine, core int) []member {
	var list []member
	for i, e := range events {
		switch {
		case !e.Hardware():
			list = append(list, member{i, e.Attr})
		case core >= 0:
			list = append(list, member{i, e.on(m.cores[core], m.hybrid())})
		}
	}
	return list
}

// sampleNS is for how long the group is tried.
const sampleNS = 20e6

// fit gives up events, the least useful first, until the group fits and always
// runs. Instructions and cycles are kept when they get a share of the time, which
// every block tells; a group that never runs would take the timer with it.
func (t *trial) fit() error {
	for {
		groups, err := t.open(t.events())
		if errors.Is(err, unix.EINVAL) && t.giveUp(0, noRoom) {
			continue
		}
		if err != nil {
			return err
		}
		share, nothing := t.sample(groups)
		closeAll(groups)
		if share < fullShare && t.giveUp(2, t.busy()) || share == 0 && t.giveUp(0, t.busy()) {
			continue
		}
		for _, name := range nothing {
			t.lack(name, silent)
		}
		return nil
	}
}

// fullShare of the time is all of it, but for the inexactness of 20 ms.
const fullShare = 0.98

func (t *trial) busy() string {
	if t.machine.watchdog {
		return busy + ", the NMI watchdog one of them"
	}
	return busy
}

// giveUp drops the last hardware event, but none of the first keep; it returns false when no event is left to
// drop.
func (t *trial) giveUp(keep int, why string) bool {
	for i := len(t.all) - 1; i >= keep; i-- {
		if c := &t.all[i]; c.Hardware() && c.absent == "" {
			c.absent = why
			return true
		}
	}
	return false
}

// sample lets groups count and returns the least share of the time that one of them ran, and the clocks that
// stood still: on a CPU that is being read, instructions and cycles cannot be 0. A failure to start or read is
// no verdict on an event: the same call will fail, and be reported, when the group is used.
func (t *trial) sample(groups []*group) (share float64, nothing []string) {
	for _, g := range groups {
		if g.enable() != nil {
			return 1, nil
		}
	}
	t.k.wait(t.k.now() + sampleNS)
	share = 1
	events := t.events()
	for _, g := range groups {
		r, err := g.read()
		if err != nil || r.Enabled == 0 {
			continue
		}
		share = min(share, float64(r.Running)/float64(r.Enabled))
		for i, m := range g.members {
			e := events[m.column]
			if e.Hardware() && e.Unit != "misses" && r.Running > 0 && r.Counts[i+1] == 0 {
				nothing = append(nothing, e.Name)
			}
		}
	}
	return share, nothing
}

func closeAll(groups []*group) {
	for _, g := range groups {
		g.close()
	}
}
