package polled

import (
	"time"

	"jobgait/analysis/run"
)

// Opener opens sources, and names those that are not to be had.
type Opener func(now func() int64) (have []*Source, lack []run.CounterSource)

// CounterKind is one Meter, and the name by which it is missed.
type CounterKind struct {
	Name, Scope string
	Open        func() (Meter, error)
	// Hangs means that even the check for existence needs the device's firmware.
	Hangs bool
}

// Open opens what there is of some kinds.
func Open(kinds ...CounterKind) Opener {
	return func(now func() int64) (have []*Source, lack []run.CounterSource) {
		for _, k := range kinds {
			open := k.Open
			if k.Hangs {
				open = answered(k.Open)
			}
			m, err := open()
			var p *Source
			if err == nil {
				p, err = New(m, now)
			}
			if err != nil {
				lack = append(lack, run.CounterSource{Name: k.Name, Scope: k.Scope, PMU: m.PMU, Config: m.Config,
					Absent: err.Error()})
				continue
			}
			have = append(have, p)
		}
		return have, lack
	}
}

// answered opens a Meter whose device may not answer.
func answered(open func() (Meter, error)) func() (Meter, error) {
	type opened struct {
		m   Meter
		err error
	}
	return func() (Meter, error) {
		done := make(chan opened, 1)
		go func() {
			m, err := open()
			done <- opened{m, err}
		}()
		select {
		case o := <-done:
			return o.m, o.err
		case <-time.After(probePatience):
			return Meter{}, errNoAnswer
		}
	}
}
