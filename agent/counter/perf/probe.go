package perf

import (
	"fmt"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/kernel"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// sources say what was found of each candidate.
func (t *trial) sources() []run.CounterSource {
	var list []run.CounterSource
	for _, c := range t.all {
		s := run.CounterSource{Name: c.Name, Event: c.Kernel, PMU: c.PMU, Scope: "node", Absent: c.absent}
		if c.Attr.Type != unix.PERF_TYPE_TRACEPOINT || c.Attr.Config != 0 {
			s.Config = c.config(t.machine)
		}
		list = append(list, s)
	}
	return list
}

func (t *trial) notes() []note.Note {
	var notes []note.Note
	for _, c := range t.all {
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
			"there are several kinds of cores%s: instructions and cycles are sums over all, their ratio is no core's own",
			kinds))
	}
	return notes
}

// Probe finds out what can be counted on the CPUs given, nil for all, without
// going on to count it.
func Probe(open Opener, r kernel.Roots, cpus []int) []run.CounterSource {
	cpus, err := lanes(r, cpus)
	if err == nil {
		var t *trial
		if t, err = climb(kernelCalls(open), r, cpus, probePeriodNS); err == nil {
			return t.sources()
		}
	}
	m := readMachine(r)
	t := &trial{machine: m, all: candidates(m, r)}
	for i := range t.all {
		t.all[i].absent = reason(r, err)
	}
	return t.sources()
}

// probePeriodNS is the timer's period while probing.
const probePeriodNS = 5e6
