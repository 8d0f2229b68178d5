package perf

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// candidate is an event that may be counted, and what was found.
type candidate struct {
	Event
	absent string // why it is not counted
}

// ladder is what can be counted on a machine, and how that was found out.
type ladder struct {
	k        calls
	roots    Roots
	machine  machine
	periodNS int64
	probes   []int // one CPU of each kind of core
	all      []candidate
}

// climb opens every candidate alone, then all of them as a group, and lets it
// count for sampleNS. An error means that there is not even a timer.
func climb(k calls, r Roots, cpus []int, periodNS int64) (*ladder, error) {
	l := &ladder{k: k, roots: r, machine: readMachine(r), periodNS: periodNS}
	l.all = candidates(l.machine, r)
	if err := l.findProbes(cpus); err != nil {
		return l, err
	}
	for i := range l.all {
		if c := &l.all[i]; c.absent == "" {
			if err := l.alone(c.Event); err != nil {
				c.absent = reason(r, err)
			}
		}
	}
	if l.machine.watchdog && slices.ContainsFunc(l.all, func(c candidate) bool { return c.Hardware() && c.absent == "" }) {
		l.lack(branchMisses, watchdog)
	}
	return l, l.fit()
}

// candidates are in the order of the columns. Tracepoints without an id are
// absent already.
func candidates(m machine, r Roots) []candidate {
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
func (l *ladder) lack(name, why string) {
	for i := range l.all {
		if l.all[i].Name == name && l.all[i].absent == "" {
			l.all[i].absent = why
		}
	}
}

// findProbes takes the first CPU of each kind of core that can have a timer.
func (l *ladder) findProbes(cpus []int) error {
	var kinds []int
	err := error(unix.ENODEV)
	for _, cpu := range cpus {
		kind := l.machine.core(cpu)
		if kind < 0 || slices.Contains(kinds, kind) {
			continue
		}
		var g *group
		if g, err = openGroup(l.k, cpu, l.periodNS, nil); errors.Is(err, unix.ENODEV) {
			continue // offline
		} else if err != nil {
			return err
		}
		g.close()
		kinds, l.probes = append(kinds, kind), append(l.probes, cpu)
		if len(kinds) == len(l.machine.cores) {
			return nil
		}
	}
	if len(l.probes) == 0 {
		return fmt.Errorf("open groups: %w", err)
	}
	return nil
}

// events are what is counted so far.
func (l *ladder) events() []Event {
	var events []Event
	for _, c := range l.all {
		if c.absent == "" {
			events = append(events, c.Event)
		}
	}
	return events
}

// alone opens an event on one CPU of each kind of core. What one kind has not
// is not counted at all: the sum would be of some CPUs only.
func (l *ladder) alone(e Event) error {
	groups, err := l.open([]Event{e})
	closeAll(groups)
	return err
}

func (l *ladder) open(events []Event) ([]*group, error) {
	var groups []*group
	for _, cpu := range l.probes {
		g, err := openGroup(l.k, cpu, l.periodNS, members(events, l.machine, l.machine.core(cpu)))
		if err != nil {
			closeAll(groups)
			return nil, err
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// members are the siblings for a kind of core; -1 is none, as of a CPU that no
// PMU claims.
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
func (l *ladder) fit() error {
	for {
		groups, err := l.open(l.events())
		if errors.Is(err, unix.EINVAL) && l.giveUp(0, noRoom) {
			continue
		}
		if err != nil {
			return err
		}
		share, nothing := l.sample(groups)
		closeAll(groups)
		if share < fullShare && l.giveUp(2, l.busy()) || share == 0 && l.giveUp(0, l.busy()) {
			continue
		}
		for _, name := range nothing {
			l.lack(name, silent)
		}
		return nil
	}
}

// fullShare of the time is all of it, but for the inexactness of 20 ms.
const fullShare = 0.98

func (l *ladder) busy() string {
	if l.machine.watchdog {
		return busy + ", the NMI watchdog one of them"
	}
	return busy
}

// giveUp leaves the last hardware event out, not one of the first few; false
// when there is none.
func (l *ladder) giveUp(keep int, why string) bool {
	for i := len(l.all) - 1; i >= keep; i-- {
		if c := &l.all[i]; c.Hardware() && c.absent == "" {
			c.absent = why
			return true
		}
	}
	return false
}

// sample lets groups count and returns the least share of the time that one of
// them ran, and the clocks that stood still: on a CPU that is being read neither
// instructions nor cycles can be none. What cannot be started or read is no
// verdict on an event: the same will fail, and be told, when it is for good.
func (l *ladder) sample(groups []*group) (share float64, nothing []string) {
	for _, g := range groups {
		if g.enable() != nil {
			return 1, nil
		}
	}
	l.k.wait(l.k.now() + sampleNS)
	share = 1
	events := l.events()
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
