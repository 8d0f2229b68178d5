package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// progress is a line on a terminal that says what is being done and for how
// long, from the second second on. Elsewhere, and in the background, nothing is
// written. It begins on a line of its own: what is on the terminal's last line
// is COMMAND's.
type progress struct {
	stop, stopped chan struct{}
	shown         bool
}

func working(w io.Writer, what string) *progress {
	return workingOn(w, func() string { return what })
}

// workingOn asks every second what is being done.
func workingOn(w io.Writer, what func() string) *progress {
	p := &progress{stop: make(chan struct{}), stopped: make(chan struct{})}
	go func() {
		defer close(p.stopped)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for start := time.Now(); ; {
			select {
			case <-tick.C:
				if !isTerminal(w) {
					continue
				}
				begin := "\r\033[K"
				if !p.shown {
					begin = "\n"
				}
				p.shown = true
				fmt.Fprintf(w, "%sjobgait: %s, %.0f s", begin, what(), time.Since(start).Seconds())
			case <-p.stop:
				if p.shown {
					fmt.Fprint(w, "\r\033[K")
				}
				return
			}
		}
	}()
	return p
}

// done takes the line away and returns whether there was one.
func (p *progress) done() bool {
	close(p.stop)
	<-p.stopped
	return p.shown
}

// isTerminal reports whether w is a terminal with this process in the foreground.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	group, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
