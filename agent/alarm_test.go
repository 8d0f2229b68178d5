package main

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/rawcall"
)

// The loop wakes at its time, at a stop signal, and when a ring is half full, whether the event comes before or
// during the sleep.
func TestAlarm(t *testing.T) {
	stop, bell := make(chan os.Signal, 1), make(chan struct{}, 1)
	a, err := newAlarm(stop, bell)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	at := rawcall.Now() + 5e6
	if err := a.sleep(at); err != nil || rawcall.Now() < at || a.ringHalfFull.Load() || a.stopped.Load() {
		t.Fatalf("%v, at %d, was to be %d, %+v", err, rawcall.Now(), at, a)
	}
	hour := func() int64 { return rawcall.Now() + int64(time.Hour) }
	for range 20 {
		bell <- struct{}{}
		for !a.ringHalfFull.Swap(false) {
			if err := a.sleep(hour()); err != nil {
				t.Fatal(err)
			}
		}
	}
	go func() { stop <- unix.SIGTERM }()
	for !a.stopped.Load() {
		if err := a.sleep(hour()); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.sleep(hour()); err != nil { // and does not sleep again
		t.Error(err)
	}
}
