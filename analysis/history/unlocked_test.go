package history

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"jobgait/analysis/run"
)

// closed returns the path of a history with n runs that no process has open.
func closed(t *testing.T, n int64) string {
	t.Helper()
	db := open(t)
	melts(t, db, n)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return db.path
}

// TestUnlockedReadsWithoutATrace reads a history in a directory where nothing may
// be written, through a link, and leaves no file there.
func TestUnlockedReadsWithoutATrace(t *testing.T) {
	path := closed(t, 6)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(path), 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Dir(path), 0o700)
	still, err := OpenUnlocked(t.Context(), link)
	if err != nil {
		t.Fatal(err)
	}
	list, err := still.DB.Histories(t.Context(), HistoryQuery{})
	if len(list) != 1 || len(list[0].Runs) != 6 {
		t.Errorf("%d histories", len(list))
	}
	if err := still.Close(err); err != nil {
		t.Error(err)
	}
	if still.Written().IsZero() {
		t.Error("it is not known when the history was written")
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("reading left %v, %v", entries, err)
	}
}

// TestUnlockedBesideAWriter checks that a history is not read while another process has it open for writing,
// and that results read during a write are refused.
func TestUnlockedBesideAWriter(t *testing.T) {
	path := closed(t, 3)
	still, err := OpenUnlocked(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	writer, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, writer, oneNode(7), Ingest{NowS: t0})
	if _, err := OpenUnlocked(t.Context(), path); !errors.Is(err, ErrBeingWritten) {
		t.Errorf("beside a writer: %v", err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := still.Close(nil); !errors.Is(err, ErrBeingWritten) {
		t.Errorf("read across a writer: %v", err)
	}
	again, err := OpenUnlocked(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := again.DB.Runs(t.Context(), Query{})
	if err := again.Close(err); err != nil || len(runs) != 4 {
		t.Errorf("%d runs after the writer, %v", len(runs), err)
	}
}

func TestUnlockedRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenUnlocked(t.Context(), filepath.Join(dir, "none.db")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := OpenUnlocked(t.Context(), dir); err == nil {
		t.Error("a directory is no history")
	}
	junk := filepath.Join(dir, "junk.db")
	if err := os.WriteFile(junk, []byte("this is not a database, and long enough to look like one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenUnlocked(t.Context(), junk); err == nil {
		t.Error("junk is no history")
	}
}

// TestUnstoredIsAsStored checks that a run looks the same before it is put and
// after.
func TestUnstoredIsAsStored(t *testing.T) {
	db := open(t)
	s := oneNode(3)
	s.Job.Name, s.StepS, s.State = "melt\x1b[31m", ptr(0.5), "COMPLETED"
	s.Job.Fields = map[string]string{run.FieldBuildID: "b1\n", "": "x", "label.none": ""}
	s.Job.Size, s.Job.ArrayJobID, s.Job.ArrayTaskID = "L", ptr(int64(2)), ptr(int64(1))
	mustPut(t, db, s, Ingest{NowS: t0})
	list, err := db.Histories(t.Context(), HistoryQuery{})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d histories, %v", len(list), err)
	}
	want := list[0]
	want.SeriesID, want.Runs[0].ID, want.Runs[0].SeriesID = 0, 0, 0
	if got := HistoryOfUnstoredRun(s); !reflect.DeepEqual(got, want) {
		t.Errorf("unstored %+v\nstored   %+v", got, want)
	}
	s.Job.Name, s.Job.Executable = "", ""
	if h := HistoryOfUnstoredRun(s); len(h.Runs) != 0 {
		t.Errorf("a run of an unknown application is of no history: %+v", h)
	}
}
