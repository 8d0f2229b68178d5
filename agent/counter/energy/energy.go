package energy

import (
	"errors"
	"fmt"

	"jobgait/agent/counter/perf"
	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
	"jobgait/analysis/run"
)

// everyNS is the interval of readings, 20 Hz. At a higher rate an increment would be off by more than 2 %,
// since the hardware updates its counter every millisecond.
const everyNS = 50_000_000

// domain is one energy domain of RAPL: the column's name, the PMU's event and the prefix of powercap's zone.
type domain struct {
	column, event, zone string
}

// domains returns the domains that are read: packages and memory, which do not overlap.
func domains() []domain {
	return []domain{
		{"energy_pkg", "energy-pkg", "package"},
		{"energy_dram", "energy-ram", "dram"},
	}
}

// column returns the profile column of a domain, in microjoules of the node.
func column(d domain) profile.Column {
	return profile.Column{Name: d.column, Unit: "uJ", Scope: "node"}
}

// Open returns an opener of the energy source. It gives one source, or none and the reason why energy is
// absent.
func Open(open perf.Opener, sys string) polled.Opener {
	return func(now func() int64) ([]*polled.Source, []run.CounterSource) { return openBest(open, sys, now) }
}

// openBest opens the power PMU, else powercap, and returns the source and the absent domains.
func openBest(open perf.Opener, sys string, now func() int64) ([]*polled.Source, []run.CounterSource) {
	var why []error
	for _, way := range []func() (polled.Meter, error){
		func() (polled.Meter, error) { return openPMU(open, sys) },
		func() (polled.Meter, error) { return openPowercap(sys, now) },
	} {
		m, err := way()
		var p *polled.Source
		if err == nil {
			p, err = polled.New(m, now)
		}
		if err == nil {
			return []*polled.Source{p}, missingDomains(m)
		}
		if !errors.Is(err, errNotPresent) {
			why = append(why, err)
		}
	}
	absent := "this machine has no readable energy counter"
	if len(why) > 0 {
		absent = why[0].Error()
	}
	return nil, []run.CounterSource{{Name: "energy_pkg", Scope: "node", Absent: absent},
		{Name: "energy_dram", Scope: "node", Absent: absent}}
}

// errNotPresent means that the machine does not have this kind of energy counter; it is not reported.
var errNotPresent = errors.New("this machine does not have this kind of energy counter: another is used if there is " +
	"one")

// missingDomains returns the domains that a meter has no column for, as absent sources.
func missingDomains(m polled.Meter) []run.CounterSource {
	var lack []run.CounterSource
	for _, d := range domains() {
		has := false
		for _, c := range m.Columns {
			has = has || c.Name == d.column
		}
		if !has {
			lack = append(lack, run.CounterSource{Name: d.column, PMU: m.PMU, Scope: "node",
				Absent: fmt.Sprintf("the kernel's interface %s has no such domain on this machine", m.PMU)})
		}
	}
	return lack
}
