package finish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
	"jobgait/agent/peek/peektest"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
)

// If the history is in a file system that hangs, the report lacks the comparison, and one process of the node
// stays blocked: the next runs do not open the history. Once it responds, the runs are stored.
func TestHistoryThatHangs(t *testing.T) {
	s := newSite(t).withHistory("here")
	s.cfg.Epilog.WorkerS = 6
	s.cfg.Report.Formats = []string{"json"}
	dir := filepath.Join(s.root, "hanging")
	must(t, os.Mkdir(dir, 0o755))
	s.cfg.History.Path = filepath.Join(dir, "history.db")
	free := peektest.MountHanging(t, dir)
	var first, second = seven, run.Key{Cluster: "test", JobID: 8}
	for _, key := range []run.Key{first, second} {
		d := s.run("n1", "n1", key, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)
		ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
		defer cancel()
		f := s.finisher("n1")
		err := f.Finish(ctx, d)
		if !errors.Is(err, errHangs) {
			t.Errorf("job %d: %v", key.JobID, err)
		}
		if !f.isHistoryStuck() {
			t.Errorf("job %d: the history does not count as stuck", key.JobID)
		}
		// The text report shortens a long note.
		report := s.text(fmt.Sprintf("jobgait-%d.json", key.JobID))
		if !strings.Contains(report, "does not answer") && !strings.Contains(report, "hangs") {
			t.Errorf("job %d: the report does not say that the history hangs:\n%s", key.JobID, report)
		}
	}
	free()
	must(t, os.RemoveAll(dir))
	s.cfg.History.Path = filepath.Join(s.root, "history.db")
	// A mark lasts as long as its process, which is this one.
	must(t, os.Remove(filepath.Join(s.finisher("n1").Spool, historyStuckFile)))
	f := s.finisher("n1")
	jobtest.Until(t, "both runs are stored", func() bool {
		_, err := f.Sweep(t.Context(), true)
		if err != nil {
			t.Log(err)
		}
		db, err := history.OpenReadOnly(t.Context(), s.cfg.History.Path)
		if err != nil {
			return false
		}
		defer db.Close()
		runs, err := db.Runs(t.Context(), history.Query{Limit: 10})
		return err == nil && len(runs) == 2
	})
}
