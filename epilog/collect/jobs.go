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

// Jobs calls f with the job records that wait in dir, some at a time, and removes those
// for which it returns no error. One that is damaged, or that no history can take, is moved to jobs/failed,
// counted and named in the error; it does not stop the others, nor does one that
// cannot be read at the moment or by this version. Where the history itself fails
// the rest waits.
func Jobs(dir string, f func([]JobRecord) []error) (taken, aside int, err error) {
	q := queue{in: filepath.Join(dir, jobsDir), put: f}
	entries, err := os.ReadDir(q.in)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err = os.Stat(dir); err == nil {
			return 0, 0, nil // no job has ended yet
		}
	}
	if err != nil { // not mounted, mostly
		return 0, 0, fmt.Errorf("list job records: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		if q.read(e.Name()); len(q.records) < history.BatchRuns && q.bytes < queueBytes {
			continue
		}
		if !q.handOn() {
			return q.taken, q.aside, q.failed
		}
	}
	q.handOn()
	return q.taken, q.aside, q.failed
}

// queueBytes bounds what is handed on at a time, in bytes of JSON: a job of 10,000 nodes
// has 3 MB.
const queueBytes = 4 << 20

// queue are job records that are handed on together, and what became of those before.
type queue struct {
	in           string
	put          func([]JobRecord) []error
	names        []string
	records      []JobRecord
	bytes        int
	taken, aside int
	failed       error
}

// read adds a record.
func (q *queue) read(name string) {
	text, err := readRecord(filepath.Join(q.in, name))
	var j JobRecord
	if err == nil {
		j, err = decodeJob(text)
	}
	if err != nil && !leased(err) { // a leased one its writer has not let go of
		q.refused(name, err)
	}
	if err == nil {
		q.names, q.records, q.bytes = append(q.names, name), append(q.records, j), q.bytes+len(text)
	}
}

// handOn empties the queue; false says that the history fails: each of the others would
// wait for its lock, too.
func (q *queue) handOn() bool {
	if len(q.records) == 0 {
		return true
	}
	for i, err := range q.put(q.records) {
		if err == nil {
			q.taken++
			err = os.Remove(filepath.Join(q.in, q.names[i]))
		}
		if err != nil {
			q.refused(q.names[i], err)
		}
		if history.Unavailable(err) {
			return false
		}
	}
	q.names, q.records, q.bytes = nil, nil, 0
	return true
}

// refused notes why a record was not taken, and sets aside what never will be.
func (q *queue) refused(name string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		return // somebody else has taken it
	}
	q.failed = errors.Join(q.failed, fmt.Errorf("job record %s: %w", name, err))
	if errors.Is(err, summary.ErrDamaged) || errors.Is(err, history.ErrUnfit) {
		q.aside++
		q.failed = errors.Join(q.failed, setAside(filepath.Join(q.in, name), filepath.Join(q.in, failedDir), err))
	}
}
