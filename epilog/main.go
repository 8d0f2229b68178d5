// Program jobgait-epilog finishes a run on one node. As Slurm's Epilog it has no
// arguments: it records how the job ended, stops the agent, starts a worker for
// everything that can hang or that grows with the job, waits for it briefly, and
// returns 0 in any case. With --worker it is that worker. --sweep finishes interrupted
// runs, and --ingest writes waiting job records to the history; both query the
// scheduler for the final states of recent runs.
//
// A run that is closed and whose files are not kept becomes one line in retired/ of the
// node's spool. Files in the spool and in agent.live_dir belong to root; a user reads
// his kept reports and live.json through a POSIX ACL.
//
// The hook uses node-local disk only. A hook that fails drains its node, so errors
// are logged and do not change the exit status.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"jobgait/agent/as"
	"jobgait/agent/job/scheduler"
	"jobgait/analysis/note"
	"jobgait/configs"
	"jobgait/epilog/archive"
	"jobgait/epilog/collect"
	"jobgait/epilog/deliver"
	"jobgait/epilog/finish"
)

// main runs one step of the Epilog and prints its error.
func main() {
	if err := lowerPriority(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "jobgait-epilog: %v\n", err)
	}
	os.Exit(runEpilog(context.Background(), os.Getenv, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

const usage = `usage: jobgait-epilog            as Slurm's Epilog
       jobgait-epilog local      as that of jobgait run
       jobgait-epilog --sweep    finish the interrupted runs of this node
       jobgait-epilog --ingest   write waiting job records to the history
       jobgait-epilog --version`

// runEpilog runs the program for its arguments and returns the exit status: always 0 for the hook, 1 for an
// error, 2 for wrong arguments.
func runEpilog(ctx context.Context, getenv func(string) string, args []string, in io.Reader,
	out, complain io.Writer) int {
	limitCPUs(args)
	child, err := children(getenv).Serve(ctx, args, in, out)
	switch {
	case child:
	case len(args) == 0, args[0] == scheduler.Local && len(args) == 1:
		called, getenv, _ := scheduler.CallerOfHook(args, getenv, os.Geteuid() == 0) // no others than these
		runHook(ctx, called, getenv, complain)
		return 0
	case args[0] == "--sweep" && len(args) == 1:
		err = runSweep(ctx, getenv, out)
	case args[0] == "--ingest" && len(args) == 1:
		err = runIngest(ctx, getenv, out)
	case args[0] == "--version" && len(args) == 1:
		_, err = fmt.Fprintln(out, "jobgait-epilog", configs.Version)
	default:
		fmt.Fprintln(complain, usage)
		return 2
	}
	if errors.Is(err, errUsage) {
		fmt.Fprintln(complain, usage)
		return 2
	}
	if err != nil {
		fmt.Fprintf(complain, "jobgait-epilog: %s\n", note.Line(err.Error(), 2000))
		return 1
	}
	return 0
}

// errUsage is returned for arguments that are not in the usage text.
var errUsage = errors.New("unknown arguments: jobgait-epilog --help lists the valid ones")

// children returns the functions that this program runs as a child process, by name (package as).
func children(getenv func(string) string) as.Handlers {
	return as.Handlers{
		as.Deliver: deliver.Serve, as.Collect: collect.Serve, as.Archive: archive.Serve,
		as.CompareHistory: finish.ServeHistoryQuery,
		as.Worker: func(ctx context.Context, r as.Request) error {
			if len(r.Args) != 1 {
				return errUsage
			}
			return runWorker(ctx, getenv, r.Args[0], r.In)
		},
		as.SweepNode: func(ctx context.Context, r as.Request) error {
			if len(r.Args) != 1 {
				return errUsage
			}
			return sweepAfterJob(ctx, getenv, r.Args[0])
		},
	}
}
