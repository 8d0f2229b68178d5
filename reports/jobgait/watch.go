package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"jobgait/agent/live"
	"jobgait/analysis/history"
)

// watchOptions are the flags of `jobgait watch`.
type watchOptions struct {
	json, once, stream bool
	cycles             int64
	getenv             func(string) string
}

func watchCommand(getenv func(string) string) *cobra.Command {
	o := watchOptions{getenv: getenv}
	c := &cobra.Command{
		Use:   "watch [JOBID|PID|DIR]",
		Short: "watch the rhythm of a job while it runs",
		Long: "watch shows what is known of a running job's loop: how long a cycle takes now,\n" +
			"how many there were, when the next one ends, and whether it has stopped. A\n" +
			"number is a job id, else the process id of `jobgait run` or of any process that\n" +
			"it started; a directory is one that holds live.json. Without one the newest of\n" +
			"your own runs on this machine is meant. A job on other nodes is watched there,\n" +
			"by one step of srun. On a cluster there is something to watch where the site\n" +
			"sets agent.live_dir.\n\n" +
			"It is in_cycle, suspended or, busy with other code, left_loop; stalled is one\n" +
			"that ended no cycle for five of its longest usual intervals, 10 s at least,\n" +
			"after 20 cycles, while its processes slept, waited in the kernel or in MPI and\n" +
			"OpenMP libraries that keep a CPU busy. Before that it is starting, or none while\n" +
			"nothing repeats. Of a run whose agent was killed the last state is shown, and\n" +
			"called dead.\n\n" +
			"It also says when the job ends, with an interval, and whether its time limit\n" +
			"comes first: if three or more of your earlier runs of the same application and\n" +
			"shape came to their end, in a loop as long as this, with as many cycles (the\n" +
			"last ten of them within 2 %), or if --cycles says how many there will be. In\n" +
			"JSON that is pace, null without: cycles_usual, runs (how many say so), ends_at,\n" +
			"ends_lo, ends_hi, limit_at, limit_first.\n\n" +
			"--stream is for programs: a line for the last cycle, then one for each that\n" +
			"ends, with cycle (its number), boundary, length_s, residual (0 is as usual, 1\n" +
			"unlike any other), next_boundary, boundary_error_s and low: the stretches at a\n" +
			"low level of activity that come next, each with begins, duration_s, error_s and\n" +
			"repeatability, the share of cycles in which it came. A cycle is told when it is\n" +
			"found, mostly within 0.2 s: as long as somebody reads, the agent looks twenty\n" +
			"times a second if its budget has room for that, else twice. It ends with the\n" +
			"run, of which nothing is expected then.\n\n" +
			"Exit status: 0 it runs, 1 there is none, it is over or it is not yours.",
		Args: wants(0, 1, "one job, process or directory"),
		RunE: func(cmd *cobra.Command, args []string) error {
			what := ""
			if len(args) > 0 {
				what = args[0]
			}
			if o.cycles < 0 {
				return usageError{errors.New("--cycles wants a number of cycles")}
			}
			return o.watch(cmd.Context(), what, cmd.OutOrStdout())
		},
	}
	c.Flags().BoolVar(&o.json, "json", false, "print JSON, as live.json has it")
	c.Flags().BoolVar(&o.once, "once", false, "print what is known now, and end")
	c.Flags().BoolVar(&o.stream, "stream", false, "print one line of JSON for each cycle")
	c.MarkFlagsMutuallyExclusive("once", "stream")
	c.Flags().Int64Var(&o.cycles, "cycles", 0, "how many cycles the run will make, instead of those of earlier runs")
	return c
}

// pollEvery is how often the file is looked at.
const pollEvery = 250 * time.Millisecond

// errOver says that there is nothing to watch, in words.
type errOver struct{ text string }

func (e errOver) Error() string { return e.text }

func (o watchOptions) watch(ctx context.Context, what string, out io.Writer) error {
	path, err := o.find(what)
	if err != nil {
		return o.elsewhere(ctx, what, err, out)
	}
	if o.stream {
		return follow(ctx, path, out)
	}
	screen := isTerminal(out) && !o.json && !o.once
	last := ""
	p := pacer{cycles: o.cycles, earlier: func(j live.Job) []history.Run { return o.earlier(ctx, j) }}
	for {
		s, alive, err := look(func() (live.State, error) { return live.Read(path) })
		if err != nil {
			return err
		}
		s.Pace = p.of(s)
		text := o.draw(s, alive, screen)
		if text != "" && text != last {
			if _, err := io.WriteString(out, text); err != nil {
				return nil // nobody reads any more
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

// look reads a state, and whether its agent lives. One that is gone may have written its
// last words between these two: they are read then.
func look(read func() (live.State, error)) (s live.State, alive bool, err error) {
	if s, err = read(); err != nil || s.Alive() {
		return s, err == nil, err
	}
	if last, err := read(); err == nil {
		s = last
	}
	return s, s.Alive(), nil
}

// draw is what is printed of a state, "" if nothing.
func (o watchOptions) draw(s live.State, alive, screen bool) string {
	if o.json {
		if !alive {
			s.State = deadState(s)
		}
		b, err := json.Marshal(s)
		if err != nil {
			return ""
		}
		return string(b) + "\n"
	}
	text := words(s, alive, time.Now())
	if screen {
		return "\x1b[H\x1b[J" + text
	}
	return text
}

// find returns the file that is meant on this machine.
func (o watchOptions) find(what string) (string, error) {
	dirs, err := o.liveDirs()
	if err != nil {
		return "", err
	}
	uid := os.Getuid()
	if st, err := os.Stat(what); what != "" && err == nil && st.IsDir() {
		return within(what)
	}
	id, isNumber := number(what)
	if what != "" && !isNumber {
		return "", fmt.Errorf("%.80q is no job, process or directory", what)
	}
	runs := runsOf(dirs, uid)
	if what == "" {
		return newestLive(runs)
	}
	for _, byID := range []bool{true, false} {
		for _, r := range runs {
			if s, err := live.Read(r); err == nil && (byID && s.JobID == id || !byID && started(s, int(id))) {
				return r, nil
			}
		}
	}
	return "", errOver{fmt.Sprintf("no job or process %d of yours is known here", id)}
}
