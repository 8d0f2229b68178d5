package polled

import (
	"errors"
	"time"
)

// background repeats an operation that may hang in the kernel, in its own goroutine. Callers get the last
// complete result and never wait for long. An operation that hangs for ever blocks only its goroutine and that
// goroutine's thread until the process ends.
type background struct {
	ask   chan struct{}
	done  chan error
	ended chan error
	timer *time.Timer
	// begun is when the running operation was started, zero when none runs.
	begun time.Time
}

// maxWait is how long a caller waits for a reading: readings of adapters take 10 us to 1 ms. hungAfter is the
// time without an answer after which a device counts as hanging.
const (
	maxWait   = 20 * time.Millisecond
	hungAfter = 10 * time.Second
)

// errPending is returned while the operation runs, errHung if it runs for longer than hungAfter.
var (
	errPending = errors.New("the previous reading of the counter is still in progress: this one is skipped")
	errHung    = errors.New("the device gave no answer to a reading for 10 s: check the device and its driver")
)

// newBackground starts the goroutine, which calls do on request and finish at the end.
func newBackground(do, finish func() error) *background {
	a := &background{ask: make(chan struct{}, 1), done: make(chan error, 1), ended: make(chan error, 1),
		timer: time.NewTimer(maxWait)}
	a.timer.Stop()
	go func() {
		for range a.ask {
			a.done <- do()
		}
		a.ended <- finish()
	}()
	return a
}

// result starts the operation if it does not run, and returns its error. It waits up to wait only after
// starting it; otherwise it returns errPending or errHung at once if the operation still runs.
func (a *background) result(wait time.Duration) error {
	if !a.running() {
		a.begun = time.Now()
		a.ask <- struct{}{}
		a.timer.Reset(wait)
		defer a.timer.Stop()
		select {
		case err := <-a.done:
			a.begun = time.Time{}
			return err
		case <-a.timer.C:
			return errPending
		}
	}
	select {
	case err := <-a.done:
		a.begun = time.Time{}
		return err
	default:
	}
	if time.Since(a.begun) > hungAfter {
		return errHung
	}
	return errPending
}

// running reports whether the operation runs. Its data must not be accessed then.
func (a *background) running() bool { return !a.begun.IsZero() }

// close ends the goroutine and returns the error of finish. It does not wait if the operation runs, because it
// may hang.
func (a *background) close() error {
	close(a.ask)
	if a.running() {
		return nil
	}
	return <-a.ended
}

// probeTimeout is how long a device may take for its first answer, at a time when the whole job starts. A
// device that takes longer counts as absent.
const probeTimeout = 2 * time.Second

var errNoAnswer = errors.New("the device does not respond: it gave no value within 2 s and is not measured in this " +
	"run: check its driver")

// readNow takes a reading, or returns the result of the one that runs. A reading that was started before Start
// is discarded.
func (p *Source) readNow(wait time.Duration) error {
	if p.background == nil {
		return p.takeReading()
	}
	err := p.background.result(wait)
	if p.stale && !p.background.running() {
		p.stale = false
		return errPending // it is of before Start
	}
	return err
}
