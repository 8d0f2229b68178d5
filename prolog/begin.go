package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"jobgait/agent/job"
	"jobgait/configs"
	"jobgait/prolog/launch"
	"jobgait/prolog/policy"
)

// beginRun does the Prolog's work for one run: it creates the run directory and starts the agent. It returns
// nil without doing so if the policy excludes the run or an agent holds the lock of the run directory. It
// returns an error if the settings or the node's log cannot be used, and if a step fails.
func beginRun(s job.Scheduler, getenv func(string) string) (err error) {
	host := job.ThisHost() // first: its clocks are the start of the run
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("this job is not profiled: find the path of this program: %w", err)
	}
	hook, err := s.ReadContext(getenv, host)
	if err != nil { // no job, no log
		return fmt.Errorf("this job is not profiled: %w", err)
	}
	cfg, unusable := configs.Load(getenv, self)
	log, noLog := job.OpenLog(cfg, hook.Run.Node, "jobgait-prolog", hook.Run.Key.JobID)
	defer func() {
		if err != nil {
			err = fmt.Errorf("this job is not profiled: %w", err)
			log.Printf("%v", err)
		}
		log.Close()
	}()
	if cfg.Unknown != "" {
		log.Printf("%s: ignored, all other settings apply: correct the file", cfg.Unknown)
	}
	if err := cmp.Or(unusable, noLog); err != nil { // no log, no spool
		return err
	}
	r := hook.Run.WithExclusive(cfg.Watch.Exclusive)
	if watch, reason := policy.Decide(cfg, r, hook.OptOut); !watch {
		log.Infof("not watched: %s", reason)
		return nil
	}
	dir := job.Dir(cfg.Spool.Dir, r.Node, r.Key)
	lock, err := lockRunDir(dir, r, log)
	if errors.Is(err, job.ErrLocked) {
		log.Infof("the run is left alone, because its agent still runs: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	agent := filepath.Join(filepath.Dir(self), "jobgait-agent")
	p, err := startAgent(agentSpec(agent, dir, getenv), dir, lock)
	if err != nil {
		return err
	}
	log.Infof("agent %d started in %s", p.PID, filepath.Base(string(dir)))
	if err := dir.WritePrologTime(job.ThisHost().Mono - host.Mono); err != nil {
		log.Printf("%v: the report lacks how long the Prolog took", err)
	}
	return nil
}

// lockRunDir creates the run directory, takes its lock and stores the run in it. An existing directory of the
// same key belongs to another run (a reused job id or an uncounted requeue): if it is locked, job.ErrLocked is
// returned, else it is renamed for the sweep.
func lockRunDir(dir job.RunDir, r job.Run, log *job.Log) (*os.File, error) {
	err := dir.Make()
	if errors.Is(err, fs.ErrExist) {
		if err = setAside(dir, log); err == nil {
			err = dir.Make()
		}
	}
	if err != nil {
		return nil, err
	}
	// The lock is taken before env.json is written, so that a sweep finds a run in use and not an abandoned one.
	lock, err := dir.TryLock()
	if err != nil {
		return nil, err
	}
	if err := dir.WriteRun(r); err != nil {
		lock.Close()
		_ = os.RemoveAll(string(dir)) // useless without env.json
		return nil, err
	}
	return lock, nil
}

// setAside renames the directory of an earlier run, so that a new run can use its name, and logs the new name. It
// holds the earlier run's lock meanwhile; if a live process holds that, the error is job.ErrLocked.
func setAside(dir job.RunDir, log *job.Log) error {
	lock, err := dir.TryLock()
	if err != nil {
		return err
	}
	defer lock.Close()
	old, err := dir.RenameAside()
	if err != nil {
		return err
	}
	log.Printf("an earlier run with the same key is now in %s: a sweep finishes it if it is unfinished", old)
	return nil
}

// agentSpec returns the agent's command line, log and environment.
func agentSpec(agent string, dir job.RunDir, getenv func(string) string) launch.Spec {
	// The lock is the first descriptor after standard error.
	return launch.Spec{Program: agent, Args: []string{"--lock-fd", "3", "--run-dir", string(dir)}, Log: dir.AgentLogPath(),
		Env: configs.Environment(getenv)}
}

// startAgent starts the agent with the lock as a descriptor, closes the lock in this process, and stores the
// agent's pid in the run directory, so that an Epilog a millisecond later finds it.
func startAgent(s launch.Spec, dir job.RunDir, lock *os.File) (job.Process, error) {
	defer lock.Close()
	pid, _, err := launch.Detach(s, lock)
	if err != nil {
		return job.Process{}, err
	}
	// The Prolog does not wait for it: if the process ends it stays a zombie until the Prolog ends, so its pid
	// cannot be reused yet.
	p, err := job.ProcessOf(pid)
	if err != nil {
		return job.Process{}, err
	}
	return p, p.WriteProcess(dir.PIDPath())
}
