package collect

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// reported returns the last report of a run that ended with the record r.
func reported(r summary.NodeRecord, nodes, of int) LastReport {
	return LastReport{Key: r.Key, Nodes: nodes, Of: of, Start: r.Start, End: r.End}
}

// agedFile gives a file or directory another age.
func agedFile(t *testing.T, path string, by time.Duration) {
	t.Helper()
	at := time.Now().Add(-by)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// Records are returned as a run to report only if they are of more nodes than its last report. Others are removed: at
// once if the report is complete, else when late nodes can no longer need them.
func TestRecordsWithNews(t *testing.T) {
	key := run.Key{Cluster: "c", JobID: 1234567}
	n1, n2, n3 := record("n1", key, 3, 100), record("n2", key, 3, 100), record("n3", key, 3, 100)
	noAgentN2 := record("n2", run.Key{Cluster: "c", JobID: 1234567, Restart: 1}, 0, 101)
	earlier := reported(n1, 3, 3)
	earlier.Start, earlier.End = n1.Start-1e6, n1.Start-1e5
	n1.Start, n2.Start = n1.End-50, n2.End-50
	for name, c := range map[string]struct {
		records []summary.NodeRecord
		last    LastReport
		age     time.Duration // of the last report
		found   string
		left    int
	}{
		"no report":                  {[]summary.NodeRecord{n1, n2}, LastReport{}, 0, "n1:0 n2:0 ", 2},
		"one late node":              {[]summary.NodeRecord{n2}, reported(n1, 2, 2), 0, "", 0},
		"as many as in the report":   {[]summary.NodeRecord{n1, n2}, reported(n1, 2, 3), 0, "", 2},
		"no late node in time":       {[]summary.NodeRecord{n1, n2}, reported(n1, 2, 3), keepRecords + time.Hour, "", 0},
		"more than in the report":    {[]summary.NodeRecord{n1, n2, n3}, reported(n1, 2, 3), 0, "n1:0 n2:0 n3:0 ", 3},
		"of an earlier job":          {[]summary.NodeRecord{n1, n2}, earlier, 0, "n1:0 n2:0 ", 2},
		"late and without an agent":  {[]summary.NodeRecord{noAgentN2}, reported(n1, 2, 2), 0, "", 0},
		"first and without an agent": {[]summary.NodeRecord{noAgentN2}, LastReport{}, 0, "n2:1 ", 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := store(t, dir, c.records...)
			if c.last.Nodes > 0 {
				if err := s.PutLastReport(t.Context(), c.last); err != nil {
					t.Fatal(err)
				}
				agedFile(t, filepath.Join(dir, reportedDir, "c-123", key.String()+reportedSuffix), c.age)
			}
			got, err := s.Orphans(t.Context(), time.Nanosecond, Sweeper{Name: "n9"})
			if err != nil || nodesOf(got) != c.found {
				t.Errorf("%s, %v; want %s", nodesOf(got), err, c.found)
			}
			names, err := recordNames(jobDir(dir, key))
			if err != nil || len(names) != c.left {
				t.Errorf("%d records are left, %v; want %d", len(names), err, c.left)
			}
		})
	}
}

// A report of fewer nodes is not noted over one of more.
func TestLastReportGrows(t *testing.T) {
	dir, r := t.TempDir(), record("n1", run.Key{Cluster: "c", JobID: 7}, 3, 100)
	s := Store{Dir: dir}
	for _, nodes := range []int{2, 1, 3, 2} {
		if err := s.PutLastReport(t.Context(), reported(r, nodes, 3)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.LastReport(t.Context(), RecordRequest{Key: r.Key})
	if err != nil || got.Nodes != 3 || !got.IsOf(r.Start) {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = s.LastReport(t.Context(), RecordRequest{Key: run.Key{Cluster: "c", JobID: 70}})
	if err != nil || got != (LastReport{}) {
		t.Errorf("another job: %+v, %v", got, err)
	}
}

// The elected node removes last reports to whose directory none was added for keepReported.
func TestOldLastReportsAreRemoved(t *testing.T) {
	dir, r := t.TempDir(), record("n1", run.Key{Cluster: "c", JobID: 7}, 3, 100)
	s := store(t, dir, r)
	if err := s.PutLastReport(t.Context(), reported(r, 2, 2)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		age  time.Duration
		left bool
	}{{keepReported - time.Hour, true}, {keepReported + time.Hour, false}} {
		agedFile(t, filepath.Join(dir, reportedDir, "c-"), c.age)
		if _, err := s.Orphans(t.Context(), time.Hour, Sweeper{Name: "n1"}); err != nil {
			t.Fatal(err)
		}
		last, err := s.LastReport(t.Context(), RecordRequest{Key: r.Key})
		if err != nil || (last.Nodes > 0) != c.left {
			t.Errorf("after %v: %+v, %v", c.age, last, err)
		}
	}
}

func FuzzDecodeLastReport(f *testing.F) {
	text, _ := json.Marshal(LastReport{Key: run.Key{Cluster: "c", JobID: 7}, Nodes: 1, Of: 2, Start: 1, End: 2})
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		l := decodeLastReport(text)
		if l != (LastReport{}) && (l.Key.Valid() != nil || l.Nodes < 1 || l.Nodes > l.Of) {
			t.Errorf("%+v", l)
		}
	})
}

// The directories of last reports are limited by their age and by their number: the oldest go first.
func TestReportedRunsAreLimited(t *testing.T) {
	dir := t.TempDir()
	in := func(i int) string { return filepath.Join(dir, reportedDir, fmt.Sprintf("c-%d", i)) }
	for i := range maxReportedDirs + 5 {
		if err := os.MkdirAll(in(i), 0o700); err != nil {
			t.Fatal(err)
		}
		agedFile(t, in(i), time.Duration(i)*time.Minute)
	}
	agedFile(t, in(0), keepReported+time.Hour)
	if err := removeOldReported(dir); err != nil {
		t.Fatal(err)
	}
	for i := range maxReportedDirs + 5 {
		_, err := os.Stat(in(i))
		if want := i > 0 && i <= maxReportedDirs; want != (err == nil) {
			t.Errorf("directory %d, the newest but for the first: %v", i, err)
		}
	}
}
