package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/analysis/application"
	"jobgait/analysis/changepoint"
	"jobgait/analysis/forecast"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/table"
	report "jobgait/reports/forecast"
)

// askOptions are the flags of ask.
type askOptions struct {
	history, user, size string
	nodes               int
	json                bool
	complain            io.Writer
}

// askCommand returns the verb ask.
func askCommand(getenv func(string) string) *cobra.Command {
	var o askOptions
	c := &cobra.Command{
		Use:   "ask [--nodes N] [--size S] SCRIPT|JOBID|APP",
		Short: "predict a run from earlier runs before it is submitted",
		Long: "ask predicts a run from earlier completed runs of its application in the same\n" +
			"shape: elapsed time with a 95 % interval, the probability of exceeding the\n" +
			"limit in the #SBATCH lines of the script, memory on each node, the numbers of\n" +
			"nodes that are fastest and that keep an efficiency above 70 %, and the #SBATCH\n" +
			"lines to write. For a number of nodes without runs it uses the scaling law.\n" +
			"With fewer than three runs, or if the runs evidently had different inputs, it\n" +
			"prints what is missing.",
		Args: argCount(1, 1, "one batch script, job id or application: jobgait ask run.sh"),
		RunE: func(cmd *cobra.Command, args []string) (failed error) {
			if o.nodes < 0 {
				return usageError{fmt.Errorf("invalid --nodes %d: want 0 or more", o.nodes)}
			}
			o.complain = cmd.ErrOrStderr()
			from, err := openHistories(cmd.Context(), getenv, o.history)
			if err != nil {
				return err
			}
			defer from.closeAfter(&failed)
			a, err := o.answer(cmd.Context(), from, args[0], cmd.Flags().Changed("size"))
			if err != nil {
				return err
			}
			if o.json {
				return report.JSON(cmd.OutOrStdout(), a)
			}
			return report.Text(cmd.OutOrStdout(), a, time.Local)
		},
	}
	historyFlag(c, &o.history)
	c.Flags().StringVarP(&o.user, "user", "u", "", "use the runs of this user (default: yours)")
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	c.Flags().IntVarP(&o.nodes, "nodes", "N", 0,
		"predict for this number of nodes (default: the script's, else the newest run's)")
	c.Flags().StringVar(&o.size, "size", "",
		"predict for this label of the input (default: the script's, else the newest run's)")
	return c
}

// answer forecasts a run of the application that what names: a job id, a batch script or an application. --nodes and,
// if sized (it was given), --size override the resources that the job or script requests.
func (o askOptions) answer(ctx context.Context, from openedHistories, what string, sized bool) (forecast.PlannedRun,
	error) {
	if o.user == "" {
		o.user = userName()
	}
	app, target, err := o.target(ctx, from, what)
	if err != nil {
		return forecast.PlannedRun{}, err
	}
	if o.nodes > 0 {
		target.Nodes, target.Tasks = o.nodes, 0
	}
	if sized {
		target.Size = &o.size
	}
	stored, err := from.histories(ctx, history.HistoryQuery{User: o.user, App: app, Runs: mostStoredRuns,
		Series: application.DefaultLimits().Shapes})
	if err != nil {
		return forecast.PlannedRun{}, err
	}
	h, err := application.NewHistories(stored, "elapsed_s")
	if err != nil {
		return forecast.PlannedRun{}, err
	}
	found := changepoint.Analyse(table.WithOwners(h.Inputs), changepoint.Sequential, changepoint.Default())
	a := forecast.Plan(h, found, target, forecast.Default())
	a.App = app
	return a, nil
}

// target returns the application that the argument names, and the resources that a script or an earlier job
// requests. The argument is a job id, else the path of a regular file, a batch script, else the name of an
// application.
func (o askOptions) target(ctx context.Context, from openedHistories, what string) (app string, t forecast.Target,
	err error) {
	if run.IsDisplayID(what) {
		s, _, err := from.run(ctx, what)
		if err != nil {
			return "", t, err
		}
		l, _ := history.LayoutOf(history.Shape(s))
		return history.Application(s), forecast.Target{Nodes: l.Nodes, Tasks: l.Tasks, Size: &l.Size,
			LimitS: s.Job.TimeLimitS}, nil
	}
	info, err := os.Stat(what)
	if err != nil || !info.Mode().IsRegular() {
		return what, t, nil // an application's name
	}
	q, err := readScript(what)
	if err != nil {
		return "", t, err
	}
	for _, line := range scriptComplaints(q) {
		fmt.Fprintf(o.complain, "jobgait: %s %s\n", what, line)
	}
	t = forecast.Target{Nodes: q.Nodes, Tasks: q.Tasks, LimitS: q.LimitS, MemoryBytes: q.MemoryBytes}
	if q.Size != "" {
		t.Size = &q.Size
	}
	if q.App != "" {
		return q.App, t, nil
	}
	app, err = o.appOfJobName(ctx, from, q.Name, info.Name())
	return app, t, err
}

// scriptComplaints says what is wrong with a script or missing in it; each line continues the script's name.
func scriptComplaints(q job.ScriptOptions) []string {
	var list []string
	if !q.Interpreter {
		list = append(list, `does not begin with "#!": sbatch rejects it`)
	}
	if q.DOSLineEnds {
		list = append(list, "has DOS line ends: sbatch rejects it; convert it with dos2unix")
	}
	if q.Directives == 0 {
		list = append(list, "has no #SBATCH lines: the answer judges no limit")
	}
	if q.Heterogeneous {
		list = append(list, "describes a heterogeneous job: the answer is for its first component")
	}
	return list
}

// readScript reads the #SBATCH options of a script.
func readScript(path string) (job.ScriptOptions, error) {
	f, err := os.Open(path)
	if err != nil {
		return job.ScriptOptions{}, err
	}
	defer func() { _ = f.Close() }()
	q, err := scheduler.ReadScript(f)
	if err != nil {
		return q, fmt.Errorf("read the batch script %s: %w", path, err)
	}
	return q, nil
}

// appOfJobName returns the application of the newest of the user's last maxSearchedRuns runs whose job has
// the given name, by default the script's.
func (o askOptions) appOfJobName(ctx context.Context, from openedHistories, name, script string) (string, error) {
	if name == "" {
		name = script
	}
	runs, err := from.runs(ctx, history.Query{User: o.user, Limit: maxSearchedRuns})
	if err != nil {
		return "", err
	}
	for _, r := range runs {
		if r.JobName == name && r.App != "" {
			return r.App, nil
		}
	}
	return "", errors.New("no earlier job of " + o.user + " is called " + name +
		": name the application (jobgait list shows " +
		"them)")
}

// maxSearchedRuns is the number of a user's newest runs that are searched for a job's name.
const maxSearchedRuns = 5000
