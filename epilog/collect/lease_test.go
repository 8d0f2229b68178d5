package collect

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// lease takes a lease on a file, as a file server does for the node that wrote it.
func lease(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		t.Skipf("no leases on this file system: %v", err)
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETSIG, int(unix.SIGURG)); err != nil { // which Go ignores
		t.Fatal(err)
	}
	return f
}

// A record whose writer holds a lease is waited for a little, and is no error of an
// ingest: the next one has it.
func TestLeasedRecord(t *testing.T) {
	dir := t.TempDir()
	r := record("n1", run.Key{Cluster: "c", JobID: 7}, 0, 60)
	if err := putNodeRecord(dir, r); err != nil {
		t.Fatal(err)
	}
	names, err := recordNames(jobDir(dir, r.Key))
	if err != nil || len(names) != 1 {
		t.Fatalf("%v, %v", names, err)
	}
	held := lease(t, names[0].path(dir))
	time.AfterFunc(leasePause, func() { _, _ = unix.FcntlInt(held.Fd(), unix.F_SETLEASE, unix.F_UNLCK) })
	if got, err := names[0].read(dir); err != nil || got.Node != "n1" {
		t.Errorf("%q, %v", got.Node, err)
	}
	j := JobRecord{Summary: summary.Merge([]summary.NodeRecord{r}, []string{"n1"})}
	if err := putJob(dir, j); err != nil {
		t.Fatal(err)
	}
	lease(t, filepath.Join(dir, jobsDir, j.Summary.Key.String()+suffix))
	taken, aside, err := Jobs(dir, recordByRecord(func(JobRecord) error { return nil }))
	if taken+aside != 0 || err != nil {
		t.Errorf("taken %d, set aside %d, %v", taken, aside, err)
	}
}
