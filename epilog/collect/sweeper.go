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

// Sweeper is a node that looks for runs that nobody collects. One of a site is elected
// and looks at all of them; of the others each looks at the runs that it saw itself,
// whose directories it knows by name. So a site of 5,000 nodes asks the file server for
// the times of all directories once in ten minutes, and not 5,000 times. Two that are
// elected at once do the same thing twice.
type Sweeper struct {
	// Name tells one node from another.
	Name string `json:"name"`
	// Jobs are the runs that it saw, by JobName.
	Jobs []string `json:"jobs"`
}

// JobName is the name of the directory in which the records of a job meet.
func JobName(key run.Key) string { return filepath.Base(jobDir("", key)) }

// The elected one keeps a file in the directory with its name; whoever finds it older
// than a term takes its place. Sweeps come every ten to fifteen minutes, and the file is
// written anew with each, and with every renewAfter directories.
const (
	sweeperFile = "sweeper"
	term        = 40 * time.Minute
	renewAfter  = 256
)

// maxSweeper bounds what is read of the file: whoever has the account writes it.
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
