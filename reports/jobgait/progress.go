package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// progress is a line on a terminal that says what is being done and for how long; it appears after one second.
// Nothing is written if the output is no terminal or the process is in the background. It begins on a new line,
// because the last line of the terminal is COMMAND's.
type progress struct {
	stop, stopped chan struct{}
	shown         bool
}

// startProgress starts a line of progress with a fixed text.
func startProgress(w io.Writer, what string) *progress {
	return startProgressFunc(w, func() string { return what })
}

// startProgressFunc starts a line of progress that calls what every second for its text. The line is shown only
// while w is a terminal with this process in the foreground.
func startProgressFunc(w io.Writer, what func() string) *progress {
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

// done removes the line and reports whether there was one.
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
