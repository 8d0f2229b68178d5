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
// If two nodes are elected at once, both do the same work.
type Sweeper struct {
	// Name identifies the node.
	Name string `json:"name"`
	// Jobs are the names (JobName) of the runs that the node took part in.
	Jobs []string `json:"jobs"`
}

// JobName returns the name of the directory with the records of a job's nodes.
func JobName(key run.Key) string { return filepath.Base(jobDir("", key)) }

// The elected node keeps a file with its name in the directory; a node that finds the file older than
// electionTerm takes over. Sweeps run every ten to fifteen minutes; each rewrites the file, and does so again
// after every renewAfter directories.
const (
	sweeperFile  = "sweeper"
	electionTerm = 40 * time.Minute
	renewAfter   = 256
	// temporarySweeper is the prefix of a file that becomes sweeperFile.
	temporarySweeper = ".tmp-sweeper-"
)

// maxSweeper limits how much of the file is read: any process of the account can write it.
const maxSweeper = 300

// elect reports whether this node is the elected one, which checks all runs. It renews an election of this node. It
// elects this node if none is elected, or if the elected one has not renewed its election for electionTerm. Ages are
// differences between times of the file server, so the clocks of nodes do not matter.
func (w Sweeper) elect(dir string) (bool, error) {
	fail := func(err error) (bool, error) {
		return false, fmt.Errorf("elect the node that reports the runs of dead nodes: %w", err)
	}
	f, err := os.CreateTemp(dir, temporarySweeper)
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
	holder, at, err := electedSweeper(path)
	switch {
	case errors.Is(err, job.ErrIrregular): // made by another process of the account: without a node no run is adopted
		if err := removeDir(path); err != nil {
			return fail(err)
		}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fail(err)
	case err == nil && holder != w.Name && now.ModTime().Sub(at) < electionTerm && at.Sub(now.ModTime()) < electionTerm:
		return false, nil
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fail(err)
	}
	holder, _, err = electedSweeper(path) // of two that are late the second has it
	if err != nil {
		return fail(err)
	}
	return holder == w.Name, nil
}

// electedSweeper returns the name of the elected node and when it last renewed its election.
func electedSweeper(path string) (name string, at time.Time, err error) {
	text, info, err := readFile(path, maxSweeper)
	if err != nil && !errors.Is(err, job.ErrTooLarge) {
		return "", at, err
	}
	return string(text), info.ModTime(), nil
}
