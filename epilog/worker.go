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

// startWorker starts the worker and waits for it until ctx ends or, if this process runs inside the job's
// cgroup, until the worker has left that cgroup. The worker then goes on alone, because its work grows with the
// job and must not delay the node's next job. input is the end of the run if it could not be written to the
// spool, else empty.
func startWorker(ctx context.Context, getenv func(string) string, self string, dir job.RunDir, input []byte) error {
	pid, pidfd, err := detach(getenv, self, dir.Path(finish.WorkerLog), input, as.Worker, string(dir))
	if err != nil {
		return fmt.Errorf("%w: a sweep finishes the run", err)
	}
	if pidfd < 0 { // without pidfds there is nothing safe to wait on
		return nil
	}
	defer func() { _ = unix.Close(pidfd) }()
	var enough func() bool
	if inJob("self") {
		enough = func() bool { return !inJob(strconv.Itoa(pid)) }
	}
	return waitForExit(ctx, pidfd, enough)
}

// inJob reports whether a process ("self" or a pid) is in the cgroup of a job, as an Epilog is under RunInJob.
// A worker that stays there ends with the job, and slurmd waits for it.
func inJob(process string) bool {
	own, _ := os.ReadFile(filepath.Join("/proc", process, "cgroup"))
	_, in := cgroup.Job(cgroup.Parse(own))
	return in
}

// detach starts this program with args as a process that outlives this one, and returns its pid and pidfd.
func detach(getenv func(string) string, self, logPath string, input []byte, args ...string) (pid, pidfd int,
	err error) {
	return launch.Detach(launch.Spec{Program: self, Args: args, Env: configs.Environment(getenv), Log: logPath,
		Input: input})
}

// pollMS is the interval between checks whether the wait is over.
const pollMS = 20

// waitForExit returns nil when the process of a pidfd ends, ctx ends, or enough returns true; enough may be
// nil.
func waitForExit(ctx context.Context, pidfd int, enough func() bool) error {
	woken, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return fmt.Errorf("wait for the worker process: eventfd: %w: the worker goes on alone", err)
	}
	wake := os.NewFile(uintptr(woken), "end of the wait")
	defer func() { _ = wake.Close() }()
	// The runtime keeps wake open during a write that is under way, so that a late one reaches no other file.
	defer context.AfterFunc(ctx, func() { _, _ = wake.Write([]byte{1, 0, 0, 0, 0, 0, 0, 0}) })()
	interval := -1
	if enough != nil {
		interval = pollMS
	}
	for ctx.Err() == nil && (enough == nil || !enough()) {
		files := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}, {Fd: int32(woken), Events: unix.POLLIN}}
		if _, err := unix.Poll(files, interval); err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("wait for the worker process: %w: the worker goes on alone", err)
		}
		if files[0].Revents != 0 {
			return nil
		}
	}
	return nil
}

// runWorker finishes the run in the directory path. It then starts a sweep of this node, for which the Epilog
// does not wait, if runs are unfinished, this node owns the history, or the job id is a multiple of sweepEvery.
// in has the end of the run if it could not be written to the spool, else nothing.
func runWorker(ctx context.Context, getenv func(string) string, path string, in io.Reader) error {
	began := job.ThisHost().Mono
	self, cfg, err := loadSettings(getenv)
	if err != nil {
		return err
	}
	ctx, cancel := withWorkerLimit(ctx, cfg.Epilog)
	defer cancel()
	dir := job.RunDir(filepath.Clean(path))
	run, err := dir.ReadRun()
	if err != nil {
		return err
	}
	log, _ := job.OpenLog(cfg, run.Node, "worker", run.Key.JobID) // drops lines when it cannot open
	defer func() { _ = log.Close() }()
	defer requestScope(cfg, fmt.Sprintf("epilog-%d", run.Key.JobID), log)()
	// Under PrologFlags=RunInJob hooks run inside the job, and what is left of it
	// is killed soon: a sweep would have to do this again.
	if _, err := job.LeaveCgroup("/proc"); err != nil {
		log.Printf("%v: this worker may be killed with the job, the next sweep then writes the report", err)
	}
	f := newFinisher(cfg, getenv, self, run.Node, log)
	f.Began = began
	if run.RootPID != 0 {
		f.HistoryPatience = historyPatience
	}
	var end finish.RunEnd
	switch _, err := as.ReadRequest(in, &end); {
	case err == nil:
		f.End = &end
	case !errors.Is(err, io.EOF):
		return fmt.Errorf("%w: a later sweep finishes the run", err)
	}
	// If the directory is locked, a sweep was faster or the agent has not ended: a later sweep finishes the run.
	err = ifUnlocked(string(dir), func() error {
		if finish.Done(dir) {
			return nil
		}
		if err := f.Finish(ctx, dir); err != nil {
			return fmt.Errorf("%w: a later sweep tries it again", err)
		}
		return f.Retire(dir)
	})
	if err != nil {
		err = fmt.Errorf("finish the run: %w", err)
		log.Printf("%v", err)
	}
	if left, lerr := finish.HasUnfinished(job.NodeDir(cfg.Spool.Dir, run.Node)); lerr == nil && !left &&
		!ownsHistory(cfg, getenv) &&
		run.Key.JobID%sweepEvery != 0 {
		return err
	}
	_, pidfd, serr := detach(getenv, self, os.DevNull, nil, as.SweepNode, run.Node)
	if pidfd >= 0 {
		_ = unix.Close(pidfd)
	}
	if serr != nil {
		serr = fmt.Errorf("sweep this node: %w: the next sweep finishes interrupted runs", serr)
	}
	return errors.Join(err, serr)
}

// historyPatience limits the wait for the history while a user waits for the end of `jobgait run`. The sweep
// after it waits longer.
const historyPatience = time.Second

// sweepEvery is the number of job ids after which a sweep is started although nothing is left over and no state
// is to be queried: it limits the size of the spool.
const sweepEvery = 32

// requestScope asks systemd to move this process out of slurmd's service into a scope of its own, as its work goes on
// after the Epilog. The returned function waits until the request is answered. It does nothing if the settings disable
// scopes.
func requestScope(cfg configs.Config, what string, log *job.Log) (settled func()) {
	if !cfg.Agent.OwnScope() {
		return func() {}
	}
	return unit.SystemManager().ScopeInBackground(what, func(err error) { log.Printf("%v", err) })
}

// withWorkerLimit returns a context that ends after epilog.worker_s. If the process has not ended cutOff later
// (a hung file system, a long analysis), it exits; a sweep then repeats the work.
func withWorkerLimit(ctx context.Context, e configs.Epilog) (context.Context, context.CancelFunc) {
	limit := time.Duration(e.WorkerS) * time.Second
	time.AfterFunc(limit+cutOff, func() { os.Exit(1) })
	return context.WithTimeout(ctx, limit)
}

// cutOff is how long a worker may take to end after its context before the process exits.
const cutOff = 5 * time.Second

// newFinisher returns the Finisher for a node's part of the spool.
func newFinisher(cfg configs.Config, getenv func(string) string, self, node string, log *job.Log) finish.Finisher {
	return finish.Finisher{Config: cfg, Spool: job.NodeDir(cfg.Spool.Dir, node), Program: self,
		Scheduler: scheduler.ForSettings(cfg, getenv), Log: log.Printf, Info: log.Infof}
}
