package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"jobgait/agent/job/local"
	"jobgait/analysis/run"
	"jobgait/reports/job"
)

// runOptions are the flags of `jobgait run`.
type runOptions struct {
	name, app, size, dir, commit, names string
	labels                              []string
}

// runCommand returns the verb run.
func runCommand(environ []string, getenv func(string) string) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "run [FLAG...] -- COMMAND [ARG...]",
		Short: "run a command and write a report of its rhythm",
		Long: "run starts COMMAND exactly as it would run without jobgait (environment,\n" +
			"directory, streams, terminal, process group), while an agent takes samples. It\n" +
			"writes jobgait-<id>.txt, .json and .html to the directory of --output. After\n" +
			"COMMAND a line on standard error says where they are. The exit status is that\n" +
			"of COMMAND; as in a shell, 126 and 127 mean that COMMAND could not be run or\n" +
			"was not found.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageError{fmt.Errorf("run needs a command: jobgait run -- COMMAND")}
			}
			if _, ok := run.ParseDisclosureLevel(o.names); !ok {
				return usageError{fmt.Errorf("invalid --names %.40q: want all, libraries or off", o.names)}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			r := oneRun{o, args, environ, getenv, cmd.ErrOrStderr()}
			return r.run(cmd.Context())
		},
	}
	c.DisableFlagsInUseLine = true
	c.Flags().SetInterspersed(false)
	c.Flags().StringVar(&o.name, "name", "", "set the name of the job (default: that of the command)")
	c.Flags().StringVar(&o.app, "app", "", "set the name of the application; only runs of one application are compared")
	c.Flags().StringVar(&o.size, "size", "", "record the size of the problem, any text")
	c.Flags().StringVar(&o.commit, "commit", "",
		"record the git commit of the program: the history names it when runs change speed")
	c.Flags().StringArrayVar(&o.labels, "label", nil, "record `NAME=VALUE` for the same purpose (may be repeated)")
	c.Flags().StringVar(&o.names, "names", "",
		"name this much of the code that runs in reports: all, libraries or off (default: as set)")
	c.Flags().StringVarP(&o.dir, "output", "o", "", "write the report to this directory (default: the current one)")
	return c
}

// oneRun is one call of `jobgait run`: COMMAND with its arguments and environment.
type oneRun struct {
	runOptions
	args, environ []string
	getenv        func(string) string
	complain      io.Writer
}

// run acts as a minimal scheduler: it starts COMMAND stopped, calls the Prolog, which starts an agent, releases
// COMMAND, waits for it and calls the Epilog. COMMAND runs even if jobgait fails; each failure prints one line.
func (r oneRun) run(ctx context.Context) error {
	path, code, err := resolve(r.args[0], searchPath(r.environ))
	if err != nil {
		fmt.Fprintf(r.complain, "jobgait: %v\n", err)
		return status(code)
	}
	signals, stop := catchSignals()
	defer stop()
	self, err := ownPath()
	var cmd *command
	if err == nil {
		cmd, err = startStopped(self, path, r.args, shellEnv(r.environ, path))
	}
	if err != nil { // too few descriptors, no /proc: then without us
		fmt.Fprintf(r.complain, "jobgait: %s runs unwatched: %v\n", r.args[0], err)
		err = execCommand(path, r.args, r.environ)
		fmt.Fprintf(r.complain, "jobgait: %s: %v\n", r.args[0], err)
		return status(statusOf(err))
	}
	h := r.watch(ctx, filepath.Dir(self), cmd.pid, signals)
	cmd.release()
	ended := cmd.wait(signals)
	if h != nil {
		h.env = append(h.env, local.CountersVariable(cmd.used))
		finishRun(ctx, h, ended, r.complain, signals)
	}
	if ended.Signaled() {
		dieBySignal(ended.Signal())
		return status(128 + int(ended.Signal()))
	}
	return status(ended.ExitStatus())
}

// watch calls the hooks for the start of a run. It returns within readyLimit + handOverTime even if a home
// directory, a lock or the Prolog hangs, and immediately when a signal for COMMAND arrives. It returns nil when
// the run is not watched.
func (r oneRun) watch(ctx context.Context, bin string, pid int, signals chan os.Signal) *hooks {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	type outcome struct {
		h   *hooks
		err error
	}
	begun := make(chan outcome, 1)
	go func() {
		h := newHooks(bin, r.getenv)
		err := h.prepare(r.runOptions, r.args, pid)
		if err == nil && ctx.Err() == nil && h.prolog(ctx) {
			h.awaitReady(ctx)
		}
		begun <- outcome{h, err}
	}()
	select {
	case got := <-begun:
		if got.err != nil {
			fmt.Fprintf(r.complain, "jobgait: %s runs unwatched: %v\n", r.args[0], got.err)
			return nil
		}
		got.h.complainTo(r.complain)
		return got.h
	case <-time.After(readyLimit + handOverTime):
		fmt.Fprintf(r.complain, "jobgait: %s runs unwatched: the agent was not ready within %v: see jobgait doctor\n",
			r.args[0],
			readyLimit)
	case s := <-signals:
		fmt.Fprintf(r.complain, "jobgait: %s runs unwatched: interrupted (%v)\n", r.args[0], s)
		signals <- s
	}
	return nil
}

// finishRun calls the Epilog and prints one line: where the report is, or how to get it later if it is not there
// yet and no hook complained.
func finishRun(ctx context.Context, h *hooks, ended syscall.WaitStatus, complain io.Writer, signals <-chan os.Signal) {
	working := startProgress(complain, "analysing the run")
	waited := h.epilog(ctx, ended, signals)
	newline := ""
	if !working.done() && isTerminal(complain) { // the command's last line may lack an end
		newline = "\n"
	}
	base, ok := h.delivered()
	switch {
	case ok:
		fmt.Fprintf(complain, "%sjobgait: report in %s.txt\n", newline, base)
	case !ok && waited && len(h.said) == 0:
		fmt.Fprintf(complain, "jobgait: no report in %s yet; `jobgait show %d` has it when it is made\n", h.reportDir,
			h.key.JobID)
	}
}

// readyLimit is the longest time for which COMMAND waits for the agent.
const readyLimit = time.Second

// handOverTime is how long after readyLimit the hooks may take to return; an agent that is not ready by then
// becomes ready later.
const handOverTime = 100 * time.Millisecond

// catchSignals catches the signals by which a user or a scheduler ends or notifies a job. Signals that were
// ignored at the start stay ignored, so that nohup works. The terminal sends INT and QUIT to COMMAND itself.
func catchSignals() (chan os.Signal, func()) {
	// jobgait must not end when the reader of its messages has ended.
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	c := make(chan os.Signal, 16)
	for _, s := range []os.Signal{unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGHUP, unix.SIGUSR1, unix.SIGUSR2} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c, func() { signal.Stop(c) }
}

// forwarded reports whether a signal is passed on to COMMAND: only this process received it. A terminal sends
// INT and QUIT to the whole foreground group by itself.
func forwarded(s os.Signal) bool {
	return s == unix.SIGTERM || s == unix.SIGHUP || s == unix.SIGUSR1 || s == unix.SIGUSR2
}

// dieBySignal ends this process by the signal that ended COMMAND, so that the shell sees the same end. It
// returns if the signal does not end the process.
func dieBySignal(s syscall.Signal) {
	// Write no second core file: only COMMAND's is of interest.
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	signal.Reset(s)
	defaultAction(s)
	_ = unix.Kill(os.Getpid(), s)
	time.Sleep(time.Second) // the signal is delivered to some thread
}

// delivered returns the path of the report without its extension, and whether its text was written after this run
// started.
func (h *hooks) delivered() (string, bool) {
	dir, base := job.FileNames(h.summary())
	base = filepath.Join(h.reportDir, dir, base)
	st, err := os.Stat(base + ".txt")
	return base, err == nil && st.ModTime().After(h.started)
}
