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
func orphans(dir string, idle time.Duration, say func(string)) ([]summary.NodeRecord, error) {
	in := filepath.Join(dir, runsDir)
	jobs, err := os.ReadDir(in)
	if errors.Is(err, fs.ErrNotExist) {
		return []summary.NodeRecord{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for runs without a collector: %w", err)
	}
	all := []summary.NodeRecord{}
	for _, j := range jobs {
		info, err := j.Info() // its time is that of the last record put in or removed
		if err != nil || !j.IsDir() || strings.HasPrefix(j.Name(), ".") || time.Since(info.ModTime()) < idle {
			continue
		}
		names, err := recordNames(filepath.Join(in, j.Name()))
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			r, err := n.read(dir)
			if err != nil {
				unread(dir, n, err, say)
				continue
			}
			all = append(all, r)
		}
		if len(all) >= maxOrphans {
			break
		}
	}
	return all, nil
}
