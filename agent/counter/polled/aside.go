package polled

import (
	"errors"
	"time"
)

// aside repeats an operation that may hang in the kernel, in its own goroutine. Callers get the last complete
// result and never wait for long. An operation that hangs for ever stays until the end of the process and
// blocks only its goroutine and that goroutine's thread.
type aside struct {
	ask   chan struct{}
	done  chan error
	ended chan error
	timer *time.Timer
	// begun is when the running operation was started, zero when none runs.
	begun time.Time
}

// patience is how long an asker waits: readings of adapters take 10 us to 1 ms.
// slow is when it is said that one does not answer.
const (
	patience = 20 * time.Millisecond
	slow     = 10 * time.Second
)

// errUnderWay is returned while no result is complete, errSlow after a long time without one.
var (
	errUnderWay = errors.New("under way")
	errSlow     = errors.New("no answer for 10 s")
)

// newAside starts the goroutine; finish is the last that it does.
func newAside(do, finish func() error) *aside {
	a := &aside{ask: make(chan struct{}, 1), done: make(chan error, 1), ended: make(chan error, 1),
		timer: time.NewTimer(patience)}
	a.timer.Stop()
	go func() {
		for range a.ask {
			a.done <- do()
		}
		a.ended <- finish()
	}()
	return a
}

// try starts the operation if none runs, and returns its result. Only the caller that started it waits; others
// return at once.
func (a *aside) try(wait time.Duration) error {
	if !a.underWay() {
		a.begun = time.Now()
		a.ask <- struct{}{}
		a.timer.Reset(wait)
		defer a.timer.Stop()
		select {
		case err := <-a.done:
			a.begun = time.Time{}
			return err
		case <-a.timer.C:
			return errUnderWay
		}
	}
	select {
	case err := <-a.done:
		a.begun = time.Time{}
		return err
	default:
	}
	if time.Since(a.begun) > slow {
		return errSlow
	}
	return errUnderWay
}

// underWay reports whether the operation runs. Its data must not be touched then.
func (a *aside) underWay() bool { return !a.begun.IsZero() }

// close ends the goroutine, as soon as it can be: one that hangs is not waited
// for.
func (a *aside) close() error {
	close(a.ask)
	if a.underWay() {
		return nil
	}
	return <-a.ended
}

// probePatience is how long a device may take for its first answer, on a node
// where everything else starts too; one that takes longer is as good as absent.
const probePatience = 2 * time.Second

var errNoAnswer = errors.New("the device gives no answer")

// ask takes a reading, or what has come of the one under way.
func (p *Source) ask(wait time.Duration) error {
	if p.aside == nil {
		return p.take()
	}
	err := p.aside.try(wait)
	if p.stale && !p.aside.underWay() {
		p.stale = false
		return errUnderWay // it is of before Start
	}
	return err
}
