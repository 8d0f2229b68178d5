package league

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
	"testing"
	"time"
)

// TestLeague prints the tables. It is skipped without arguments, since it installs packages
// and takes a minute per application:
//
//	go test -v -timeout 5h -run TestLeague ./packaging/league -args run -bin $PWD/build/bin
func TestLeague(t *testing.T) {
	if flag.Arg(0) != "run" {
		t.Skip("runs real applications for an hour: make -C packaging league")
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if status := runLeague(ctx, flag.Args()[1:], os.Stdout, os.Stderr); status != 0 {
		t.Errorf("exit status %d", status)
	}
}

// runLeague runs the league that args describe: 0 where every run has an outcome, 1 where one
// failed, 2 for wrong arguments.
func runLeague(ctx context.Context, args []string, stdout, stderr io.Writer) int {
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
	if l.seizes, err = newSeizeCounter(); err != nil {
		fmt.Fprintln(stderr, "league:", err)
	} else {
		defer l.seizes.close()
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
