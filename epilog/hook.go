package main

// Time limits of the Epilog. Their values are settings or constants, with the reason at each.
//
//   - The hook ends after epilog.deadline_s (runHook): defaultDeadline until the settings are read, inJobDeadline
//     within the job's cgroup. It stops its work up to 250 ms earlier to log what is not done.
//   - The hook waits for the agent to end for agentGrace (finish/sweep.go), and for the worker for epilog.wait_s
//     (endRun); within the job's cgroup until the worker has left that (limitDeadline).
//   - The worker ends after epilog.worker_s and exits cutOff later (withWorkerLimit, worker.go). A sweep gives each run
//     the same time and abandons work hangGrace later (runWithLimit, finish/sweep.go).
//   - Steps of the worker: part of the time left (withShareOfTime, finish/finish.go); records of other nodes
//     collect.wait_s (Finisher.patience); a query to the scheduler schedulerQueryLimit (finish/scheduler.go); end
//     states stateWait (finish/states.go); names of users and groups lookupLimit and delivery deliverLimit
//     (finish/publish.go); the history of another host compareLimit, with retries for writeWait
//     (finish/historyquery.go); the own history historyLimit (finish/ownhistory.go), or historyPatience for each lock
//     under `jobgait run` (worker.go).
//   - Sweeps: a run is tried again after retryInterval (finish/sweep.go), reported without missing nodes after
//     missingNodesWait (finish/state.go), adopted by another node after adoptAfter (finish/adoption.go).

import (
	"cmp"
	"context"
	"encoding/json"
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

// runHook runs the Epilog. It returns by the deadline even if something in it, such as reading the settings,
// blocks for ever. Errors are only logged.
func runHook(ctx context.Context, s job.Scheduler, getenv func(string) string, complain io.Writer) {
	began := time.Now()
	configured, ended := make(chan time.Duration, 1), make(chan struct{})
	go func() {
		defer close(ended)
		defer func() {
			if p := recover(); p != nil {
				fmt.Fprintf(complain, "jobgait-epilog: internal error, please report it: panic: %v: a sweep finishes the run: "+
					"at %s\n",
					p, note.Clean(string(debug.Stack()), 1000))
			}
		}()
		self, cfg, unusable := loadSettings(getenv)
		deadline := defaultDeadline
		if unusable == nil {
			own, _ := os.ReadFile("/proc/self/cgroup")
			cfg.Epilog = limitDeadline(cfg.Epilog, own)
			deadline = cfg.Epilog.Deadline()
		}
		configured <- deadline
		// A little less, so that there is time to log what was not done.
		ctx, cancel := context.WithDeadline(ctx, began.Add(deadline-min(deadline/4, 250*time.Millisecond)))
		defer cancel()
		hook, contextErr := s.ReadContext(getenv, job.ThisHost())
		log := openLog(hook, cfg)
		defer func() { _ = log.Close() }()
		if cfg.Unknown != "" {
			log.Printf("%s: ignored, all other settings apply: correct the file", cfg.Unknown)
		}
		err := notRecorded(contextErr)
		if err == nil {
			err = endRun(ctx, getenv, hook, self, cfg, unusable, log)
		}
		if err != nil {
			log.Printf("%v", err)
			fmt.Fprintf(complain, "jobgait-epilog: job %.20q: %s\n", s.ID(getenv), note.Line(err.Error(), 2000))
		}
	}()
	limit := time.NewTimer(defaultDeadline)
	defer limit.Stop()
	for {
		select {
		case <-ended:
			return
		case <-limit.C:
			fmt.Fprintf(complain, "jobgait-epilog: job %.20q: the Epilog did not end within %v: a sweep finishes the run\n",
				s.ID(getenv), time.Since(began).Round(100*time.Millisecond))
			return
		case deadline := <-configured:
			limit.Reset(time.Until(began.Add(deadline)))
		}
	}
}

// inJobDeadline is the deadline of an Epilog that runs in its job's own cgroup (RunInJob): slurmd waits 5 s for
// the job's last processes, then logs "timed out waiting for job". On a slow node slurmd itself needs more than
// one of these seconds; 4 s were too long on an emulated node.
const inJobDeadline = 3 * time.Second

// limitDeadline returns the Epilog's settings with shorter limits if own, its /proc/self/cgroup, is in a job's
// cgroup (RunInJob). There it waits until the worker has left the cgroup, because a worker that stays ends with
// the job.
func limitDeadline(e configs.Epilog, own []byte) configs.Epilog {
	if _, inJob := cgroup.Job(cgroup.Parse(own)); inJob {
		e.DeadlineS = min(e.DeadlineS, inJobDeadline.Seconds())
		e.WaitS = e.DeadlineS
	}
	return e
}

// defaultDeadline holds while the configuration has not been read.
const defaultDeadline = 10 * time.Second

// openLog opens the node's log. If the file cannot be opened, lines go only to the journal, where the settings
// enable it; if the node is unknown, they are dropped.
func openLog(hook job.HookContext, cfg configs.Config) *job.Log {
	if hook.Run.Node == "" {
		return nil
	}
	log, _ := job.OpenLog(cfg, hook.Run.Node, "jobgait-epilog", hook.Run.Key.JobID)
	return log
}

// loadSettings returns the path of this program and its settings.
func loadSettings(getenv func(string) string) (self string, cfg configs.Config, err error) {
	self, err = os.Executable()
	if err != nil {
		return "", cfg, fmt.Errorf("find the path of this program: %w", err)
	}
	cfg, err = configs.Load(getenv, self)
	return self, cfg, err
}

// notRecorded adds to an error what follows if the end of a run cannot be stored; nil stays nil.
func notRecorded(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the end of this run is not recorded: %w", err)
}

// endRun does the Epilog's work for one run: it stores the end, stops the agent, starts the worker and waits
// for it up to the limit. For a watched run without a Prolog it first creates the run directory. It does
// nothing for a run that is not watched or whose end an earlier Epilog has stored. The order loses nothing if
// it is killed: once the end is stored, a sweep can do the rest. With unusable settings that still name the
// spool it stores the end and stops the agent, and returns the error.
func endRun(ctx context.Context, getenv func(string) string, hook job.HookContext, self string, cfg configs.Config,
	unusable error, log *job.Log) error {
	now := hook.Run.WithExclusive(cfg.Watch.Exclusive)
	if unusable != nil && cfg.Spool.Dir == "" {
		return notRecorded(unusable)
	}
	dir, run, over, err := finish.Find(job.NodeDir(cfg.Spool.Dir, now.Node), now.Key)
	if err := cmp.Or(unusable, err); err != nil && dir == "" {
		return notRecorded(err)
	}
	found := dir != ""
	if !found && (over || !isWatched(cfg, now, hook.OptOut)) {
		return nil
	}
	end := finish.RunEnd{Real: now.StartReal, Mono: now.StartMono, BootID: now.BootID,
		Exit: hook.Exit, Used: hook.Used, Restart: now.Key.Restart, Job: now.Job}
	if !found {
		if dir, err = makeDirWithoutProlog(cfg, now); err != nil {
			return notRecorded(err)
		}
		end.NoAgent, run = true, now
	}
	if found && now.Key.Restart > run.Key.Restart {
		end.Requeued, end.Exit = true, nil
	}
	unwritten := finish.WriteEnd(dir, end)
	if err := finish.StopAgent(dir, run); err != nil {
		log.Printf("%v: a later sweep finishes the run if the agent runs on", err) // the worker salvages what is there
	}
	if unusable != nil {
		return fmt.Errorf("%w: a sweep finishes the run once the settings are correct", unusable)
	}
	var input []byte
	if unwritten != nil { // a full or failed disk: the report needs none of it
		log.Printf("store the end of the run: %v: it is passed to the worker, which goes on", unwritten)
		if input, err = json.Marshal(end); err != nil {
			return fmt.Errorf("internal error, please report it: encode the end of the run for the worker: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, cfg.Epilog.Wait())
	defer cancel()
	if err := startWorker(ctx, getenv, self, dir, input); err != nil {
		return err
	}
	if run.RootPID == 0 {
		return nil
	}
	return historyFailure(dir)
}

// historyFailure returns an error if the run's report was delivered but the history could not take the run; nil
// otherwise.
func historyFailure(dir job.RunDir) error {
	why := finish.HistoryFailure(dir)
	if why == "" {
		return nil
	}
	return fmt.Errorf("the report lacks the comparison with earlier runs, a later run will store this one: %s", why)
}

// isWatched reports whether the policy watches this run. It is called only for runs without a Prolog: the
// settings may have changed since a run began.
func isWatched(cfg configs.Config, r job.Run, optOut bool) bool {
	watch, _ := policy.Decide(cfg, r, optOut)
	return watch
}

// makeDirWithoutProlog creates the run directory of a run without a Prolog, so that the node reports that
// nothing was sampled.
func makeDirWithoutProlog(cfg configs.Config, r job.Run) (job.RunDir, error) {
	if err := job.MakeNodeDir(cfg.Spool.Dir, r.Node); err != nil {
		return "", err
	}
	name := fmt.Sprintf("%s.none-%d", r.Key, time.Now().UnixNano())
	dir := job.RunDir(job.RunDir(job.NodeDir(cfg.Spool.Dir, r.Node)).Path(name))
	if err := dir.Make(); err != nil {
		return "", err
	}
	if err := dir.WriteRun(r); err != nil {
		_ = os.RemoveAll(string(dir)) // useless without env.json
		return "", err
	}
	return dir, nil
}
