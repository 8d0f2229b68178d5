package polled

import (
	"time"

	"jobgait/analysis/run"
)

// Opener opens sources, and returns those that are absent with the reason. now returns CLOCK_MONOTONIC in ns.
type Opener func(now func() int64) (have []*Source, lack []run.CounterSource)

// CounterKind is one Meter to open, and the name under which it is reported if absent.
type CounterKind struct {
	Name, Scope string
	Open        func() (Meter, error)
	// Hangs means that even the check for existence needs the device's firmware.
	Hangs bool
}

// Open returns an Opener that opens those of the kinds that exist.
func Open(kinds ...CounterKind) Opener {
	return func(now func() int64) (have []*Source, lack []run.CounterSource) {
		for _, k := range kinds {
			open := k.Open
			if k.Hangs {
				open = openWithTimeout(k.Open)
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

// openWithTimeout returns an open function that fails with errNoAnswer if the device does not answer within
// probeTimeout.
func openWithTimeout(open func() (Meter, error)) func() (Meter, error) {
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
		case <-time.After(probeTimeout):
			return Meter{}, errNoAnswer
		}
	}
}
