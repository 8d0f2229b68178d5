package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/reports/seff"
)

// unknownJob is the exit status of seff for an unknown job.
const unknownJob status = 2

// seffCommand returns the verb seff.
func seffCommand(getenv func(string) string) *cobra.Command {
	var path string
	c := &cobra.Command{
		Use:   "seff JOBID",
		Short: "print the lines of Slurm's seff, the cycle and the first finding",
		Long: "seff prints the lines of Slurm's seff in its order and wording, then the cycle\n" +
			"of the job, its first finding, what that cost and what to do. It reads the\n" +
			"history; if the job is not in it, the accounting database. Exit status 2:\n" +
			"neither contains the job.",
		Args: argCount(1, 1, "one job id: jobgait seff 123"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !run.IsDisplayID(args[0]) {
				return jobIDError(args[0])
			}
			r, err := efficiencyOf(cmd.Context(), getenv, path, args[0])
			if errors.Is(err, history.ErrNotFound) || errors.Is(err, job.ErrUnknown) {
				fmt.Fprintf(cmd.ErrOrStderr(), "jobgait: job %s not found: %v\n", args[0], err)
				return unknownJob
			}
			if err != nil {
				return err
			}
			return r.Text(cmd.OutOrStdout())
		},
	}
	historyFlag(c, &path)
	return c
}

// efficiencyOf returns the efficiency of a job from the history. If the history lacks the final state, the
// accounting completes it; if it lacks the job, the accounting gives all values. If neither can answer, it
// returns the error of the history, joined with that of the accounting unless queries are disabled.
func efficiencyOf(ctx context.Context, getenv func(string) string, path, id string) (seff.Efficiency, error) {
	r, stored := storedEfficiency(ctx, getenv, path, id)
	if stored == nil && r.State != "" {
		return r, nil
	}
	cfg, err := settings(getenv)
	if err != nil {
		return r, err
	}
	u, err := scheduler.Accounting(cfg, getenv).Usage(ctx, id)
	switch {
	case stored == nil && err == nil && u.JobID == r.JobID:
		r.State = u.State // the history has not learned it yet
		return r, nil
	case stored == nil:
		return r, nil
	case errors.Is(err, job.ErrNotQueried):
		return r, stored
	case err != nil && !errors.Is(err, job.ErrUnknown):
		return r, fmt.Errorf("%w; %w", stored, err)
	}
	return seff.EfficiencyOfAccounting(u), err
}

// storedEfficiency returns the efficiency of a job from the history.
func storedEfficiency(ctx context.Context, getenv func(string) string, path, id string) (_ seff.Efficiency,
	failed error) {
	from, err := openHistories(ctx, getenv, path)
	if err != nil {
		return seff.Efficiency{}, err
	}
	defer from.closeAfter(&failed)
	s, _, err := from.run(ctx, id)
	if err != nil {
		return seff.Efficiency{}, err
	}
	return seff.EfficiencyOfStored(s), nil
}
