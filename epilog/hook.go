package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"jobgait/agent/job"
	"jobgait/configs"
	"jobgait/epilog/finish"
	"jobgait/prolog/policy"
)

// hook is the Epilog. It returns by the deadline even if something in it
// blocks for ever, and passes no error on.
func hook(ctx context.Context, getenv func(string) string, complain io.Writer) {
	ended := make(chan struct{})
	deadline := defaultDeadline
	self, cfg, err := settings(getenv)
	if err == nil {
		deadline = cfg.Epilog.Deadline()
	}
	log := openLog(getenv, cfg)
	defer func() { _ = log.Close() }()
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	go func() {
		defer close(ended)
		defer func() {
			if p := recover(); p != nil {
				fmt.Fprintf(complain, "jobgait-epilog: panic: %v\n%s", p, debug.Stack())
			}
		}()
		if err := endRun(ctx, getenv, self, cfg, err, log); err != nil {
			log.Printf("%v", err)
			fmt.Fprintf(complain, "jobgait-epilog: job %.20q: %v\n", getenv("SLURM_JOB_ID"), err)
		}
	}()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

// defaultDeadline holds while the configuration cannot be read.
const defaultDeadline = 10 * time.Second

// openLog opens the node's log; lines are dropped when it cannot be opened.
func openLog(getenv func(string) string, cfg configs.Config) *job.Log {
	key, err := job.Identify(getenv)
	if err != nil {
		return nil // no job, no log; endRun says what is wrong
	}
	log, _ := job.OpenLog(cfg.Spool.Dir, job.NodeName(getenv, job.ThisHost().Name), "jobgait-epilog", key.JobID)
	return log
}

// settings finds this program and its configuration.
func settings(getenv func(string) string) (self string, cfg configs.Config, err error) {
	self, err = os.Executable()
	if err != nil {
		return "", cfg, fmt.Errorf("find this program: %w", err)
	}
	cfg, err = configs.Load(getenv, self)
	return self, cfg, err
}

// endRun is what the Epilog does for one run, in the order that loses nothing
// if it is killed in between: the end is stored before the agent is stopped,
// and from then on a sweep can do the rest. With settings that are unusable the
// agent of a job that began under better ones is stopped all the same.
func endRun(ctx context.Context, getenv func(string) string, self string, cfg configs.Config, unusable error, log *job.Log) error {
	now, err := job.FromHook(getenv, job.ThisHost(), cfg.Watch.Exclusive)
	if err != nil {
		return err
	}
	if unusable == nil {
		if watch, _ := policy.Decide(cfg.Watch, now, job.OptOut(getenv)); !watch {
			return nil
		}
	} else if cfg.Spool.Dir == "" {
		return unusable
	}
	dir, found, err := finish.Find(job.NodeDir(cfg.Spool.Dir, now.Node), now.Key)
	if unusable != nil && !found {
		return unusable
	}
	if err != nil {
		return err
	}
	end := finish.End{Real: now.StartReal, Mono: now.StartMono, BootID: now.BootID,
		Exit: finish.ExitFromHook(getenv), Job: now.Job}
	if !found {
		if dir, err = withoutProlog(cfg, now); err != nil {
			return err
		}
		end.NoAgent = true
	}
	if run, err := dir.ReadRun(); err == nil && now.Key.Restart > run.Key.Restart {
		end.Requeued, end.Exit = true, nil
	}
	unwritten := finish.WriteEnd(dir, end)
	if err := finish.StopAgent(dir); err != nil {
		log.Printf("%v", err) // the worker salvages what is there
	}
	// Without a worker a sweep does the rest, when there is room again and the
	// settings are mended.
	if err := cmp.Or(unusable, unwritten); err != nil {
		return err
	}
	return startWorker(ctx, getenv, self, cfg, now.Node, dir)
}

// withoutProlog makes the run directory that the Prolog did not: the node
// reports that nothing was sampled.
func withoutProlog(cfg configs.Config, r job.Run) (job.RunDir, error) {
	if err := job.MakeNodeDir(cfg.Spool.Dir, r.Node); err != nil {
		return "", err
	}
	name := fmt.Sprintf("%s.none-%d", r.Key, time.Now().UnixNano())
	dir := job.RunDir(job.RunDir(job.NodeDir(cfg.Spool.Dir, r.Node)).Path(name))
	if err := dir.Make(); err != nil {
		return "", err
	}
	return dir, dir.WriteRun(r)
}
