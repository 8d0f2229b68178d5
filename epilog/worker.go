package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
	"jobgait/configs"
	"jobgait/epilog/finish"
)

// startWorker starts the worker in a session of its own and waits for it until
// ctx ends; then it is left alone. Its descriptors are /dev/null and the node's
// log: slurmd waits for the end of the Epilog's own pipe, which it must not hold.
func startWorker(ctx context.Context, getenv func(string) string, self string, cfg configs.Config, node string, dir job.RunDir) error {
	log, err := os.OpenFile(dir.Path(finish.WorkerLog), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("open the worker's log: %w", err)
	}
	defer func() { _ = log.Close() }()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	defer func() { _ = null.Close() }()
	if err := job.CloseOnExec(); err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	pidfd := -1
	worker, err := os.StartProcess(self, []string{self, "--worker", string(dir)}, &os.ProcAttr{
		Dir: "/", Env: workerEnv(getenv), Files: []*os.File{null, log, log},
		Sys: &syscall.SysProcAttr{Setsid: true, PidFD: &pidfd},
	})
	if err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	defer func() { _ = worker.Release() }()
	if pidfd < 0 {
		return nil // a kernel without pidfds: nothing safe to wait on
	}
	defer func() { _ = unix.Close(pidfd) }()
	return waitFor(ctx, pidfd)
}

// waitFor returns when the process of a pidfd ends or ctx does.
func waitFor(ctx context.Context, pidfd int) error {
	deadline, ok := ctx.Deadline()
	for {
		left := -1
		if ok {
			left = int(time.Until(deadline).Milliseconds())
			if left <= 0 {
				return nil
			}
		}
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, left)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("wait for the worker: %w", err)
		}
	}
}

// workerEnv is all that the worker's environment holds.
func workerEnv(getenv func(string) string) []string {
	var env []string
	for _, name := range configs.Environment() {
		if v := getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// worker finishes one run, and leaves to a sweeper what earlier workers left on
// this node: the Epilog waits for the worker, and shall not wait for those.
func worker(ctx context.Context, getenv func(string) string, path string) error {
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
	log, _ := job.OpenLog(cfg.Spool.Dir, run.Node, "worker", run.Key.JobID) // drops lines when it cannot open
	defer func() { _ = log.Close() }()
	err = finishLocked(ctx, finisher(cfg, getenv, self, run.Node, log), dir)
	if err != nil {
		log.Printf("%v", err)
	}
	if left, lerr := finish.Left(job.NodeDir(cfg.Spool.Dir, run.Node)); lerr == nil && !left && run.Key.JobID%sweepEvery != 0 {
		return err
	}
	return errors.Join(err, startSweeper(getenv, self, run.Node))
}

// sweepEvery is how many jobs may pass without a sweep where nothing is left
// over: then only the size of the spool is seen to.
const sweepEvery = 32

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

// startSweeper starts the sweep that follows a job, in a session of its own and
// behind everything else.
func startSweeper(getenv func(string) string, self, node string) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("start the sweep: %w", err)
	}
	defer func() { _ = null.Close() }()
	if err := job.CloseOnExec(); err != nil {
		return fmt.Errorf("start the sweep: %w", err)
	}
	p, err := os.StartProcess(self, []string{self, sweeperVerb, node}, &os.ProcAttr{
		Dir: "/", Env: workerEnv(getenv), Files: []*os.File{null, null, null},
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return fmt.Errorf("start the sweep: %w", err)
	}
	return p.Release()
}

func finishLocked(ctx context.Context, f finish.Finisher, dir job.RunDir) error {
	lock, err := dir.TryLock()
	if errors.Is(err, job.ErrLocked) {
		return nil // a sweep was faster, or the agent would not end: swept later
	}
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	if finish.Done(dir) {
		return nil
	}
	return f.Finish(ctx, dir)
}

func finisher(cfg configs.Config, getenv func(string) string, self, node string, log *job.Log) finish.Finisher {
	return finish.Finisher{Config: cfg, Spool: job.NodeDir(cfg.Spool.Dir, node), Program: self,
		SlurmConf: getenv("SLURM_CONF"), Log: log.Printf}
}
