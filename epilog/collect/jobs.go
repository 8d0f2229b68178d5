package collect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"jobgait/analysis/summary"
)

// JobRecord is a whole run on its way to the history.
type JobRecord struct {
	Summary   summary.Summary `json:"summary"`
	ReportDir string          `json:"report_dir"`
}

func putJob(dir string, j JobRecord) error {
	return writeRecord(filepath.Join(dir, jobsDir, j.Summary.Key.String()+suffix), j)
}

// Jobs calls f with each job record that waits in dir, and removes those that f
// took. One that cannot be read is moved to jobs/failed and named in the error;
// it does not stop the others.
func Jobs(dir string, f func(JobRecord) error) (taken int, err error) {
	in := filepath.Join(dir, jobsDir)
	entries, err := os.ReadDir(in)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look for job records: %w", err)
	}
	var failed error
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		path := filepath.Join(in, e.Name())
		var j JobRecord
		if err := readRecord(path, &j); err != nil {
			failed = errors.Join(failed, err, setAside(path))
			continue
		}
		if err := f(j); err != nil {
			failed = errors.Join(failed, fmt.Errorf("job record %s: %w", e.Name(), err))
			continue
		}
		taken++
		failed = errors.Join(failed, os.Remove(path))
	}
	return taken, failed
}

// setAside keeps a record that cannot be read for somebody to look at.
func setAside(path string) error {
	dir := filepath.Join(filepath.Dir(path), "failed")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("set a bad record aside: %w", err)
	}
	return os.Rename(path, filepath.Join(dir, filepath.Base(path)))
}
