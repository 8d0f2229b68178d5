package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/cgroup"
	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/unit"
	"jobgait/configs"
	"jobgait/epilog/finish"
	"jobgait/prolog/launch"
)

// startWorker starts the worker and waits for it until ctx ends; then it is left
// alone: what it does grows with the job, and its node is not kept from the next one. Its
// input is the end of the run where the spool did not take that, else nothing.
func startWorker(ctx context.Context, getenv func(string) string, self string, dir job.RunDir, input []byte) error {
	pid, pidfd, err := detach(getenv, self, dir.Path(finish.WorkerLog), input, as.Worker, string(dir))
	if err != nil || pidfd < 0 {
		return err // without pidfds there is nothing safe to wait on
	}
	defer func() { _ = unix.Close(pidfd) }()
	var enough func() bool
	if inJob("self") {
		enough = func() bool { return !inJob(strconv.Itoa(pid)) }
	}
	return waitFor(ctx, pidfd, enough)
}

// inJob tells whether a process lies in the cgroup of a job, as an Epilog does under
// RunInJob. A worker that does not leave that ends with it, and slurmd waits for both.
func inJob(process string) bool {
	own, _ := os.ReadFile(filepath.Join("/proc", process, "cgroup"))
	_, in := cgroup.Job(cgroup.Parse(own))
	return in
}

// detach starts this program again as a process that outlives this one.
func detach(getenv func(string) string, self, logPath string, input []byte, args ...string) (pid, pidfd int,
	err error) {
	return launch.Detach(launch.Spec{Program: self, Args: args, Env: configs.Environment(getenv), Log: logPath,
		Input: input})
}

// lookMS is the interval between checks whether the wait is over.
const lookMS = 20

// waitFor returns when the process of a pidfd ends, ctx does, or it is enough; nil never
// is.
func waitFor(ctx context.Context, pidfd int, enough func() bool) error {
	deadline, ok := ctx.Deadline()
	for {
		left := -1
		if ok {
			left = int(time.Until(deadline).Milliseconds())
			if left <= 0 {
				return nil
			}
		}
		if enough != nil {
			if enough() {
				return nil
			}
			if left < 0 || left > lookMS {
				left = lookMS
			}
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, left)
		if n > 0 {
			return nil
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("wait for the worker: %w", err)
		}
	}
}

// worker finishes one run, and leaves to a sweeper what earlier workers left on
// this node: the Epilog waits for the worker, and shall not wait for those. in has the
// end of the run where the spool did not take that, else nothing.
func worker(ctx context.Context, getenv func(string) string, path string, in io.Reader) error {
	began := job.ThisHost().Mono
	self, cfg, err := settings(getenv)
	if err != nil {
		return err
	}
	ctx, cancel := limited(ctx, cfg.Epilog)
	defer cancel()
	dir := job.RunDir(filepath.Clean(path))
	run, err := dir.ReadRun()
	if err != nil {
		return err
	}
	log, _ := job.OpenLog(cfg, run.Node, "worker", run.Key.JobID) // drops lines when it cannot open
	defer func() { _ = log.Close() }()
	defer ownScope(cfg, fmt.Sprintf("epilog-%d", run.Key.JobID), log)()
	// Under PrologFlags=RunInJob hooks run inside the job, and what is left of it
	// is killed soon: a sweep would have to do this again.
	if _, err := job.LeaveCgroup("/proc"); err != nil {
		log.Printf("%v", err)
	}
	f := finisher(cfg, getenv, self, run.Node, log)
	f.Began = began
	if run.RootPID != 0 {
		f.HistoryPatience = runPatience
	}
	var end finish.End
	switch _, err := as.ReadQuestion(in, &end); {
	case err == nil:
		f.End = &end
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("how the run ended: %w", err)
	}
	// A sweep was faster where it is not alone, or the agent would not end: swept later.
	err = alone(string(dir), func() error {
		if finish.Done(dir) {
			return nil
		}
		if err := f.Finish(ctx, dir); err != nil {
			return err
		}
		return f.Retire(dir)
	})
	if err != nil {
		log.Printf("%v", err)
	}
	if left, lerr := finish.Left(job.NodeDir(cfg.Spool.Dir, run.Node)); lerr == nil && !left && !learns(cfg, getenv) &&
		run.Key.JobID%sweepEvery != 0 {
		return err
	}
	_, pidfd, serr := detach(getenv, self, os.DevNull, nil, as.SweepNode, run.Node)
	if pidfd >= 0 {
		_ = unix.Close(pidfd)
	}
	return errors.Join(err, serr)
}

// runPatience bounds the wait for the history while a user waits for the end of `jobgait run`. The sweep after it
// waits longer.
const runPatience = time.Second

// sweepEvery is how many jobs may pass without a sweep where nothing is left over and
// no state is to be learned: then only the size of the spool is seen to.
const sweepEvery = 32

// ownScope asks systemd for a scope: what goes on after the Epilog is not slurmd's.
// The function returned waits until that is over.
func ownScope(cfg configs.Config, what string, log *job.Log) (settled func()) {
	if !cfg.Agent.OwnScope() {
		return func() {}
	}
	return unit.System().Aside(what, func(err error) { log.Printf("%v", err) })
}

// limited bounds the work by worker_s: what heeds a context ends in order, and
// what does not (a hung file system, a long analysis) is cut off soon after. A
// sweep does again what was cut off.
func limited(ctx context.Context, e configs.Epilog) (context.Context, context.CancelFunc) {
	limit := time.Duration(e.WorkerS) * time.Second
	time.AfterFunc(limit+cutOff, func() { os.Exit(1) })
	return context.WithTimeout(ctx, limit)
}

// cutOff is how long a worker may take to end in order.
const cutOff = 5 * time.Second

func finisher(cfg configs.Config, getenv func(string) string, self, node string, log *job.Log) finish.Finisher {
	return finish.Finisher{Config: cfg, Spool: job.NodeDir(cfg.Spool.Dir, node), Program: self,
		Scheduler: scheduler.Of(cfg, getenv), Log: log.Printf, Info: log.Infof}
}
