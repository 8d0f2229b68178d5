package collect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"jobgait/analysis/history"
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
// took. One that is damaged, or that no history can take, is moved to jobs/failed
// and named in the error; it does not stop the others, nor does one that cannot
// be read at the moment. Where the history itself fails the rest waits.
func Jobs(dir string, f func(JobRecord) error) (taken int, err error) {
	in := filepath.Join(dir, jobsDir)
	entries, err := os.ReadDir(in)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err = os.Stat(dir); err == nil {
			return 0, nil // no job has ended yet
		}
	}
	if err != nil { // not mounted, mostly
		return 0, fmt.Errorf("look for job records: %w", err)
	}
	var failed error
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		path := filepath.Join(in, e.Name())
		var j JobRecord
		err := readRecord(path, &j)
		if errors.Is(err, fs.ErrNotExist) {
			continue // somebody else has taken it
		}
		if err == nil {
			err = f(j)
		}
		if err == nil {
			taken++
			err = os.Remove(path)
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		failed = errors.Join(failed, fmt.Errorf("job record %s: %w", e.Name(), err))
		switch {
		case errors.Is(err, errDamaged), errors.Is(err, history.ErrUnfit):
			failed = errors.Join(failed, setAside(path, filepath.Join(in, failedDir)))
		case history.Unavailable(err):
			return taken, failed // each of the others would wait for its lock, too
		}
	}
	return taken, failed
}

// failedDir keeps records that cannot be used.
const failedDir = "failed"

// setAside keeps a record that cannot be read for somebody to look at, in dir.
func setAside(path, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("set a bad record aside: %w", err)
	}
	return os.Rename(path, filepath.Join(dir, filepath.Base(path)))
}
