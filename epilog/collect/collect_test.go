package collect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// t0 is a time in 2023.
const t0 = 1.7e9

func record(node string, key run.Key, blocks int, end float64) summary.NodeRecord {
	r := summary.NodeRecord{Schema: summary.RecordSchema, Key: key, Node: node, End: t0 + end,
		Quality: run.Quality{Blocks: blocks, Scope: "none"}}
	if blocks > 0 {
		r.Quality.Scope = "job"
	}
	return r.Normal()
}

func store(t *testing.T, dir string, records ...summary.NodeRecord) Store {
	t.Helper()
	s := Store{Dir: dir}
	for _, r := range records {
		if err := s.Put(context.Background(), r); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func nodesOf(records []summary.NodeRecord) string {
	text := ""
	for _, r := range records {
		text += fmt.Sprintf("%s:%d ", r.Node, r.Key.Restart)
	}
	return text
}

func TestGatherIsInTheOrderOfNodes(t *testing.T) {
	key := run.Key{Cluster: "c", JobID: 7}
	s := store(t, t.TempDir(), record("n2", key, 3, 100), record("n10", key, 3, 100), record("n1", key, 3, 100))
	got, err := s.Gather(context.Background(),
		RecordRequest{Key: key, End: t0 + 100, Nodes: []string{"n1", "n2", "n10"}, Patience: time.Minute})
	if err != nil || nodesOf(got) != "n1:0 n2:0 n10:0 " {
		t.Errorf("%s, %v", nodesOf(got), err)
	}
}

// Records of a requeued run's other executions are not mixed in; a node without
// an agent counts by the time of its end.
func TestRunsOfOneJobAreKeptApart(t *testing.T) {
	first, second := run.Key{Cluster: "c", JobID: 7}, run.Key{Cluster: "c", JobID: 7, Restart: 1}
	s := store(t, t.TempDir(),
		record("n1", first, 3, 1000), record("n2", first, 3, 1001),
		record("n1", second, 3, 9000), record("n2", second, 0, 9001))
	for _, c := range []struct {
		want RecordRequest
		got  string
	}{
		{RecordRequest{Key: first, End: t0 + 1000, Nodes: []string{"n1", "n2"}}, "n1:0 n2:0 "},
		{RecordRequest{Key: second, End: t0 + 9000, Nodes: []string{"n1", "n2"}}, "n1:1 n2:1 "},
		{RecordRequest{Key: run.Key{Cluster: "c", JobID: 7, Restart: 5}, AnyRun: true, End: t0 + 1003,
			Nodes: []string{"n1", "n2"}},
			"n1:0 n2:0 "},
	} {
		got, err := s.Gather(context.Background(), c.want)
		if err != nil || nodesOf(got) != c.got {
			t.Errorf("%+v: %s, %v", c.want, nodesOf(got), err)
		}
	}
}

func TestGatherReturnsAvailableRecordsAfterTheWait(t *testing.T) {
	key := run.Key{Cluster: "c", JobID: 7}
	s := store(t, t.TempDir(), record("n1", key, 3, 100))
	late := make(chan error, 1)
	go func() { late <- s.Put(context.Background(), record("n2", key, 3, 100)) }()
	got, err := s.Gather(context.Background(),
		RecordRequest{Key: key, End: t0 + 100, Nodes: []string{"n1", "n2"}, Patience: time.Minute})
	if err != nil || len(got) != 2 {
		t.Fatalf("%s, %v", nodesOf(got), err)
	}
	if err := <-late; err != nil {
		t.Fatal(err)
	}
	got, err = s.Gather(context.Background(),
		RecordRequest{Key: key, End: t0 + 100, Nodes: []string{"n1", "n2", "n3"}, Patience: time.Millisecond})
	if err != nil || len(got) != 2 {
		t.Errorf("with one missing: %s, %v", nodesOf(got), err)
	}
}

func TestDamagedRecordIsMissing(t *testing.T) {
	dir, key := t.TempDir(), run.Key{Cluster: "c", JobID: 7}
	s := store(t, dir, record("n1", key, 3, 100), record("n2", key, 3, 100))
	path := filepath.Join(jobDir(dir, key), key.String()+"@n2"+suffix)
	if err := os.WriteFile(path, []byte("not gzip"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := s.Gather(context.Background(), RecordRequest{Key: key, End: t0 + 100, Nodes: []string{"n1", "n2"}})
	if err != nil || nodesOf(got) != "n1:0 " {
		t.Errorf("%s, %v", nodesOf(got), err)
	}
}

func TestForget(t *testing.T) {
	dir, key := t.TempDir(), run.Key{Cluster: "c", JobID: 7}
	s := store(t, dir, record("n1", key, 3, 100), record("n2", key, 0, 100))
	if err := s.Forget(context.Background(), RecordRequest{Key: key}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(jobDir(dir, key)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the job's directory is still there: %v", err)
	}
}

// recordByRecord is the function that Jobs calls if each record is stored alone.
func recordByRecord(put func(JobRecord) error) func([]JobRecord) []error {
	return func(records []JobRecord) (failed []error) {
		for _, j := range records {
			failed = append(failed, put(j))
		}
		return failed
	}
}

// threeJobs returns a collection directory with the records of jobs 1 to 3.
func threeJobs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for id := range run.JobID(3) {
		j := JobRecord{Summary: summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "c", JobID: id + 1}}}
		if err := (Store{Dir: dir}).PutJob(context.Background(), j); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestJobsAreTakenOnceAndBadOnesSetAside(t *testing.T) {
	dir := threeJobs(t)
	bad := filepath.Join(dir, jobsDir, "bad"+suffix)
	if err := os.WriteFile(bad, []byte("bad"), 0o600); err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	taken, _, err := Jobs(dir, recordByRecord(func(j JobRecord) error {
		if j.Summary.Key.JobID == 2 {
			return full
		}
		return nil
	}))
	if taken != 2 || !errors.Is(err, full) {
		t.Errorf("first time: %d taken, %v", taken, err)
	}
	taken, _, err = Jobs(dir, recordByRecord(func(JobRecord) error { return nil }))
	if taken != 1 || err != nil {
		t.Errorf("second time: %d taken, %v", taken, err)
	}
	if _, err := os.Stat(filepath.Join(dir, jobsDir, "failed", "bad"+suffix)); err != nil {
		t.Errorf("the bad record was not set aside: %v", err)
	}
}

// A record that no history accepts is set aside. A locked history is tried once, and every record waits.
func TestJobsOfAHistoryThatFails(t *testing.T) {
	dir := threeJobs(t)
	asked := 0
	taken, _, err := Jobs(dir, func(records []JobRecord) []error {
		asked++
		return []error{context.DeadlineExceeded, context.DeadlineExceeded, context.DeadlineExceeded}[:len(records)]
	})
	if taken != 0 || asked != 1 || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("locked: %d stored, tried %d times, %v", taken, asked, err)
	}
	unfit := recordByRecord(func(j JobRecord) error {
		if j.Summary.Key.JobID == 2 {
			return history.ErrUnfit
		}
		return nil
	})
	if taken, _, err := Jobs(dir, unfit); taken != 2 || !errors.Is(err, history.ErrUnfit) {
		t.Errorf("one that is unfit: %d taken, %v", taken, err)
	}
	if taken, _, err := Jobs(dir, unfit); taken != 0 || err != nil {
		t.Errorf("then: %d taken, %v", taken, err)
	}
	if _, err := os.Stat(filepath.Join(dir, jobsDir, "failed", "c-2.r0"+suffix)); err != nil {
		t.Errorf("the unfit record was not set aside: %v", err)
	}
}

// A missing collection directory is an error: a service that reads from a file system that is not mounted must
// not appear to work.
func TestJobsWithoutADirectory(t *testing.T) {
	dir := t.TempDir()
	if taken, _, err := Jobs(dir, nil); taken != 0 || err != nil {
		t.Errorf("an empty one: %d, %v", taken, err)
	}
	if _, _, err := Jobs(filepath.Join(dir, "missing"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing one: %v", err)
	}
}

// A record that cannot be read at the moment, because of an error of the disk, stays. Only a damaged record is set
// aside.
func TestUnreadableRecordsStay(t *testing.T) {
	dir, r := threeJobs(t), record("n1", run.Key{Cluster: "c", JobID: 7}, 3, 100)
	store(t, dir, r)
	failing := &fs.PathError{Op: "read", Path: "record", Err: syscall.EIO}
	names, err := recordNames(jobDir(dir, r.Key))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	handleUnreadable(dir, names[0], failing, func(string) {})
	q := queue{in: filepath.Join(dir, jobsDir)}
	jobName := run.Key{Cluster: "c", JobID: 1}.String() + suffix
	q.reject(jobName, failing)
	for _, path := range []string{names[0].path(dir), filepath.Join(q.in, jobName)} {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("thrown away: %v", err)
		}
	}
	if q.failed == nil || q.setAside != 0 {
		t.Errorf("%d set aside, %v", q.setAside, q.failed)
	}
}
