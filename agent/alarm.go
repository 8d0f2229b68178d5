package main

import (
	"os"
	"sync/atomic"

	"jobgait/agent/rawcall"
)

// alarm wakes the loop: at a time, when it is to stop, or when a ring is half
// full. The loop itself looks at no channel: a select with a timer of Go's woke
// three threads each time instead of one (package rawcall).
type alarm struct {
	timer         *rawcall.Timer
	stopped, full atomic.Bool
	done          chan struct{}
}

// newAlarm listens to both until close.
func newAlarm(stop <-chan os.Signal, bell <-chan struct{}) (*alarm, error) {
	timer, err := rawcall.NewTimer()
	if err != nil {
		return nil, err
	}
	a := &alarm{timer: timer, done: make(chan struct{})}
	go func() {
		select {
		case <-stop:
			a.stopped.Store(true)
			a.timer.Ring()
		case <-a.done:
		}
	}()
	go func() {
		for {
			select {
			case <-bell:
				a.full.Store(true)
				a.timer.Ring()
			case <-a.done:
				return
			}
		}
	}()
	return a, nil
}

// sleep returns at a time, or before when there is something else.
func (a *alarm) sleep(until int64) error {
	a.timer.Set(until)
	if a.stopped.Load() || a.full.Load() {
		return nil
	}
	return a.timer.Wait()
}

// close ends the listening. The timer goes with the process: one of those who
// listen may just be ringing.
func (a *alarm) close() { close(a.done) }
