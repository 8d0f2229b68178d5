package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	log, err := os.OpenFile(dir.Path("worker.log"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
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

// worker finishes one run and then what earlier workers left on this node.
func worker(ctx context.Context, getenv func(string) string, path string, complain io.Writer) error {
	self, cfg, err := settings(getenv)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(cfg.Epilog.WorkerS)*time.Second)
	defer cancel()
	dir := job.RunDir(filepath.Clean(path))
	run, err := dir.ReadRun()
	if err != nil {
		return err
	}
	log, _ := job.OpenLog(cfg.Spool.Dir, run.Node, "worker", run.Key.JobID) // drops lines when it cannot open
	defer func() { _ = log.Close() }()
	f := finisher(cfg, getenv, self, run.Node, log)
	err = finishLocked(ctx, f, dir)
	if err != nil {
		log.Printf("%v", err)
	}
	if _, swept := f.Sweep(ctx, false); swept != nil {
		log.Printf("%v", swept)
	}
	return err
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
