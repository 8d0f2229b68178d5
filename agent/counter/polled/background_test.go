package polled

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
	"jobgait/analysis/note"
)

// device is a device whose readings hang while it is stuck. It counts readings in two equal columns, which
// differ in an incomplete reading.
type device struct {
	stuck  chan struct{} // nil: it answers
	asked  chan struct{} // notification of readings that hang
	closed chan struct{}
	n      uint64
}

func (d *device) meter() Meter {
	column := func(name string) profile.Column { return profile.Column{Name: name, Unit: "bytes", Scope: "node"} }
	return Meter{Columns: []profile.Column{column("x"), column("y")}, Config: "device", EveryNS: 2e8, Hangs: true,
		Read: func(cells []uint64) error {
			d.n++
			cells[0] = d.n
			if stuck := d.stuck; stuck != nil {
				d.asked <- struct{}{}
				<-stuck
			}
			cells[1] = d.n
			return nil
		},
		Close: func() error { close(d.closed); return nil },
	}
}

func newDevice(t *testing.T) (*device, *Source) {
	t.Helper()
	d := &device{asked: make(chan struct{}, 1), closed: make(chan struct{})}
	p, err := New(d.meter(), rawcall.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return d, p
}

// drainUntil drains until there are n readings.
func drainUntil(t *testing.T, p *Source, to *countertest.Sink, readings int) {
	t.Helper()
	jobtest.Until(t, fmt.Sprintf("there are %d readings", readings), func() bool {
		if err := p.Drain(to); err != nil && !errors.Is(err, errHung) {
			t.Fatal(err)
		}
		return len(to.Readings) >= readings
	})
}

// TestHangingDeviceDelaysNoReader makes a device hang between two readings: a drain does not wait for it, and
// its late reading is complete and counts.
func TestHangingDeviceDelaysNoReader(t *testing.T) {
	d, p := newDevice(t)
	probed := d.n
	var to countertest.Sink
	drainUntil(t, p, &to, 2)
	stuck := make(chan struct{})
	d.stuck = stuck
	for range 5 {
		if err := p.Drain(&to); err != nil {
			t.Fatal(err)
		}
	}
	<-d.asked
	before := len(to.Readings)
	if d.n != probed+uint64(before)+1 { // the one that hangs
		t.Errorf("asked %d times for %d readings: one at a time", d.n, before)
	}
	p.background.begun = time.Now().Add(-time.Minute)
	if err := p.Drain(&to); !errors.Is(err, errHung) {
		t.Errorf("after a minute: %v", err)
	}
	if n := p.Notes(); len(n) != 1 || n[0].Code != note.ReadFailed || !strings.Contains(n[0].Text, "no answer") {
		t.Errorf("notes %v", n)
	}
	if len(to.Readings) != before {
		t.Errorf("readings of a device that hangs: %+v", to.Readings[before:])
	}
	d.stuck = nil
	close(stuck)
	drainUntil(t, p, &to, before+3)
	if n := p.Notes(); len(n) != 1 || !strings.Contains(n[0].Text, "1 time,") ||
		!strings.Contains(n[0].Text, fmt.Sprintf("it has answered since, %d readings", len(to.Readings))) {
		t.Errorf("notes after it answered: %v", n)
	}
	for i, r := range to.Readings {
		if r.Counts[0] != uint64(i) || r.Counts[1] != r.Counts[0] {
			t.Errorf("reading %d: %v", i, r.Counts)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	<-d.closed
}

// TestRequestsBeforeStartAreNotCounted checks that a reading of before a
// pause does not become the beginning of after it.
func TestRequestsBeforeStartAreNotCounted(t *testing.T) {
	d, p := newDevice(t)
	var to countertest.Sink
	drainUntil(t, p, &to, 1)
	stuck := make(chan struct{})
	d.stuck = stuck
	if err := p.Drain(&to); err != nil {
		t.Fatal(err)
	}
	<-d.asked
	if err := errors.Join(p.Stop(), p.Start()); err != nil {
		t.Fatal(err)
	}
	d.stuck = nil
	d.n += 1000 // during the pause
	close(stuck)
	drainUntil(t, p, &to, 3)
	if last := to.Readings[2].Counts[0]; last != 1 {
		t.Errorf("counted %d, want 1", last)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// TestClosingDoesNotWaitForADevice checks that the file stays its goroutine's
// until that has an answer, and that both go then.
func TestClosingDoesNotWaitForADevice(t *testing.T) {
	d, p := newDevice(t)
	stuck := make(chan struct{})
	d.stuck = stuck
	if err := p.Drain(&countertest.Sink{}); err != nil {
		t.Fatal(err)
	}
	<-d.asked
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-d.closed:
		t.Error("closed under a reading")
	default:
	}
	close(stuck)
	select {
	case <-d.closed:
	case <-time.After(2 * time.Minute):
		t.Error("the goroutine has not ended")
	}
}
