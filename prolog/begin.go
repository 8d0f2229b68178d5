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

// begin is what the Prolog does for one run.
func begin(s job.Scheduler, getenv func(string) string) (err error) {
	host := job.ThisHost() // first: its clocks are the start of the run
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	told, err := s.Told(getenv, host)
	if err != nil {
		return err // no job, no log
	}
	cfg, unusable := configs.Load(getenv, self)
	log, noLog := job.OpenLog(cfg, told.Run.Node, "jobgait-prolog", told.Run.Key.JobID)
	defer func() {
		if err != nil {
			log.Printf("%v", err)
		}
		log.Close()
	}()
	if cfg.Unknown != "" {
		log.Printf("%s: the other settings hold", cfg.Unknown)
	}
	if err := cmp.Or(unusable, noLog); err != nil { // no log, no spool
		return err
	}
	r := told.Run.Alone(cfg.Watch.Exclusive)
	if watch, reason := policy.Decide(cfg, r, told.OptOut); !watch {
		log.Infof("not watched: %s", reason)
		return nil
	}
	dir := job.Dir(cfg.Spool.Dir, r.Node, r.Key)
	lock, err := prepare(dir, r, log)
	if errors.Is(err, job.ErrLocked) {
		log.Infof("left alone, an agent is at work: %v", err)
		return nil
	}
	if err != nil {
		return err
	}
	agent := filepath.Join(filepath.Dir(self), "jobgait-agent")
	p, err := start(spec(agent, dir, getenv), dir, lock)
	if err != nil {
		return err
	}
	log.Infof("agent %d started in %s", p.PID, filepath.Base(string(dir)))
	return dir.WritePrologTime(job.ThisHost().Mono - host.Mono)
}

// prepare makes the run directory, stores the run and takes its lock. A
// directory of the same key is another run's, of a job id that came again or a
// requeue that was not counted: if its agent lives it is left alone, else it is
// set aside for the sweep.
func prepare(dir job.RunDir, r job.Run, log *job.Log) (*os.File, error) {
	err := dir.Make()
	if errors.Is(err, fs.ErrExist) {
		if err = setAside(dir, log); err == nil {
			err = dir.Make()
		}
	}
	if err != nil {
		return nil, err
	}
	// Locked before it says what it is: a sweep that looks now finds a run
	// at work, not one left over.
	lock, err := dir.TryLock()
	if err != nil {
		return nil, err
	}
	if err := dir.WriteRun(r); err != nil {
		lock.Close()
		_ = os.RemoveAll(string(dir)) // without env.json it is of no use to anybody
		return nil, err
	}
	return lock, nil
}

// setAside holds the lock until the directory has its new name.
func setAside(dir job.RunDir, log *job.Log) error {
	lock, err := dir.TryLock()
	if err != nil {
		return err
	}
	defer lock.Close()
	old, err := dir.SetAside()
	if err != nil {
		return err
	}
	log.Printf("an earlier run of the same key is now %s", filepath.Base(string(old)))
	return nil
}

// spec is the agent's command: its run directory, and of the environment what
// our programs hand on.
func spec(agent string, dir job.RunDir, getenv func(string) string) launch.Spec {
	// The lock is the first descriptor after standard error.
	return launch.Spec{Program: agent, Args: []string{"--lock-fd", "3", "--run-dir", string(dir)}, Log: dir.AgentLog(),
		Env: configs.Environment(getenv)}
}

// start starts the agent and stores which process it is, so that an Epilog a
// millisecond later finds it.
func start(s launch.Spec, dir job.RunDir, lock *os.File) (job.Process, error) {
	defer lock.Close()
	pid, _, err := launch.Detach(s, lock)
	if err != nil {
		return job.Process{}, err
	}
	// The Prolog does not wait for it: if the process ends it stays a zombie until the Prolog ends, so its pid
	// cannot be reused yet.
	p, err := job.Of(pid)
	if err != nil {
		return job.Process{}, err
	}
	return p, p.WriteProcess(dir.PID())
}
