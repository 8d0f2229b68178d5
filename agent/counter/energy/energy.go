package energy

import (
	"errors"
	"fmt"

	"jobgait/agent/counter/perf"
	"jobgait/agent/counter/polled"
	"jobgait/agent/profile"
	"jobgait/analysis/run"
)

// everyNS is 20 Hz: finer than that a reading differs by up to 2 % from what the
// hardware has at that moment, since it is updated every millisecond.
const everyNS = 50_000_000

// domain is what RAPL tells apart. The names are those of the PMU's events and
// of powercap's zones.
type domain struct {
	column, event, zone string
}

// domains are those that do not contain each other.
func domains() []domain {
	return []domain{
		{"energy_pkg", "energy-pkg", "package"},
		{"energy_dram", "energy-ram", "dram"},
	}
}

func column(d domain) profile.Column {
	return profile.Column{Name: d.column, Unit: "uJ", Scope: "node"}
}

// Open returns the sources of energy: one, or none with the reason. An error
// other than that of a missing counter is among the reasons too.
func Open(open perf.Opener, sys string) polled.Opener {
	return func(now func() int64) ([]*polled.Source, []run.CounterSource) { return first(open, sys, now) }
}

func first(open perf.Opener, sys string, now func() int64) ([]*polled.Source, []run.CounterSource) {
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
			return []*polled.Source{p}, lacking(m)
		}
		if !errors.Is(err, errNone) {
			why = append(why, err)
		}
	}
	absent := "this machine tells no energy"
	if len(why) > 0 {
		absent = why[0].Error()
	}
	return nil, []run.CounterSource{{Name: "energy_pkg", Scope: "node", Absent: absent},
		{Name: "energy_dram", Scope: "node", Absent: absent}}
}

// errNone means that a machine has no such way, which is nothing to tell of.
var errNone = errors.New("not on this machine")

// lacking names the domains that a meter has no column for.
func lacking(m polled.Meter) []run.CounterSource {
	var lack []run.CounterSource
	for _, d := range domains() {
		has := false
		for _, c := range m.Columns {
			has = has || c.Name == d.column
		}
		if !has {
			lack = append(lack, run.CounterSource{Name: d.column, PMU: m.PMU, Scope: "node",
				Absent: fmt.Sprintf("%s has no such domain here", m.PMU)})
		}
	}
	return lack
}
