package collect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/summary"
)

// maxOrphans limits the records that one call returns; the next call returns the rest.
const maxOrphans = 1000

// orphans returns the records in those job directories that w checks and that have not changed for the time
// idle: the node that should collect them has died. It leaves out runs without news (withNews). It stops after the
// directory with which it has maxOrphans records. Unreadable records are handled by handleUnreadable.
func orphans(dir string, idle time.Duration, w Sweeper, say func(string)) ([]summary.NodeRecord, error) {
	in := filepath.Join(dir, runsDir)
	jobs, all, err := w.dirsToCheck(dir)
	if err != nil {
		return nil, err
	}
	if all {
		err := errors.Join(removeOldReported(dir), removeLeftovers(dir), removeLeftovers(filepath.Join(dir, jobsDir)))
		if err != nil {
			say(err.Error())
		}
	}
	found := []summary.NodeRecord{}
	for i, name := range jobs {
		if all && i%renewAfter == renewAfter-1 {
			if _, err := w.elect(dir); err != nil {
				return nil, err
			}
		}
		info, err := os.Lstat(filepath.Join(in, name)) // its time is that of the last record put in or removed
		if err != nil || !info.IsDir() || strings.HasPrefix(name, ".") || time.Since(info.ModTime()) < idle {
			continue
		}
		records, err := recordsWithNews(dir, name, say)
		if err != nil { // its records stay; those of other jobs are returned
			say(err.Error())
			continue
		}
		found = append(found, records...)
		if len(found) >= maxOrphans {
			break
		}
	}
	return found, nil
}

// recordsWithNews reads the records in a job's directory and returns those of runs of which more nodes have records
// than their last report has (see withNews). It returns nil without reading if the records are only kept for late
// nodes.
func recordsWithNews(dir, name string, say func(string)) ([]summary.NodeRecord, error) {
	in := filepath.Join(dir, runsDir, name)
	names, err := recordNames(in)
	if err == nil && len(names) == 0 {
		err = removeLeftovers(in)
		_ = os.Remove(in) // stays if it has other files
	}
	if err != nil || len(names) == 0 {
		return nil, err
	}
	if waiting, err := waitsForLateNodes(dir, names); waiting || err != nil {
		return nil, err
	}
	var records []summary.NodeRecord
	for _, n := range names {
		r, err := n.read(dir)
		if err != nil {
			handleUnreadable(dir, n, err, say)
			continue
		}
		records = append(records, r)
	}
	return withNews(dir, records)
}

// leftoverAge is the age at which a temporary file has no writer any more.
const leftoverAge = 24 * time.Hour

// removeLeftovers removes the temporary files in a directory that killed writers have left. A missing directory is not
// an error.
func removeLeftovers(in string) error {
	entries, err := os.ReadDir(in)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove temporary files of killed processes: %w", err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), job.TemporaryPrefix) && !strings.HasPrefix(e.Name(), temporarySweeper) {
			continue
		}
		if info, err := e.Info(); err != nil || time.Since(info.ModTime()) < leftoverAge {
			continue
		}
		if err := removePath(filepath.Join(in, e.Name())); err != nil {
			return fmt.Errorf("remove a temporary file of a killed process: %w", err)
		}
	}
	return nil
}

// dirsToCheck returns the names of the job directories that the sweeper checks: all if it is elected, else
// those of its own runs. all says which.
func (w Sweeper) dirsToCheck(dir string) (names []string, all bool, err error) {
	in := filepath.Join(dir, runsDir)
	if _, err := os.Lstat(in); errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if all, err = w.elect(dir); err != nil {
		return nil, false, err
	}
	if !all {
		for _, name := range w.Jobs {
			if filepath.Base(name) == name {
				names = append(names, name)
			}
		}
		return names, false, nil
	}
	entries, err := os.ReadDir(in)
	if err != nil {
		return nil, false, fmt.Errorf("list the runs in the collection directory: %w", err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, true, nil
}
