package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"jobgait/agent/job/scheduler"
	"jobgait/analysis/application"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/configs"
	"jobgait/reports/earlier"
	"jobgait/reports/job"
)

// showOptions are the flags of the verbs that print a report.
type showOptions struct {
	json, html, ascii bool
	last              bool
	history           string
}

// flags adds the flags.
func (o *showOptions) flags(c *cobra.Command) {
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	c.Flags().BoolVar(&o.html, "html", false, "print an HTML page")
	c.Flags().BoolVar(&o.ascii, "ascii", false, "print text without block characters")
	c.MarkFlagsMutuallyExclusive("json", "html")
}

// showCommand returns the verb show.
func showCommand(getenv func(string) string) *cobra.Command {
	var o showOptions
	c := &cobra.Command{
		Use:   "show [JOBID]",
		Short: "print the report of a stored run (123, 123_7, 123+1) or array",
		Args: func(_ *cobra.Command, args []string) error {
			if n := len(args); n > 1 || o.last == (n == 1) {
				return usageError{errors.New("show needs one job id, or --last: jobgait show 123")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return show(cmd.Context(), getenv, o, strings.Join(args, ""), cmd.OutOrStdout())
		},
	}
	o.flags(c)
	c.Flags().BoolVar(&o.last, "last", false, "print the report of your newest run")
	historyFlag(c, &o.history)
	return c
}

// historyFlag adds the flag --history.
func historyFlag(c *cobra.Command, path *string) {
	c.Flags().StringVar(path, "history", "",
		"use this history database, or `FILE,FILE,...` of several clusters (default: the configured one, else your own)")
}

// show prints the report of a stored run, or the summary of an array or heterogeneous job. If no history has
// the run, it prints the digest from the accounting.
func show(ctx context.Context, getenv func(string) string, o showOptions, id string, out io.Writer) (failed error) {
	if !o.last && !run.IsDisplayID(id) {
		return jobIDError(id)
	}
	from, err := openHistories(ctx, getenv, o.history)
	if err != nil {
		return o.digest(ctx, getenv, id, out, err)
	}
	defer from.closeAfter(&failed)
	if rolled, err := o.group(ctx, from, id, out); rolled || err != nil {
		return err
	}
	s, db, err := o.find(ctx, from, id)
	if err != nil {
		return o.digest(ctx, getenv, id, out, err)
	}
	look, err := application.AssessRun(ctx, db, s, application.DefaultLimits())
	if err != nil {
		return err
	}
	judged, err := earlier.Judge(look)
	if err != nil {
		return err
	}
	return o.print(out, s, judged)
}

// group prints the summary of the array or heterogeneous job with this id and returns true if two or more of its parts
// have a run. It returns false for any other job, and with --last, --json or --html.
func (o showOptions) group(ctx context.Context, from openedHistories, id string, out io.Writer) (bool, error) {
	n, err := run.ParseJobID(id)
	if err != nil || o.last || o.json || o.html {
		return false, nil
	}
	for _, db := range from.dbs {
		runs, err := db.Runs(ctx, history.Query{JobID: n, Limit: 1})
		if err != nil {
			return false, err
		}
		if len(runs) == 0 {
			continue
		}
		newest := foundRun{runs[0], db}
		g, ok := groupOf(newest)
		if !ok || g.id != id {
			continue
		}
		if g, err = g.read(ctx, newest); err != nil || len(g.runs) < 2 {
			return false, err
		}
		return true, g.writeText(ctx, out)
	}
	return false, nil
}

// digest prints the digest in the accounting's comment for a job that no history contains. It returns the error why if
// the accounting has no digest, and with --last, --json, --html or --history.
func (o showOptions) digest(ctx context.Context, getenv func(string) string, id string, out io.Writer,
	why error) error {
	cfg, err := settings(getenv)
	if err != nil || o.last || o.json || o.html || o.history != "" {
		return why
	}
	u, err := scheduler.Accounting(cfg, getenv).Usage(ctx, id)
	if err != nil {
		return why
	}
	d, err := job.ParseComment(u.Comment)
	if err != nil {
		return why
	}
	return job.DigestText(out, "Job "+id, d)
}

// jobIDError returns the usage error for text that is no job id.
func jobIDError(id string) error {
	return usageError{fmt.Errorf("%q is not a job id: want a number, 123_7 for task 7 of array 123, or "+
		"123+1 for a component of job 123", id)}
}

// find returns the newest run of the job id, or with --last the caller's newest run, with the history that contains it.
func (o showOptions) find(ctx context.Context, from openedHistories, id string) (summary.Summary, *history.DB, error) {
	if !o.last {
		return from.run(ctx, id)
	}
	runs, err := from.runs(ctx, history.Query{User: userName(), Limit: 1})
	if err == nil && len(runs) == 0 {
		err = fmt.Errorf("no run of %s in %s (jobgait list shows what is there)", userName(), from.path())
	}
	if err != nil {
		return summary.Summary{}, nil, err
	}
	s, _, err := runs[0].db.Lookup(ctx, history.Ref{ID: runs[0].DisplayID, Cluster: runs[0].Cluster})
	return s, runs[0].db, err
}

// print writes a report in the requested format.
func (o showOptions) print(out io.Writer, s summary.Summary, judged earlier.Judgement) error {
	r := job.New(s, judged.Runs, job.Options{Version: configs.Version, Now: float64(time.Now().UnixNano()) / 1e9,
		ASCII: o.ascii, Location: time.Local, OtherRuns: judged.Across})
	switch {
	case o.json:
		return job.JSON(out, r)
	case o.html:
		return job.HTML(out, r)
	}
	return job.Text(out, r)
}

// openHistory opens the requested database. If path is "" it opens the configured one if this user can read it,
// else the user's snapshot of it, else the user's own from `jobgait run`.
func openHistory(ctx context.Context, getenv func(string) string, path string) (*history.DB, string, error) {
	candidates, site := []string{path}, configs.HistorySettings{}
	if path == "" {
		candidates = nil
		for _, env := range []func(string) string{getenv, configs.WithOneMachine(getenv)} {
			cfg, err := settings(env)
			if err != nil && len(candidates) > 0 {
				break // without HOME, as under slurmctld, there is no history of the user's own
			}
			if err != nil {
				return nil, "", err
			}
			candidates = append(candidates, cfg.History.Path)
			if len(candidates) > 1 {
				continue
			}
			site = cfg.History
			if own := site.SnapshotOf(os.Getuid()); own != "" {
				candidates = append(candidates, own)
			}
		}
	}
	var failures []error
	for _, p := range candidates {
		st, err := os.Stat(p)
		if err == nil && st.Mode().IsRegular() {
			err = unix.Access(p, unix.R_OK)
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			path, failures = p, append(failures, err)
			continue
		}
		if err == nil && st.Mode().IsRegular() && st.Size() == 0 {
			return nil, "", fmt.Errorf("%s is empty: no run was stored yet, or --history must name another file", p)
		}
		db, err := history.OpenReadOnly(ctx, p)
		return db, p, err
	}
	return nil, "", noHistoryError(path, site, failures)
}

// reportsHint says where the user's reports are, independent of the history.
const reportsHint = "your reports lie beside the output of your jobs, as jobgait-<jobid>.txt; ask the " +
	"administrators for " +
	"the history, or name another with --history"

// unreadableHistory is the error of openHistory if there is no history that the account may read. Its cause is
// fs.ErrPermission if one exists.
type unreadableHistory struct {
	text  string
	cause error
}

func (e unreadableHistory) Error() string { return e.text }
func (e unreadableHistory) Unwrap() error { return e.cause }

// noHistoryError explains why no history can be read: on a cluster it may exist nevertheless. failures are the
// errors of the candidates, the site's first.
func noHistoryError(path string, site configs.HistorySettings, failures []error) error {
	text := fmt.Sprintf("no history at %s: no run was stored yet, or --history must name another file", path)
	switch {
	case len(failures) == 1 && errors.Is(failures[0], fs.ErrPermission):
		text = fmt.Sprintf("you may not read the history %s: name another with --history", path)
	case errors.Is(failures[0], fs.ErrPermission):
		text = fmt.Sprintf("you may not read the site's history %s: %s", site.Path, reportsHint)
	case site.Ingest == "spool":
		text = fmt.Sprintf("the site's history is on another host, this one has no %s: %s", site.Path, reportsHint)
	}
	return unreadableHistory{text, failures[0]}
}
