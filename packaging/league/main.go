// Package main is the league: real applications run live under `jobgait run`,
// and what jobgait tells of them is held against the times at which their own
// logs say that a step was done.
//
// In come programs of the distribution with small inputs of our own (inputs/)
// or examples that their packages install (application.go). Each runs for half a
// minute twice a round, as the machine is and beside a busy loop on every CPU.
// The lines of its output are stamped as they come; those that match a level of
// the application, such as a time step, are its marks. Out comes a table of
// verdicts (verdict.go) for runs that got at least .85 of a CPU a rank (quiet),
// for others (crowded) and for programs that have no loop (control), and how
// many claims of which confidence were right. It is kept in MEASURED.md.
//
// Each run's outcome, marks and report, and its profile are files in a cache
// directory: a league that was broken off goes on where it stopped, and -again
// asks today's analysis about the profiles of earlier runs. A run that failed
// is told and left out; it is tried again the next time.
//
// It proves little on a machine that others use: `quiet` then means crowded, and
// the table counts a run by the CPU that it got. Right is what the log tells, so
// a level that the code has and does not log counts as wrong.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program: 0 where every run has an outcome, 1 where one failed, 2 for usage.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("league", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var l league
	flags.StringVar(&l.bin, "bin", "build/bin", "directory of the built programs")
	flags.StringVar(&l.cache, "cache", "/var/tmp/jobgait-league", "directory for outcomes and profiles")
	flags.Float64Var(&l.budget, "budget", 3, "what the agent may cost, in percent of each CPU; 0.5 is the cluster's")
	flags.DurationVar(&l.limit, "limit", 30*time.Second, "how long each application runs")
	rounds := flags.Int("rounds", 1, "how often each application runs, quiet and crowded")
	only := flags.String("applications", "", "which, separated by commas; empty is all")
	again := flags.Bool("again", false, "judge the profiles of earlier runs by today's analysis; nothing is run")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
		return 2
	}
	chosen, err := choose(applications(), *only)
	if err != nil {
		fmt.Fprintln(stderr, "league:", err)
		return 2
	}
	failed := 0
	var all []outcome
	for round := 1; round <= *rounds; round++ {
		for _, a := range chosen {
			for _, crowded := range []bool{false, true} {
				o, err := l.outcome(ctx, a, crowded, round, *again)
				if err != nil {
					fmt.Fprintf(stderr, "league: %s: %v\n", key(a, crowded, l.budget, round), err)
					failed = 1
				} else {
					fmt.Fprintf(stderr, "league: %s: %s\n", key(a, crowded, l.budget, round), o.judge(a).verdict)
					all = append(all, o)
				}
				if ctx.Err() != nil {
					return 1
				}
			}
		}
	}
	print(stdout, all, chosen)
	return failed
}

// choose picks applications by name.
func choose(all []application, names string) ([]application, error) {
	if names == "" {
		return all, nil
	}
	var chosen []application
	for _, name := range strings.Split(names, ",") {
		i := slices.IndexFunc(all, func(a application) bool { return a.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no application %q; there are %s", name, strings.Join(named(all), ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func named(all []application) []string {
	var names []string
	for _, a := range all {
		names = append(names, a.name)
	}
	return names
}
