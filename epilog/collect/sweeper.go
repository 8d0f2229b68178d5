package collect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/run"
)

// Sweeper is a node that searches for uncollected runs. One node of a site is elected and checks all runs;
// every other node checks only the runs that it saw itself, whose directories it knows by name. So a site of
// 5,000 nodes reads the times of all directories from the file server once in ten minutes, and not 5,000 times.
// Two that are elected at once do the same thing twice.
type Sweeper struct {
	// Name tells one node from another.
	Name string `json:"name"`
	// Jobs are the runs that it saw, by JobName.
	Jobs []string `json:"jobs"`
}

// JobName is the name of the directory in which the records of a job meet.
func JobName(key run.Key) string { return filepath.Base(jobDir("", key)) }

// The elected one keeps a file in the directory with its name; a node that finds the file older than a term
// takes over. Sweeps run every ten to fifteen minutes; each rewrites the file, and also after every renewAfter
// directories.
const (
	sweeperFile = "sweeper"
	term        = 40 * time.Minute
	renewAfter  = 256
)

// maxSweeper limits how much of the file is read: any process of the account can write it.
const maxSweeper = 300

// elected is whether this one looks at all runs, from now on for a term. Ages are
// differences of times that the file server gave: clocks of nodes do not count.
func (w Sweeper) elected(dir string) (bool, error) {
	fail := func(err error) (bool, error) { return false, fmt.Errorf("elect a sweeper: %w", err) }
	f, err := os.CreateTemp(dir, ".tmp-sweeper-")
	if err != nil {
		return fail(err)
	}
	defer func() { _ = os.Remove(f.Name()) }() // renamed where this one is elected
	_, err = io.WriteString(f, w.Name)
	now, serr := f.Stat()
	if err := errors.Join(err, serr, f.Close()); err != nil {
		return fail(err)
	}
	path := filepath.Join(dir, sweeperFile)
	if err := os.Link(f.Name(), path); err == nil {
		return true, nil
	}
	holder, at, err := incumbent(path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fail(err)
	case err == nil && holder != w.Name && now.ModTime().Sub(at) < term && at.Sub(now.ModTime()) < term:
		return false, nil
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fail(err)
	}
	holder, _, err = incumbent(path) // of two that are late the second has it
	if err != nil {
		return fail(err)
	}
	return holder == w.Name, nil
}

// incumbent is who is elected, and since when.
func incumbent(path string) (name string, at time.Time, err error) {
	text, info, err := readFile(path, maxSweeper)
	if err != nil && !errors.Is(err, job.ErrTooLarge) {
		return "", at, err
	}
	return string(text), info.ModTime(), nil
}
