package polled

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"jobgait/agent/rawcall"
)

// Devices that may hang are opened at the same time: each answers only once all have been reached.
func TestDevicesAreOpenedTogether(t *testing.T) {
	const devices = 16
	var reached sync.WaitGroup
	reached.Add(devices)
	var kinds []CounterKind
	for i := range devices {
		d := &device{closed: make(chan struct{})}
		kinds = append(kinds, CounterKind{Name: fmt.Sprint(i), Hangs: true, Open: func() (Meter, error) {
			reached.Done()
			reached.Wait()
			m := d.meter()
			m.Columns[0].Name = fmt.Sprint(i)
			return m, nil
		}})
	}
	have, lack := Open(kinds...)(rawcall.Now)
	if len(have) != devices || len(lack) != 0 {
		t.Fatalf("%d opened, absent %+v", len(have), lack)
	}
	for i, p := range have {
		if name := p.Columns()[0].Name; name != fmt.Sprint(i) {
			t.Errorf("source %d is that of kind %s", i, name)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Devices that do not answer are absent, those beside them are read, and a late answer is closed.
func TestLateDeviceIsClosed(t *testing.T) {
	answers := make(chan struct{})
	late, other := &device{closed: make(chan struct{})}, &device{closed: make(chan struct{})}
	have, lack := Open(
		CounterKind{Name: "late", Hangs: true, Open: func() (Meter, error) { <-answers; return late.meter(), nil }},
		CounterKind{Name: "broken", Hangs: true, Open: func() (Meter, error) { return Meter{}, errors.New("broken") }},
		CounterKind{Name: "other", Hangs: true, Open: func() (Meter, error) { return other.meter(), nil }},
	)(rawcall.Now)
	if len(have) != 1 || len(lack) != 2 || lack[0].Absent != errNoAnswer.Error() || lack[1].Absent != "broken" {
		t.Errorf("%d opened, absent %+v", len(have), lack)
	}
	for _, p := range have {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
	close(answers)
	<-late.closed
}
