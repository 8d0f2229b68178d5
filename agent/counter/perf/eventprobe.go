package perf

import (
	"errors"
	"fmt"
	"jobgait/agent/counter/kernel"
	"slices"

	"golang.org/x/sys/unix"
)

// candidate is an event to probe, and why it is not counted, if so.
type candidate struct {
	Event
	absent string // why it is not counted
}

// eventProbe determines which events can be counted on a machine, by opening them.
type eventProbe struct {
	k          syscalls
	machine    machine
	periodNS   int64
	probes     []int // one CPU of each kind of core
	candidates []candidate
}

// probeEvents opens every candidate alone, then all of them as one group, and lets the group count for
// sampleNS. It returns an error if no timer can be opened, or if the group cannot be opened for a reason other
// than too few hardware counters.
func probeEvents(k syscalls, r kernel.Roots, cpus []int, periodNS int64) (*eventProbe, error) {
	t := &eventProbe{k: k, machine: readMachine(r), periodNS: periodNS}
	t.candidates = candidates(t.machine, r)
	if err := t.findProbes(cpus); err != nil {
		return t, err
	}
	for i := range t.candidates {
		if c := &t.candidates[i]; c.absent == "" {
			if err := t.openAlone(c.Event); err != nil {
				c.absent = absentReason(r, err)
			}
		}
	}
	if t.machine.watchdog && slices.ContainsFunc(t.candidates, func(c candidate) bool {
		return c.Hardware() && c.absent == ""
	}) {
		t.markAbsent(branchMisses, reasonWatchdog)
	}
	return t, t.fitGroup()
}

// candidates returns all events to probe, in the order of the columns. Tracepoints without an id and unnamed
// caches are marked absent.
func candidates(m machine, r kernel.Roots) []candidate {
	var all []candidate
	for _, e := range append(hardwareEvents(m), softwareEvents()...) {
		c := candidate{Event: e}
		if e.Name == anyCache {
			c.absent = reasonUnknownCache
		}
		all = append(all, c)
	}
	for _, t := range tracepoints() {
		c := candidate{Event: Event{Name: t.name, Unit: t.unit, Kernel: t.subsystem + ":" + t.event, PMU: "tracepoint",
			Attr: unix.PerfEventAttr{Type: unix.PERF_TYPE_TRACEPOINT}}}
		id, err := t.id(r.Sys)
		if c.Attr.Config = id; err != nil {
			c.absent = absentReason(r, err)
		}
		all = append(all, c)
	}
	return all
}

// markAbsent sets why an event that could be opened is not counted.
func (t *eventProbe) markAbsent(name, why string) {
	for i := range t.candidates {
		if t.candidates[i].Name == name && t.candidates[i].absent == "" {
			t.candidates[i].absent = why
		}
	}
}

// findProbes sets probes to the first online CPU of each kind of core among cpus. It returns an error if a timer cannot
// be opened on such a CPU, or if all are offline.
func (t *eventProbe) findProbes(cpus []int) error {
	var kinds []int
	err := error(unix.ENODEV)
	for _, cpu := range cpus {
		kind := t.machine.coreOf(cpu)
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
		return fmt.Errorf("probe the perf events: %w", err)
	}
	return nil
}

// events returns the candidates that are not absent.
func (t *eventProbe) events() []Event {
	var events []Event
	for _, c := range t.candidates {
		if c.absent == "" {
			events = append(events, c.Event)
		}
	}
	return events
}

// openAlone tries to open an event alone on one CPU of each kind of core. An event that one kind lacks is not
// counted at all, because the sum would cover only some CPUs.
func (t *eventProbe) openAlone(e Event) error {
	groups, err := t.open([]Event{e})
	closeAll(groups)
	return err
}

// open opens a group of events on one CPU of each kind of core.
func (t *eventProbe) open(events []Event) ([]*group, error) {
	var groups []*group
	for _, cpu := range t.probes {
		g, err := openGroup(t.k, cpu, t.periodNS, members(events, t.machine, t.machine.coreOf(cpu)))
		if err != nil {
			closeAll(groups)
			return nil, err
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// members returns the group members for a kind of core; -1, for a CPU in no PMU's mask, leaves out hardware
// events.
func members(events []Event, m machine, core int) []member {
	var list []member
	for i, e := range events {
		switch {
		case !e.Hardware():
			list = append(list, member{i, e.Attr})
		case core >= 0:
			list = append(list, member{i, e.forPMU(m.cores[core], m.hybrid())})
		}
	}
	return list
}

// sampleNS is how long the group counts while probing, in ns.
const sampleNS = 20e6

// fitGroup drops hardware events, the least useful first, until the group can be opened and runs all the time.
// Instructions and cycles are kept even if they run part of the time; if the group never runs, they are dropped
// too, because its timer would not run either. Instruction and cycle events that count 0 in the group are then
// marked absent.
func (t *eventProbe) fitGroup() error {
	for {
		groups, err := t.open(t.events())
		if errors.Is(err, unix.EINVAL) && t.dropLastHardware(0, reasonTooFewCounters) {
			continue
		}
		if err != nil {
			return err
		}
		share, nothing := t.measureShare(groups)
		closeAll(groups)
		if share < fullShare && t.dropLastHardware(2, t.busyReason()) || share == 0 && t.dropLastHardware(0, t.busyReason()) {
			continue
		}
		for _, name := range nothing {
			t.markAbsent(name, reasonCountsNothing)
		}
		return nil
	}
}

// fullShare is the share of the time from which a group counts as always running, given the short test.
const fullShare = 0.98

// busyReason returns why a group gets no counter all the time.
func (t *eventProbe) busyReason() string {
	if t.machine.watchdog {
		return reasonCountersInUse + ", the NMI watchdog one of them"
	}
	return reasonCountersInUse
}

// dropLastHardware marks the last hardware event as absent, but none of the first keep candidates; it returns
// false if no event is left to drop.
func (t *eventProbe) dropLastHardware(keep int, why string) bool {
	for i := len(t.candidates) - 1; i >= keep; i-- {
		if c := &t.candidates[i]; c.Hardware() && c.absent == "" {
			c.absent = why
			return true
		}
	}
	return false
}

// measureShare lets the groups count for sampleNS and returns the least share of the time that one of them ran,
// and the names of instruction and cycle events that counted 0, which is impossible on a CPU that is being
// read. Failures to start or read are ignored: the same call will fail, and be reported, when the group is
// used.
func (t *eventProbe) measureShare(groups []*group) (share float64, nothing []string) {
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

// closeAll closes all groups.
func closeAll(groups []*group) {
	for _, g := range groups {
		g.close()
	}
}
