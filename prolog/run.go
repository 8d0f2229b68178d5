package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"jobgait/agent/job/scheduler"
	"jobgait/agent/journal"
	"jobgait/analysis/note"
	"jobgait/configs"
)

// runProlog runs the Prolog, for at most configs.PrologLimit. It returns no error, because slurmd takes a node out of
// service for one: an error is one line for slurmd's log, one in the node's log if beginRun returned it and could open
// that log, and for root under Slurm one in the journal.
func runProlog(ctx context.Context, getenv func(string) string, args []string, stderr io.Writer) {
	// A closed pipe must not kill this process. Notify, not Ignore: the agent would inherit what is ignored.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	called, getenv, err := scheduler.CallerOfHook(args, getenv, os.Geteuid() == 0)
	if err != nil {
		fmt.Fprintf(stderr, "jobgait-prolog %s: %v\n", configs.Version, err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, configs.PrologLimit)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				ended <- fmt.Errorf("internal error, please report it: this job is not profiled: panic: %v at %s",
					p, note.Clean(string(debug.Stack()), 1000))
			}
		}()
		ended <- beginRun(called, getenv)
	}()
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = fmt.Errorf("the Prolog did not end within %v: this job is not profiled", configs.PrologLimit)
	}
	if err != nil {
		line := fmt.Sprintf("job %.20q: %s", called.ID(getenv), note.Line(err.Error(), 2000))
		fmt.Fprintf(stderr, "jobgait-prolog: %s\n", line)
		// slurmd logs what a hook says only of one that failed.
		if os.Geteuid() == 0 && !configs.IsOneMachine(getenv) {
			journal.SystemSockets().Send(journal.Error, "jobgait", "jobgait-prolog: "+line)
		}
	}
}
