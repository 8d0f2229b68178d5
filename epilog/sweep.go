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

// runSweep finishes the runs that were left over on this node, or on all nodes of the host's spool if several
// slurmd share the host, and prints what it did. If this node owns the history, it also queries the scheduler
// for missing end states. Locked run directories are in use and are skipped.
func runSweep(ctx context.Context, getenv func(string) string, out io.Writer) error {
	self, cfg, err := loadSettings(getenv)
	if err != nil {
		return err
	}
	nodes, err := nodesToSweep(scheduler.ForSettings(cfg, getenv), getenv, cfg.Spool.Dir)
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
	if ownsHistory(cfg, getenv) {
		log := func(format string, args ...any) { failed = errors.Join(failed, fmt.Errorf(format, args...)) }
		info := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
		_, err := finish.Finisher{Config: cfg, Scheduler: scheduler.ForSettings(cfg, getenv), Log: log,
			Info: info}.QueryEndStates(ctx)
		failed = errors.Join(failed, err)
	}
	return failed
}

// nodesToSweep returns this node's name or, if it is unknown, the nodes that have runs in the spool.
func nodesToSweep(s job.Scheduler, getenv func(string) string, spool string) ([]string, error) {
	if node := s.Node(getenv); node != "" {
		return []string{node}, nil
	}
	entries, err := os.ReadDir(spool)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the nodes of the spool: %w", err)
	}
	var nodes []string
	for _, e := range entries {
		if dirs, err := job.Dirs(filepath.Join(spool, e.Name())); err == nil && len(dirs) > 0 {
			nodes = append(nodes, e.Name())
		}
	}
	return nodes, nil
}

// sweepNode sweeps one node's part of the spool and logs errors. ask says whether to query the scheduler about
// jobs without an end.
func sweepNode(ctx context.Context, cfg configs.Config, getenv func(string) string, self, node string,
	ask bool) (finish.SweepCounts, error) {
	log, _ := job.OpenLog(cfg, node, "sweep", 0) // drops lines when it cannot open
	defer func() { _ = log.Close() }()
	did, err := newFinisher(cfg, getenv, self, node, log).Sweep(ctx, ask)
	if err != nil {
		log.Printf("%v", err)
	}
	return did, err
}

// sweepAfterJob runs after a worker. It sweeps this node's runs. If this node owns the history, it also queries
// how jobs ended, which is unknown until all Epilogs have returned, and writes the site's totals.
func sweepAfterJob(ctx context.Context, getenv func(string) string, node string) error {
	self, cfg, err := loadSettings(getenv)
	if err != nil {
		return err
	}
	ctx, cancel := withWorkerLimit(ctx, cfg.Epilog)
	defer cancel()
	log, _ := job.OpenLog(cfg, node, "sweep", 0) // drops lines when it cannot open
	defer func() { _ = log.Close() }()
	defer requestScope(cfg, "sweep", log)()
	err = ifUnlocked(job.NodeDir(cfg.Spool.Dir, node), func() error {
		_, err := sweepNode(ctx, cfg, getenv, self, node, false)
		return err
	})
	if !ownsHistory(cfg, getenv) {
		return err
	}
	return errors.Join(err, ifUnlocked(cfg.Spool.Dir, func() error {
		f := newFinisher(cfg, getenv, self, node, log)
		err := errors.Join(f.AwaitEndStates(ctx), f.WriteSite(ctx))
		if err != nil {
			log.Printf("%v", err)
		}
		return err
	}))
}

// ifUnlocked takes the lock of a directory and calls do. It does nothing if another process holds the lock.
func ifUnlocked(dir string, do func() error) error {
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

// ownsHistory reports whether this node writes the history and the scheduler remembers how jobs ended.
func ownsHistory(cfg configs.Config, getenv func(string) string) bool {
	return cfg.History.Ingest == "here" && scheduler.ForSettings(cfg, getenv).CanQuery()
}
