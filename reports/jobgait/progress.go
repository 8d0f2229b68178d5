package main

import (
	"fmt"
	"io"
	"time"
)

// working shows on a terminal, from the second second on, what is being done
// and for how long, and takes the line away when done is called. Where w is no
// terminal nothing is written.
func working(w io.Writer, what string) (done func()) {
	if !isTerminal(w) {
		return func() {}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for start := time.Now(); ; {
			select {
			case <-tick.C:
				fmt.Fprintf(w, "\r\033[Kjobgait: %s, %.0f s", what, time.Since(start).Seconds())
			case <-stop:
				fmt.Fprint(w, "\r\033[K")
				return
			}
		}
	}()
	return func() { close(stop); <-stopped }
}
