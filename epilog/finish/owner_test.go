package finish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/run"
)

// uid is an ordinary user of the tests.
const uid = 12345

// asUser does something with the file rights of an account: its thread ends with it.
func asUser(uid int, do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		_, _ = unix.SetfsgidRetGid(uid)
		_, _ = unix.SetfsuidRetUid(uid)
		do()
	}()
	<-done
}

// ownedBySite is a site in a directory that other accounts can pass, whose runs are an ordinary user's.
func ownedBySite(t *testing.T) site {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root has other accounts' runs")
	}
	root, err := os.MkdirTemp("", "jobgait-owner-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	must(t, os.Chmod(root, 0o711))
	s := siteIn(t, root)
	must(t, errors.Join(os.Mkdir(s.work, 0o755), os.MkdirAll(s.cfg.Spool.Dir, 0o711)))
	return s
}

// nowhere makes an ended run of the user whose report has no directory to go to.
func (s site) nowhere(key run.Key) job.RunDir {
	s.t.Helper()
	dir := s.run("n1", "n1", key, profiletest.SyntheticRun{Seconds: 5, PeriodS: 0.4, Seal: true}, true)
	r, err := dir.ReadRun()
	must(s.t, err)
	r.Job.UID, r.Job.GID, r.Job.WorkDir = uid, uid, filepath.Join(s.root, "absent", "work")
	end, err := ReadEnd(dir)
	must(s.t, err)
	end.Job = r.Job
	must(s.t, errors.Join(dir.WriteRun(r), dir.WriteJSON(endFile, end)))
	return dir
}

func (s site) keptReport(key run.Key) string {
	return filepath.Join(job.NodeDir(s.cfg.Spool.Dir, "n1"), reportsDir, key.String(),
		fmt.Sprintf("jobgait-%d.txt", key.JobID))
}

// sweepVerb makes the test program a sweep by a timer: its arguments are the site's directory and history.ingest.
const sweepVerb = "__sweep"

func sweepInUnit(args []string) error {
	s := siteIn(&testing.T{}, args[0]).withHistory(args[1])
	f := s.finisher("n1")
	f.Log = func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	f.Program, _ = os.Executable()
	_, err := f.Sweep(context.Background(), true)
	return err
}

// A sweep with the capabilities of its unit finishes a run whose report stays in the spool: the report stays root's,
// its user reads it and cannot change it, and the run reaches the history.
func TestKeptReportUnderTheSweepUnit(t *testing.T) {
	for _, ingest := range []string{"here", "spool"} {
		s := ownedBySite(t).withHistory(ingest)
		dir := s.nowhere(seven)
		program := filepath.Join(s.root, "program") // where the user may execute it
		must(t, jobtest.CopyTestProgram(program))
		cmd := jobtest.UnitCommand(t, "../../configs/systemd/jobgait-sweep.service", program, sweepVerb, s.root, ingest)
		out, err := cmd.CombinedOutput()
		if err != nil || StateOf(dir) != Closed {
			t.Fatalf("history %s: state %v, %v\n%s", ingest, StateOf(dir), err, out)
		}
		report := s.keptReport(seven)
		info, err := os.Stat(report)
		must(t, err)
		if st := info.Sys().(*syscall.Stat_t); st.Uid != 0 {
			t.Errorf("the report belongs to uid %d", st.Uid)
		}
		asUser(uid, func() {
			if b, err := os.ReadFile(report); err != nil || !strings.Contains(string(b), "does not exist") {
				t.Errorf("its user reads %.200q, %v", b, err)
			}
			if os.Chmod(report, 0o600) == nil || os.Chtimes(report, time.Now(), time.Now()) == nil ||
				os.Truncate(report, 1<<40) == nil {
				t.Error("its user changes the report")
			}
			if os.WriteFile(filepath.Join(filepath.Dir(report), "x"), nil, 0o600) == nil {
				t.Error("its user writes beside the report")
			}
		})
		asUser(uid+1, func() {
			if _, err := os.ReadFile(report); err == nil {
				t.Error("another user reads the report")
			}
		})
		if jobs, _ := filepath.Glob(filepath.Join(s.cfg.Collect.Dir, "jobs", "*")); ingest == "spool" && len(jobs) != 1 {
			t.Errorf("job records %v", jobs)
		}
	}
}

// A report that an older version gave to its user cannot make room at others' expense, however large and young its
// owner makes it: it becomes root's again or goes, and runs of others stay.
func TestReportsOfUsersDoNotCount(t *testing.T) {
	s := ownedBySite(t)
	other := s.run("n1", "n1", run.Key{Cluster: "test", JobID: 8}, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)
	must(t, s.finisher("n1").Finish(t.Context(), other))
	must(t, s.finisher("n1").Finish(t.Context(), s.nowhere(seven)))
	report := s.keptReport(seven)
	honest := filepath.Join(filepath.Dir(report), "jobgait-7.json")
	must(t, errors.Join(os.Chown(report, uid, -1), os.Chown(honest, uid, -1)))
	must(t, errors.Join(os.Truncate(report, 10<<40),
		os.Chtimes(report, time.Now(), time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))))
	if did := s.sweep("n1"); did.Removed != 0 {
		t.Errorf("%+v", did)
	}
	if _, err := os.Stat(other.ProfilePath()); err != nil {
		t.Errorf("the run of another user: %v", err)
	}
	if _, err := os.Stat(report); err == nil {
		t.Error("the file of 10 TB is still there")
	}
	info, err := os.Stat(honest)
	must(t, err)
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 0 {
		t.Errorf("the report belongs to uid %d", st.Uid)
	}
	asUser(uid, func() {
		if _, err := os.ReadFile(honest); err != nil {
			t.Errorf("its user: %v", err)
		}
	})
}

// A file without contents counts the blocks of its directory and its own; a sparse file counts only the blocks
// that it has.
func TestMeasureCountsBlocks(t *testing.T) {
	dir := t.TempDir()
	for i := range 100 {
		must(t, os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), []byte("x"), 0o600))
	}
	if got := measure(dir).bytes; got < 100*512 {
		t.Errorf("100 files of one byte take %d bytes", got)
	}
	sparse := filepath.Join(t.TempDir(), "sparse")
	must(t, os.WriteFile(sparse, nil, 0o600))
	must(t, os.Truncate(sparse, 1<<40))
	if got := measure(sparse).bytes; got > 1<<20 {
		t.Errorf("a sparse file takes %d bytes", got)
	}
}
