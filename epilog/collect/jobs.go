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

// JobRecord is the record of a whole run that waits to be written into the history, and the directory of its
// report.
type JobRecord struct {
	Summary   summary.Summary `json:"summary"`
	ReportDir string          `json:"report_dir"`
}

// putJob writes a job record into the jobs directory, replacing an earlier one of the same run.
func putJob(dir string, j JobRecord) error {
	return writeRecord(dir, filepath.Join(dir, jobsDir, j.Summary.Key.String()+suffix), j)
}

// decodeJob decodes and validates a job record.
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
	if err := s.Valid(epochNow()); err != nil {
		return JobRecord{}, fmt.Errorf("%w: %w", summary.ErrDamaged, err)
	}
	return JobRecord{s, note.Clean(packed.ReportDir, 4096)}, nil
}

// Jobs calls f with the job records that wait in dir, in batches, and removes those for which f returns no
// error. Damaged records, and those that no history can store, are moved to jobs/failed, counted in aside and
// named in err. Records that cannot be read now or by this version stay. If the history itself fails, Jobs
// stops and the rest waits.
func Jobs(dir string, f func([]JobRecord) []error) (taken, aside int, err error) {
	q := queue{in: filepath.Join(dir, jobsDir), put: f}
	entries, err := os.ReadDir(q.in)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err = os.Stat(dir); err == nil {
			return 0, 0, nil // no job has ended yet
		}
	}
	if err != nil { // not mounted, mostly
		return 0, 0, fmt.Errorf("list the job records of the collection directory: %w", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		if q.read(e.Name()); len(q.records) < history.BatchRuns && q.bytes < maxQueueBytes {
			continue
		}
		if !q.flush() {
			return q.taken, q.setAside, q.failed
		}
	}
	q.flush()
	return q.taken, q.setAside, q.failed
}

// maxQueueBytes limits a batch of records, in bytes of JSON: a job of 10,000 nodes has 3 MB.
const maxQueueBytes = 4 << 20

// queue is a batch of job records to pass to put, and the counts and errors of earlier batches.
type queue struct {
	in              string
	put             func([]JobRecord) []error
	names           []string
	records         []JobRecord
	bytes           int
	taken, setAside int
	failed          error
}

// read reads a record and adds it to the queue. A record that cannot be read is rejected; one under a lease
// stays, without an error.
func (q *queue) read(name string) {
	text, err := readRecord(filepath.Join(q.in, name))
	var j JobRecord
	if err == nil {
		j, err = decodeJob(text)
	}
	if err != nil && !isLeased(err) { // its writer still holds a leased one
		q.reject(name, err)
	}
	if err == nil {
		q.names, q.records, q.bytes = append(q.names, name), append(q.records, j), q.bytes+len(text)
	}
}

// flush passes the queued records to put and removes the files of those that were stored. It returns false if
// the history is unavailable, because every further record would wait for its lock.
func (q *queue) flush() bool {
	if len(q.records) == 0 {
		return true
	}
	for i, err := range q.put(q.records) {
		if err == nil {
			q.taken++
			err = os.Remove(filepath.Join(q.in, q.names[i]))
		}
		if err != nil {
			q.reject(q.names[i], err)
		}
		if history.Unavailable(err) {
			return false
		}
	}
	q.names, q.records, q.bytes = nil, nil, 0
	return true
}

// reject records why a record was not stored, and sets it aside if it can never be stored.
func (q *queue) reject(name string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		return // another process has stored it
	}
	if !errors.Is(err, summary.ErrDamaged) && !errors.Is(err, history.ErrUnfit) {
		q.failed = errors.Join(q.failed,
			fmt.Errorf("job record %s: %w: it stays there, the next ingest tries it again",
				filepath.Join(q.in, name), err))
		return
	}
	q.setAside++
	to := filepath.Join(q.in, failedDir)
	q.failed = errors.Join(q.failed,
		fmt.Errorf("job record %s: %w: moved to %s; the history lacks this run", name, err, filepath.Join(to, name)),
		setAside(filepath.Join(q.in, name), to, err))
}
