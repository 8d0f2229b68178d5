package perf

import (
	"fmt"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/kernel"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// sources returns each candidate with its config, or why it is absent.
func (t *eventProbe) sources() []run.CounterSource {
	var list []run.CounterSource
	for _, c := range t.candidates {
		s := run.CounterSource{Name: c.Name, Event: c.Kernel, PMU: c.PMU, Scope: "node", Absent: c.absent}
		if c.Attr.Type != unix.PERF_TYPE_TRACEPOINT || c.Attr.Config != 0 {
			s.Config = c.configText(t.machine)
		}
		list = append(list, s)
	}
	return list
}

// notes returns notes for missing instructions or cycles, or for several kinds of cores.
func (t *eventProbe) notes() []note.Note {
	var notes []note.Note
	for _, c := range t.candidates {
		if (c.Name == "instructions" || c.Name == "cycles") && c.absent != "" {
			notes = append(notes, note.New(note.NoPMU, "no hardware counters for instructions and cycles: no IPC (%s)",
				c.absent))
			break
		}
	}
	if len(notes) == 0 && t.machine.hybrid() {
		kinds := ""
		for _, p := range t.machine.cores {
			kinds += fmt.Sprintf(", %s on CPUs %s", p.name, formatCPUs(p.cpus))
		}
		notes = append(notes, note.New(note.HybridCPUs,
			"the node has several kinds of cores%s: instructions and cycles are sums over all cores, so their ratio is not "+
				"that of one core",
			kinds))
	}
	return notes
}

// Probe returns which events can be counted on the given CPUs, nil for all, and why others cannot.
func Probe(open Opener, r kernel.Roots, cpus []int) []run.CounterSource {
	cpus, err := cpusToCount(r, cpus)
	if err == nil {
		var t *eventProbe
		if t, err = probeEvents(kernelCalls(open), r, cpus, probePeriodNS); err == nil {
			return t.sources()
		}
	}
	m := readMachine(r)
	t := &eventProbe{machine: m, candidates: candidates(m, r)}
	for i := range t.candidates {
		t.candidates[i].absent = absentReason(r, err)
	}
	return t.sources()
}

// probePeriodNS is the timer's period while probing.
const probePeriodNS = 5e6
