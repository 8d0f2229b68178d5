package collect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"jobgait/analysis/summary"
)

// maxOrphans bounds what one call brings: the next one brings the rest.
const maxOrphans = 1000

// orphans returns the records that lie in job directories in which nothing has
// happened for so long: the node that was to collect them has died.
func orphans(dir string, idle time.Duration, w Sweeper, say func(string)) ([]summary.NodeRecord, error) {
	in := filepath.Join(dir, runsDir)
	jobs, all, err := w.jobs(dir)
	if err != nil {
		return nil, err
	}
	found := []summary.NodeRecord{}
	for i, name := range jobs {
		if all && i%renewAfter == renewAfter-1 {
			if _, err := w.elected(dir); err != nil {
				return nil, err
			}
		}
		info, err := os.Lstat(filepath.Join(in, name)) // its time is that of the last record put in or removed
		if err != nil || !info.IsDir() || strings.HasPrefix(name, ".") || time.Since(info.ModTime()) < idle {
			continue
		}
		names, err := recordNames(filepath.Join(in, name))
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			r, err := n.read(dir)
			if err != nil {
				unread(dir, n, err, say)
				continue
			}
			found = append(found, r)
		}
		if len(found) >= maxOrphans {
			break
		}
	}
	return found, nil
}

// jobs are the names of the directories that a sweeper looks at, and whether these are all. An unused directory
// has none.
func (w Sweeper) jobs(dir string) (names []string, all bool, err error) {
	in := filepath.Join(dir, runsDir)
	if _, err := os.Lstat(in); errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if all, err = w.elected(dir); err != nil {
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
		return nil, false, fmt.Errorf("list runs without a collector: %w", err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, true, nil
}
