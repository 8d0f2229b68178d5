package polled

import (
	"context"

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

// Open returns an Opener that opens those of the kinds that exist. Kinds that may hang are opened at the same
// time, and together wait at most probeTimeout, however many there are.
func Open(kinds ...CounterKind) Opener {
	return func(now func() int64) (have []*Source, lack []run.CounterSource) {
		ctx, cancel := context.WithTimeout(context.Background(), probeTimeout)
		defer cancel()
		background := make([]chan opened, len(kinds))
		for i, k := range kinds {
			if k.Hangs {
				background[i] = make(chan opened, 1)
				go func() { background[i] <- k.open(now) }()
			}
		}
		for i, k := range kinds {
			var o opened
			if k.Hangs {
				o = await(ctx, background[i])
			} else {
				o = k.open(now)
			}
			if o.err != nil {
				lack = append(lack, run.CounterSource{Name: k.Name, Scope: k.Scope, PMU: o.meter.PMU, Config: o.meter.Config,
					Absent: o.err.Error()})
				continue
			}
			have = append(have, o.source)
		}
		return have, lack
	}
}

// opened is the outcome of opening one kind: a source, or an error and what is known of its meter.
type opened struct {
	source *Source
	meter  Meter
	err    error
}

// open opens the kind's meter and reads it for the first time.
func (k CounterKind) open(now func() int64) (o opened) {
	if o.meter, o.err = k.Open(); o.err == nil {
		o.source, o.err = New(o.meter, now)
	}
	return o
}

// await returns what arrives, or errNoAnswer if ctx ends first. A source that arrives later is closed.
func await(ctx context.Context, arrives <-chan opened) opened {
	select {
	case o := <-arrives:
		return o
	default:
	}
	select {
	case o := <-arrives:
		return o
	case <-ctx.Done():
	}
	go func() {
		if late := <-arrives; late.source != nil {
			_ = late.source.Close()
		}
	}()
	return opened{err: errNoAnswer}
}
