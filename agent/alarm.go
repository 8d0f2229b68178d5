package main

import (
	"os"
	"sync/atomic"

	"jobgait/agent/rawcall"
)

// alarm wakes the agent's loop at a set time, at a stop signal, or when the ring of code addresses is half
// full. The loop uses no channel: a select with a Go timer woke three threads each time instead of one (package
// rawcall).
type alarm struct {
	timer                 *rawcall.Timer
	stopped, ringHalfFull atomic.Bool
	done                  chan struct{}
}

// newAlarm starts an alarm that listens to the stop signals and to the half-full notifications in bell until
// close.
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
			a.timer.Fire()
		case <-a.done:
		}
	}()
	go func() {
		for {
			select {
			case <-bell:
				a.ringHalfFull.Store(true)
				a.timer.Fire()
			case <-a.done:
				return
			}
		}
	}()
	return a, nil
}

// sleep returns at the time until (CLOCK_MONOTONIC ns), or earlier at a stop signal or a half-full ring.
func (a *alarm) sleep(until int64) error {
	a.timer.Set(until)
	if a.stopped.Load() || a.ringHalfFull.Load() {
		return nil
	}
	return a.timer.Wait()
}

// close ends the listening goroutines. It leaves the timer to the end of the process, because one of them may
// be using it.
func (a *alarm) close() { close(a.done) }
