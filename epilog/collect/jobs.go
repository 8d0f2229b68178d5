package collect

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"jobgait/analysis/history"
	"jobgait/analysis/note"
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

// readJob reads a job record and asks it whether it can be.
func readJob(path string) (JobRecord, error) {
	text, err := readRecord(path)
	if err != nil {
		return JobRecord{}, err
	}
	return decodeJob(text)
}

func decodeJob(text []byte) (JobRecord, error) {
	var packed struct {
		Summary   json.RawMessage `json:"summary"`
		ReportDir string          `json:"report_dir"`
	}
	if err := json.Unmarshal(text, &packed); err != nil {
		return JobRecord{}, fmt.Errorf("%w: %w", summary.ErrDamaged, err)
	}
	s, err := summary.DecodeSummary(packed.Summary)
	if err != nil {
		return JobRecord{}, err
	}
	if err := s.Valid(now()); err != nil {
		return JobRecord{}, fmt.Errorf("%w: %w", summary.ErrDamaged, err)
	}
	return JobRecord{s, note.Clean(packed.ReportDir, 4096)}, nil
}

// Jobs calls f with each job record that waits in dir, and removes those that f
// took. One that is damaged, or that no history can take, is moved to jobs/failed,
// counted and named in the error; it does not stop the others, nor does one that
// cannot be read at the moment or by this version. Where the history itself fails
// the rest waits.
func Jobs(dir string, f func(JobRecord) error) (taken, aside int, err error) {
	in := filepath.Join(dir, jobsDir)
	entries, err := os.ReadDir(in)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err = os.Stat(dir); err == nil {
			return 0, 0, nil // no job has ended yet
		}
	}
	if err != nil { // not mounted, mostly
		return 0, 0, fmt.Errorf("look for job records: %w", err)
	}
	var failed error
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		path := filepath.Join(in, e.Name())
		j, err := readJob(path)
		if errors.Is(err, fs.ErrNotExist) || leased(err) {
			continue // somebody else has taken it, or its writer has not let go of it
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
		case errors.Is(err, summary.ErrDamaged), errors.Is(err, history.ErrUnfit):
			aside++
			failed = errors.Join(failed, setAside(path, filepath.Join(in, failedDir), err))
		case history.Unavailable(err):
			return taken, aside, failed // each of the others would wait for its lock, too
		}
	}
	return taken, aside, failed
}
