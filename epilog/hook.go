package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"jobgait/agent/cgroup"
	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/configs"
	"jobgait/epilog/finish"
	"jobgait/prolog/policy"
)

// hook is the Epilog. It returns by the deadline even if something in it blocks
// for ever, be it the reading of its settings, and passes no error on.
func hook(ctx context.Context, s job.Scheduler, getenv func(string) string, complain io.Writer) {
	began := time.Now()
	configured, ended := make(chan time.Duration, 1), make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if p := recover(); p != nil {
				fmt.Fprintf(complain, "jobgait-epilog: panic: %v at %s\n", p, note.Clean(string(debug.Stack()), 1000))
			}
		}()
		self, cfg, unusable := settings(getenv)
		deadline := defaultDeadline
		if unusable == nil {
			own, _ := os.ReadFile("/proc/self/cgroup")
			cfg.Epilog = limitOf(cfg.Epilog, own)
			deadline = cfg.Epilog.Deadline()
		}
		configured <- deadline
		// A little less, so that what is to be said of it then is said in time.
		ctx, cancel := context.WithDeadline(ctx, began.Add(deadline-min(deadline/4, 250*time.Millisecond)))
		defer cancel()
		told, untold := s.Told(getenv, job.ThisHost())
		log := openLog(told, cfg)
		defer func() { _ = log.Close() }()
		if cfg.Unknown != "" {
			log.Printf("%s: the other settings hold", cfg.Unknown)
		}
		err := untold
		if err == nil {
			err = endRun(ctx, getenv, told, self, cfg, unusable, log)
		}
		if err != nil {
			log.Printf("%v", err)
			fmt.Fprintf(complain, "jobgait-epilog: job %.20q: %s\n", s.ID(getenv), note.Clean(err.Error(), 2000))
		}
	}()
	limit := time.NewTimer(defaultDeadline)
	defer limit.Stop()
	for {
		select {
		case <-ended:
			return
		case <-limit.C:
			fmt.Fprintf(complain, "jobgait-epilog: job %.20q: not done within %v: a sweep does the rest\n",
				s.ID(getenv), time.Since(began).Round(100*time.Millisecond))
			return
		case deadline := <-configured:
			limit.Reset(time.Until(began.Add(deadline)))
		}
	}
}

// inJobDeadline is what an Epilog has that runs in its job's own cgroup (RunInJob):
// slurmd waits 5 s for the job's last processes, then logs "timed out waiting for job".
// Of these its own start and end take more than one on a slow node: 4 s here were too
// long on an emulated one.
const inJobDeadline = 3 * time.Second

// limitOf is how long the Epilog may take, from the settings and its /proc/self/cgroup.
// In its job's it waits until its worker has left that, or as long as it may: one that
// has not left by then ends with the job.
func limitOf(e configs.Epilog, own []byte) configs.Epilog {
	if _, inJob := cgroup.Job(cgroup.Parse(own)); inJob {
		e.DeadlineS = min(e.DeadlineS, inJobDeadline.Seconds())
		e.WaitS = e.DeadlineS
	}
	return e
}

// defaultDeadline holds while the configuration has not been read.
const defaultDeadline = 10 * time.Second

// openLog opens the node's log; lines are dropped when it cannot be opened, or is
// not known for want of a job.
func openLog(told job.Told, cfg configs.Config) *job.Log {
	if told.Run.Node == "" {
		return nil
	}
	log, _ := job.OpenLog(cfg, told.Run.Node, "jobgait-epilog", told.Run.Key.JobID)
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
// agent of a job that began under better ones is stopped all the same, where they
// say at least where the spool is.
func endRun(ctx context.Context, getenv func(string) string, told job.Told, self string, cfg configs.Config,
	unusable error, log *job.Log) error {
	now := told.Run.Alone(cfg.Watch.Exclusive)
	if unusable != nil && cfg.Spool.Dir == "" {
		return unusable
	}
	dir, run, over, err := finish.Find(job.NodeDir(cfg.Spool.Dir, now.Node), now.Key)
	if err := cmp.Or(unusable, err); err != nil && dir == "" {
		return err
	}
	found := dir != ""
	if !found && (over || !watched(cfg, now, told.OptOut)) {
		return nil
	}
	end := finish.End{Real: now.StartReal, Mono: now.StartMono, BootID: now.BootID,
		Exit: told.Exit, Used: told.Used, Restart: now.Key.Restart, Job: now.Job}
	if !found {
		if dir, err = withoutProlog(cfg, now); err != nil {
			return err
		}
		end.NoAgent, run = true, now
	}
	if found && now.Key.Restart > run.Key.Restart {
		end.Requeued, end.Exit = true, nil
	}
	unwritten := finish.WriteEnd(dir, end)
	if err := finish.StopAgent(dir, run); err != nil {
		log.Printf("%v", err) // the worker salvages what is there
	}
	if unusable != nil { // a sweep does the rest when the settings are mended
		return unusable
	}
	var input []byte
	if unwritten != nil { // a full or failed disk: the report needs none of it
		log.Printf("%v: the worker gets it as input", unwritten)
		if input, err = json.Marshal(end); err != nil {
			return errors.Join(unwritten, err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, cfg.Epilog.Wait())
	defer cancel()
	if err := startWorker(ctx, getenv, self, dir, input); err != nil || run.RootPID == 0 {
		return err
	}
	return historyFailure(dir)
}

// historyFailure is the error of `jobgait run` whose report was delivered and whose record waits for the history.
func historyFailure(dir job.RunDir) error {
	why := finish.HistoryFailure(dir)
	if why == "" {
		return nil
	}
	return fmt.Errorf("the report lacks the comparison with earlier runs, a later run will store this one: %s", why)
}

// watched is whether the policy wants runs like this one: of a run that was
// begun it is not asked again, the settings may have changed since.
func watched(cfg configs.Config, r job.Run, optOut bool) bool {
	watch, _ := policy.Decide(cfg, r, optOut)
	return watch
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
	if err := dir.WriteRun(r); err != nil {
		_ = os.RemoveAll(string(dir)) // without its run it is of no use to anybody
		return "", err
	}
	return dir, nil
}
