package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"jobgait/agent/job/scheduler"
	"jobgait/agent/live"
	"jobgait/analysis/history"
	"jobgait/analysis/phase"
	"jobgait/analysis/run"
	"jobgait/configs"
	"jobgait/reports/watch"
)

// watchOptions are the flags of `jobgait watch`.
type watchOptions struct {
	json, once, stream bool
	cycles             int64
	getenv             func(string) string
}

// watchCommand returns the verb watch.
func watchCommand(getenv func(string) string) *cobra.Command {
	o := watchOptions{getenv: getenv}
	c := &cobra.Command{
		Use:   "watch [JOBID|PID|DIR]",
		Short: "watch the rhythm of a job while it runs",
		Long: "watch shows the loop of a running job: how long a cycle takes now, how many\n" +
			"cycles have ended, when the next one ends, and whether the job has stalled. A\n" +
			"number is a job id, otherwise the process id of `jobgait run` or of any process\n" +
			"that it started; a directory is one that contains live.json. Without an\n" +
			"argument it shows your newest run on this machine. A job on other nodes is\n" +
			"watched there, by one step of srun. On a cluster, watch works only if the site\n" +
			"sets agent.live_dir.\n\n" +
			"The state is starting, none (nothing repeats), in_cycle, left_loop (the job is\n" +
			"busy with other code), suspended or stalled. A job is stalled in three cases:\n" +
			"- It made at least 20 cycles, then ended none for five of its longest usual\n" +
			"  intervals and at least 10 s, while its processes slept, waited in the kernel,\n" +
			"  or waited in MPI and OpenMP libraries that keep a CPU busy.\n" +
			"- Its own code ran before, and on this node it has only waited in MPI or\n" +
			"  OpenMP, or slept if it uses MPI, for 30 s and for five of its longest such\n" +
			"  stretches that ended.\n" +
			"- It has no cycles, was busy for a minute and has slept for five minutes since.\n\n" +
			"For a stalled job, watch shows after some seconds the functions that its tasks\n" +
			"on this node execute. For a job of several nodes it does so once the job has\n" +
			"been stalled for the site's agent.stack_after_s (5 minutes), because tasks of\n" +
			"other nodes may work. If the agent of a run was killed, watch shows the last\n" +
			"state and calls it dead.\n\n" +
			"watch predicts when the job ends, with an interval, and whether its time limit\n" +
			"comes first. It needs --cycles, or three or more of your earlier runs of the\n" +
			"same application and shape that completed, in a loop as long as this one and\n" +
			"with equal numbers of cycles (within 2 % in the last ten). In JSON the\n" +
			"prediction is pace, or null: cycles_usual, runs (the number of earlier runs),\n" +
			"ends_at, ends_lo, ends_hi, limit_at, limit_first. last_checkpoint_by is the\n" +
			"latest time at which the last checkpoint can begin and still end before the\n" +
			"limit. If it is unknown, no_last_checkpoint says why: no_time_limit, or\n" +
			"no_checkpoint_known (checkpoints are known after three breaks of the loop, or\n" +
			"four bursts of writing of about equal size, at regular distances, or from an\n" +
			"earlier run with such breaks). What is appended to a file that stays open does\n" +
			"not count as a burst.\n\n" +
			"--stream is for programs: it prints one line for the last cycle, then one for\n" +
			"each cycle that ends, with cycle (its number), boundary, length_s, residual (0:\n" +
			"as usual, 1: unlike any other), next_boundary, boundary_error_s and low. low\n" +
			"lists the next stretches of low activity, each with begins, duration_s, error_s\n" +
			"and repeatability, the share of cycles in which it occurred. A cycle is printed\n" +
			"when it is found: the agent reads its samples every 0.25 to 0.75 s. The stream\n" +
			"ends with the run.\n\n" +
			"Exit status: 0 the job runs, 1 it does not exist, has ended or is not yours.",
		Args: argCount(0, 1, "at most one job, process or directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			what := ""
			if len(args) > 0 {
				what = args[0]
			}
			if o.cycles < 0 {
				return usageError{fmt.Errorf("invalid --cycles %d: want a positive number of cycles", o.cycles)}
			}
			return o.watch(cmd.Context(), what, cmd.OutOrStdout())
		},
	}
	c.Flags().BoolVar(&o.json, "json", false, "print JSON in the form of live.json")
	c.Flags().BoolVar(&o.once, "once", false, "print the current state and exit")
	c.Flags().BoolVar(&o.stream, "stream", false, "print one line of JSON for each cycle")
	c.MarkFlagsMutuallyExclusive("once", "stream")
	c.Flags().Int64Var(&o.cycles, "cycles", 0, "expect this many cycles of the run, instead of as many as in earlier runs")
	return c
}

// pollEvery is the interval between readings of the file.
const pollEvery = 250 * time.Millisecond

// errOver is the error that there is nothing to watch.
type errOver struct{ text string }

func (e errOver) Error() string { return e.text }

// watch shows the running job that what names until it ends, and then returns status(1); with --once it shows the state
// once. A job that is not on this machine is watched by watchElsewhere.
func (o watchOptions) watch(ctx context.Context, what string, out io.Writer) error {
	path, err := o.find(what)
	if err != nil {
		return o.watchElsewhere(ctx, what, err, out)
	}
	if o.stream {
		return follow(ctx, path, out)
	}
	screen := isTerminal(out) && !o.json && !o.once
	last, limits := "", askedLimit{}
	p := watch.Pacer{Cycles: o.cycles, Earlier: func(j live.Job) []history.Run { return o.earlierRuns(ctx, j) },
		Checkpoint: func(runs []history.Run) float64 { return o.checkpoint(ctx, runs) }}
	for {
		s, alive, err := readState(func() (live.State, error) { return live.Read(path) })
		if err != nil {
			return err
		}
		if s.LimitAt == nil && alive {
			s.LimitAt = limits.of(ctx, o.getenv, s)
		}
		s.Pace = p.Pace(s)
		p.SetLastCheckpoint(&s)
		text := o.draw(s, alive, screen)
		if text != "" && text != last {
			if _, err := io.WriteString(out, text); err != nil {
				return nil // the reader has gone
			}
			if last = text; screen {
				last = "" // the time goes on
			}
		}
		switch {
		case !alive:
			return status(1)
		case o.once:
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pollEvery):
		}
	}
}

// askedLimit is the time limit of a job from one query of its scheduler: the job's environment has it under some
// schedulers only.
type askedLimit struct {
	asked bool
	at    *time.Time
}

// of returns when the time limit of a running job is reached; nil where the scheduler does not report it and
// for runs of `jobgait run`. It queries the scheduler once.
func (a *askedLimit) of(ctx context.Context, getenv func(string) string, s live.State) *time.Time {
	if a.asked || s.Command != 0 || s.JobID <= 0 { // of jobgait run no scheduler knows
		return a.at
	}
	a.asked = true
	cfg, err := settings(getenv)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	d, err := scheduler.ForSettings(cfg, getenv).QueryJob(ctx, run.JobID(s.JobID))
	if err == nil && d.End != nil && !d.Over && *d.End > s.At.Unix() && *d.End < s.At.Unix()+366*86400 {
		at := time.Unix(*d.End, 0).UTC()
		a.at = &at
	}
	return a.at
}

// readState reads a state and reports whether its agent is alive. If the agent has ended, it reads the state
// again, because the agent may have written its last state in between.
func readState(read func() (live.State, error)) (s live.State, alive bool, err error) {
	if s, err = read(); err != nil || s.Alive() {
		return s, err == nil, err
	}
	if last, err := read(); err == nil {
		s = last
	}
	return s, s.Alive(), nil
}

// draw returns the text to print for a state, "" if there is nothing to print.
func (o watchOptions) draw(s live.State, alive, screen bool) string {
	if o.json {
		line, err := watch.JSON(s, alive)
		if err != nil {
			return ""
		}
		return line
	}
	text := watch.Text(s, alive, time.Now())
	if screen {
		return "\x1b[H\x1b[J" + text
	}
	return text
}

// follow prints a line for each cycle until the run is over. It gets the cycles from the agent's socket, or
// from the agent's file while the socket is silent.
func follow(ctx context.Context, path string, out io.Writer) error {
	var lines watch.CycleLines
	for ctx.Err() == nil {
		s, alive, err := readState(func() (live.State, error) { return live.Read(path) })
		if err != nil {
			return err
		}
		if _, err := io.WriteString(out, lines.Next(s, alive)); err != nil {
			return nil // the reader has gone
		}
		if !alive {
			return status(1)
		}
		if r, err := live.Dial(path); err == nil {
			listen(ctx, r, &lines, out)
			r.Close()
		}
		select {
		case <-ctx.Done():
		case <-time.After(pollEvery): // also after an agent that lets everybody go
		}
	}
	return nil
}

// listen prints lines as the agent sends states, until it stops sending.
func listen(ctx context.Context, r *live.Subscriber, lines *watch.CycleLines, out io.Writer) {
	for ctx.Err() == nil {
		s, err := r.Next(pollEvery)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			continue
		case err != nil:
			return
		}
		if _, err := io.WriteString(out, lines.Next(s, true)); err != nil {
			return
		}
	}
}

// mostEarlier is the number of earlier runs that are read, to find ten that completed.
const mostEarlier = 50

// earlierRuns returns the user's runs of the application in that shape, newest first; none without a history.
func (o watchOptions) earlierRuns(ctx context.Context, j live.Job) []history.Run {
	s := watch.SummaryOf(j)
	app := history.Application(s)
	if app == history.Unknown {
		return nil
	}
	path, err := o.historyToRead()
	if err != nil {
		return nil
	}
	db, _, err := openHistory(ctx, o.getenv, path)
	if err != nil {
		return nil
	}
	defer func() { _ = db.Close() }()
	runs, err := db.Runs(ctx, history.Query{Cluster: j.Cluster, User: userName(), App: app, Shape: history.Shape(s),
		Limit: mostEarlier})
	if err != nil {
		return nil
	}
	return runs
}

// checkpointRuns is the number of newest earlier runs that are searched for checkpoints.
const checkpointRuns = 5

// checkpoint returns the length in s of the longest checkpoint of the first checkpointRuns of runs, which are the
// newest; 0 if none is known.
func (o watchOptions) checkpoint(ctx context.Context, runs []history.Run) float64 {
	path, err := o.historyToRead()
	if err != nil || len(runs) == 0 {
		return 0
	}
	db, _, err := openHistory(ctx, o.getenv, path)
	if err != nil {
		return 0
	}
	defer func() { _ = db.Close() }()
	longest := 0.0
	for _, r := range runs[:min(len(runs), checkpointRuns)] {
		s, _, err := db.Lookup(ctx, history.Ref{ID: r.DisplayID, Cluster: r.Cluster, Restart: &r.Restart, Sub: &r.Sub})
		if err == nil {
			longest = max(longest, phase.LongestCheckpoint(s.Phases))
		}
	}
	return longest
}

// historyToRead returns the history to read, "" for the usual one. Root reads only root's own.
func (o watchOptions) historyToRead() (string, error) {
	if os.Geteuid() != 0 {
		return "", nil
	}
	cfg, err := settings(configs.WithOneMachine(o.getenv))
	if err != nil {
		return "", err
	}
	return cfg.History.Path, nil
}

// watchElsewhere watches the job with the number what on its first node by one job step that runs the whole time. It
// returns failed, the error of looking for the job on this machine, if what is not a number or is one of the caller's
// processes, or if the step fails.
func (o watchOptions) watchElsewhere(ctx context.Context, what string, failed error, out io.Writer) error {
	var over errOver
	id, isNumber := positiveNumber(what)
	if !isNumber || !errors.As(failed, &over) {
		return failed
	}
	if owner, isProcess := processOwner(id); isProcess && int(owner) == os.Getuid() {
		return failed
	}
	self, err := os.Executable()
	if err != nil {
		return failed
	}
	args := []string{self, "watch"}
	for flag, on := range map[string]bool{"--json": o.json, "--once": o.once, "--stream": o.stream} {
		if on {
			args = append(args, flag)
		}
	}
	if o.cycles > 0 {
		args = append(args, "--cycles", strconv.FormatInt(o.cycles, 10))
	}
	step, err := scheduler.StepCommand(o.getenv, run.JobID(id), append(args, what)...)
	if err != nil {
		return failed
	}
	if o.once {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, step.Command[0], step.Command[1:]...)
	cmd.Env = step.Environ
	cmd.Stdout = out // the scheduler's messages are not part of the answer
	if err := cmd.Run(); err != nil {
		return failed
	}
	return nil
}
