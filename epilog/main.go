// Program jobgait-epilog ends a run on one node. As Slurm's Epilog it has no
// arguments: it notes how the job ended, stops the agent, starts a worker that
// does everything that can hang or grows with the job, waits a moment for it, and
// returns 0 whatever happened. With --worker it is that worker; --sweep picks up what was
// left over; --ingest writes waiting job records into the history; both ask the
// scheduler how the last runs ended.
//
// The hook touches node-local disk only. A hook that fails drains its node, so
// this is a place where errors are swallowed: they are logged.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"jobgait/agent/job/scheduler"
	"jobgait/analysis/note"
	"jobgait/configs"
	"jobgait/epilog/archive"
	"jobgait/epilog/collect"
	"jobgait/epilog/deliver"
	"jobgait/epilog/finish"
)

func main() {
	if err := stepBehind(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "jobgait-epilog: %v\n", err)
	}
	os.Exit(runEpilog(context.Background(), os.Getenv, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

const usage = `usage: jobgait-epilog            as Slurm's Epilog
       jobgait-epilog local      as that of jobgait run
       jobgait-epilog --sweep    finish what was left over on this node
       jobgait-epilog --ingest   write waiting job records into the history
       jobgait-epilog --version`

// runEpilog is the program. Only the hook always returns 0.
func runEpilog(ctx context.Context, getenv func(string) string, args []string, in io.Reader, out, complain io.Writer) int {
	var err error
	leaveCPUs(args)
	switch {
	case len(args) == 0, args[0] == scheduler.Local && len(args) == 1:
		called, getenv, _ := scheduler.Hook(args, getenv, os.Geteuid() == 0) // no others than these
		hook(ctx, called, getenv, complain)
		return 0
	case args[0] == "--worker" && (len(args) == 2 || len(args) == 3):
		err = worker(ctx, getenv, args[1], args[2:]...)
	case args[0] == sweeperVerb && len(args) == 2:
		err = sweepAfterJob(ctx, getenv, args[1])
	case args[0] == "--sweep" && len(args) == 1:
		err = sweep(ctx, getenv, out)
	case args[0] == "--ingest" && len(args) == 1:
		err = ingest(ctx, getenv, out)
	case args[0] == "--version" && len(args) == 1:
		_, err = fmt.Fprintln(out, "jobgait-epilog", configs.Version)
	case args[0] == deliver.ChildVerb:
		err = deliver.Child(args[1:], in, out)
	case args[0] == collect.ChildVerb:
		err = collect.Child(ctx, args[1:], in, out)
	case args[0] == archive.ChildVerb:
		err = archive.Child(args[1:], in)
	case args[0] == finish.ConsultVerb:
		err = finish.ConsultChild(ctx, args[1:], in, out)
	default:
		fmt.Fprintln(complain, usage)
		return 2
	}
	if err != nil {
		fmt.Fprintf(complain, "jobgait-epilog: %s\n", note.Clean(err.Error(), 2000))
		return 1
	}
	return 0
}
