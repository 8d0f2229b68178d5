package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/live"
	"jobgait/configs"
)

// find returns the live file of the running job that the argument names on this machine: by its directory, its
// job id or, if no job has that, a process id; "" is the newest run.
func (o watchOptions) find(what string) (string, error) {
	dirs, err := o.liveDirs()
	if err != nil {
		return "", err
	}
	uid := os.Getuid()
	if st, err := os.Stat(what); what != "" && err == nil && st.IsDir() {
		return liveFileIn(what)
	}
	id, isNumber := positiveNumber(what)
	if what != "" && !isNumber {
		return "", fmt.Errorf("%.80q is unknown: want the id of a running job, a process id or a directory", what)
	}
	runs := runsOf(dirs, uid)
	if what == "" {
		return newestLive(runs)
	}
	for _, byID := range []bool{true, false} {
		for _, r := range runs {
			if s, err := live.Read(r); err == nil && (byID && s.JobID == id || !byID && belongsToRun(s, int(id))) {
				return r, nil
			}
		}
	}
	return "", errOver{fmt.Sprintf("no running job or process %d of yours is known: name the directory of its live.json",
		id)}
}

// liveDirs returns the directories in which agents write the states of running jobs: the site's and the user's
// own.
func (o watchOptions) liveDirs() ([]string, error) {
	var dirs []string
	for _, env := range []func(string) string{configs.WithOneMachine(o.getenv), o.getenv} {
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

// runsOf returns the live files of a user's runs in the directories dirs, the newest first. It skips directories that
// it cannot list.
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

// newestLive returns the newest run whose agent is alive, else the newest run; an error if there is no run. runs are
// live files, newest first.
func newestLive(runs []string) (string, error) {
	for _, r := range runs {
		if s, err := live.Read(r); err == nil && s.Alive() {
			return r, nil
		}
	}
	if len(runs) > 0 {
		return runs[0], nil
	}
	return "", errOver{"no running job of yours is known on this machine: name its job id or the directory of its " +
		"live.json"}
}

// liveFileIn returns the file of a run in its directory; an error if the directory has none.
func liveFileIn(dir string) (string, error) {
	path := filepath.Join(dir, live.Name)
	switch _, err := os.Lstat(path); {
	case err == nil:
		return path, nil
	case errors.Is(err, fs.ErrNotExist):
		return "", errOver{fmt.Sprintf("%.200q holds no %s: name the directory of a running job that does", dir, live.Name)}
	default:
		return "", errOver{fmt.Sprintf("look for %s in %.200q: %v", live.Name, dir, job.Cause(err))}
	}
}

// positiveNumber parses a positive decimal number.
func positiveNumber(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n > 0
}

// belongsToRun reports whether a process belongs to a run: it is the run's command, the parent of the command,
// the agent, or a descendant of one of them. It returns false if the command has ended, because ids of ended
// processes are reused.
func belongsToRun(s live.State, pid int) bool {
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
