package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/analysis/quantity"
	"jobgait/configs"
	"jobgait/epilog/finish"
)

// sweep finishes what was left over on this node, or, where several slurmd share
// a host and nothing tells which is meant, on all of them: the spool
// is this host's, and its directories tell by their locks what is in use.
func sweep(ctx context.Context, getenv func(string) string, out io.Writer) error {
	self, cfg, err := settings(getenv)
	if err != nil {
		return err
	}
	nodes, err := sweptNodes(scheduler.Of(cfg, getenv), getenv, cfg.Spool.Dir)
	if err != nil {
		return err
	}
	var failed error
	for _, node := range nodes {
		did, err := sweepNode(ctx, cfg, getenv, self, node, true)
		fmt.Fprintf(out, "node %s: %s finished, %d waiting, %d unclaimed, %s unread, %d removed for room\n", node,
			quantity.Plural(did.Finished, "run"), did.Waiting, did.Unclaimed, quantity.Plural(did.Unread, "record"), did.Removed)
		failed = errors.Join(failed, err)
	}
	if learns(cfg, getenv) {
		log := func(format string, args ...any) { failed = errors.Join(failed, fmt.Errorf(format, args...)) }
		_, err := finish.Finisher{Config: cfg, Scheduler: scheduler.Of(cfg, getenv), Log: log}.LearnStates(ctx)
		failed = errors.Join(failed, err)
	}
	return failed
}

// sweptNodes are the nodes whose runs lie in the spool.
func sweptNodes(s job.Scheduler, getenv func(string) string, spool string) ([]string, error) {
	if node := s.Node(getenv); node != "" {
		return []string{node}, nil
	}
	entries, err := os.ReadDir(spool)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the spool: %w", err)
	}
	var nodes []string
	for _, e := range entries {
		if dirs, err := job.Dirs(filepath.Join(spool, e.Name())); err == nil && len(dirs) > 0 {
			nodes = append(nodes, e.Name())
		}
	}
	return nodes, nil
}

func sweepNode(ctx context.Context, cfg configs.Config, getenv func(string) string, self, node string,
	ask bool) (finish.Swept, error) {
	log, _ := job.OpenLog(cfg, node, "sweep", 0) // drops lines when it cannot open
	defer func() { _ = log.Close() }()
	did, err := finisher(cfg, getenv, self, node, log).Sweep(ctx, ask)
	if err != nil {
		log.Printf("%v", err)
	}
	return did, err
}

// sweepAfterJob runs after a worker: it sweeps, and queries how the job ended, which is unknown until all its
// Epilogs have returned.
func sweepAfterJob(ctx context.Context, getenv func(string) string, node string) error {
	self, cfg, err := settings(getenv)
	if err != nil {
		return err
	}
	ctx, cancel := limited(ctx, cfg.Epilog)
	defer cancel()
	log, _ := job.OpenLog(cfg, node, "sweep", 0) // drops lines when it cannot open
	defer func() { _ = log.Close() }()
	defer ownScope(cfg, "sweep", log)()
	err = alone(job.NodeDir(cfg.Spool.Dir, node), func() error {
		_, err := sweepNode(ctx, cfg, getenv, self, node, false)
		return err
	})
	if !learns(cfg, getenv) {
		return err
	}
	return errors.Join(err, alone(cfg.Spool.Dir, func() error {
		f := finisher(cfg, getenv, self, node, log)
		err := errors.Join(f.AwaitStates(ctx), f.WriteSite(ctx))
		if err != nil {
			log.Printf("%v", err)
		}
		return err
	}))
}

// alone does something unless somebody else is at it, by the lock of a directory.
func alone(dir string, do func() error) error {
	lock, err := job.RunDir(dir).TryLock()
	if errors.Is(err, job.ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	return do()
}

// learns is whether this node has the history and may ask the scheduler.
func learns(cfg configs.Config, getenv func(string) string) bool {
	return cfg.History.Ingest == "here" && scheduler.Of(cfg, getenv).Remembers()
}
