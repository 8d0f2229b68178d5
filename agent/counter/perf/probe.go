package perf

import (
	"fmt"

	"golang.org/x/sys/unix"

	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// sources say what was found of each candidate.
func (l *ladder) sources() []summary.Source {
	var list []summary.Source
	for _, c := range l.all {
		s := summary.Source{Name: c.Name, Event: c.Kernel, PMU: c.PMU, Scope: "node", Absent: c.absent}
		if c.Attr.Type != unix.PERF_TYPE_TRACEPOINT || c.Attr.Config != 0 {
			s.Config = c.config(l.machine)
		}
		list = append(list, s)
	}
	return list
}

func (l *ladder) notes() []note.Note {
	var notes []note.Note
	for _, c := range l.all {
		if (c.Name == "instructions" || c.Name == "cycles") && c.absent != "" {
			notes = append(notes, note.New(note.NoPMU, "no hardware counters for instructions and cycles: no IPC (%s)", c.absent))
			break
		}
	}
	if len(notes) == 0 && l.machine.hybrid() {
		kinds := ""
		for _, p := range l.machine.cores {
			kinds += fmt.Sprintf(", %s on CPUs %s", p.name, formatCPUs(p.cpus))
		}
		notes = append(notes, note.New(note.HybridCPUs,
			"there are several kinds of cores%s: instructions and cycles are sums over all, their ratio is no core's own", kinds))
	}
	return notes
}

// Probe finds out what can be counted on the CPUs given, nil for all, without
// going on to count it.
func Probe(open Opener, r Roots, cpus []int) []summary.Source {
	cpus, err := lanes(r, cpus)
	if err == nil {
		var l *ladder
		if l, err = climb(kernelCalls(open), r, cpus, probePeriodNS); err == nil {
			return l.sources()
		}
	}
	m := readMachine(r)
	l := &ladder{machine: m, all: candidates(m, r)}
	for i := range l.all {
		l.all[i].absent = reason(r, err)
	}
	return l.sources()
}

// probePeriodNS is the timer's period while probing.
const probePeriodNS = 5e6
