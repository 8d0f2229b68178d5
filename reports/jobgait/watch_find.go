package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/live"
	"jobgait/analysis/run"
	"jobgait/configs"
)

// liveDirs are the directories in which agents tell of running jobs: the site's and
// the user's own.
func (o watchOptions) liveDirs() ([]string, error) {
	var dirs []string
	for _, env := range []func(string) string{configs.OneMachine(o.getenv), o.getenv} {
		cfg, err := settings(env)
		if err != nil {
			return nil, err
		}
		if cfg.Agent.LiveDir != "" {
			dirs = append(dirs, cfg.Agent.LiveDir)
		}
	}
	return dirs, nil
}

// runsOf are the files of a user's runs, the newest first.
func runsOf(dirs []string, uid int) []string {
	type file struct {
		path string
		at   time.Time
	}
	var files []file
	for _, dir := range dirs {
		of := filepath.Join(dir, strconv.Itoa(uid))
		names, err := live.Runs(dir, uid)
		if err != nil { // a site's may be passed through, not listed
			continue
		}
		for _, n := range names {
			path := filepath.Join(of, n, live.Name)
			if st, err := os.Lstat(path); err == nil && st.Mode().IsRegular() {
				files = append(files, file{path, st.ModTime()})
			}
		}
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.path, b.path)) })
	var paths []string
	for _, f := range files {
		paths = append(paths, f.path)
	}
	return paths
}

// newestLive is the newest run whose agent lives, else the newest.
func newestLive(runs []string) (string, error) {
	for _, r := range runs {
		if s, err := live.Read(r); err == nil && s.Alive() {
			return r, nil
		}
	}
	if len(runs) > 0 {
		return runs[0], nil
	}
	return "", errOver{"no run of yours is known here"}
}

// within is the file in a directory, or below it if it is that of all runs.
func within(dir string) (string, error) {
	path := filepath.Join(dir, live.Name)
	switch _, err := os.Lstat(path); {
	case err == nil:
		return path, nil
	case errors.Is(err, fs.ErrNotExist):
		return "", errOver{fmt.Sprintf("%.200q holds no %s", dir, live.Name)}
	default:
		return "", errOver{fmt.Sprintf("%.200q: %v", dir, job.Cause(err))}
	}
}

// number reads a decimal number that is no option.
func number(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n > 0
}

// started is whether a process is of a run: its agent, the program that started that,
// or what that started. Ids of processes that have ended may be others' by now.
func started(s live.State, pid int) bool {
	of, err := job.ParentOf(s.Command)
	if err != nil {
		return false
	}
	for range 64 {
		if pid == s.Command || pid == of && of > 1 || pid == s.Agent.PID {
			return true
		}
		if pid, err = job.ParentOf(pid); err != nil || pid <= 1 {
			return false
		}
	}
	return false
}

// elsewhere watches a job on its first node, by one step of it for the whole time.
func (o watchOptions) elsewhere(ctx context.Context, what string, failed error, out io.Writer) error {
	var over errOver
	id, isNumber := number(what)
	if !isNumber || !errors.As(failed, &over) {
		return failed
	}
	if _, err := os.Stat(filepath.Join("/proc", what)); err == nil {
		return failed // a process of this machine
	}
	self, err := os.Executable()
	if err != nil {
		return failed
	}
	args := []string{self, "watch"}
	for flag, on := range map[string]bool{"--json": o.json, "--once": o.once, "--stream": o.stream} {
		if on {
			args = append(args, flag)
		}
	}
	if o.cycles > 0 {
		args = append(args, "--cycles", strconv.FormatInt(o.cycles, 10))
	}
	step := scheduler.Step(o.getenv, run.JobID(id), append(args, what)...)
	if step == nil {
		return failed
	}
	if o.once {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, step[0], step[1:]...)
	cmd.Stdout = out // what the scheduler complains of is not the answer: ours is
	if err := cmd.Run(); err != nil {
		return failed
	}
	return nil
}
