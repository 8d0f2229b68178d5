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
func orphans(dir string, idle time.Duration) ([]summary.NodeRecord, error) {
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
			var r summary.NodeRecord
			path := filepath.Join(in, j.Name(), n.file)
			err := readRecord(path, &r)
			if err == nil {
				err = n.names(dir, r)
			}
			if errors.Is(err, errDamaged) { // its node has sealed it long ago and will not mend it
				err = setAside(path, filepath.Join(dir, failedDir))
			}
			if err == nil {
				all = append(all, r)
			}
		}
		if len(all) >= maxOrphans {
			break
		}
	}
	return all, nil
}
