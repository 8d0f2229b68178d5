package finish

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// forge writes a record into the collection directory as the account that owns it
// can: under any name, with anything in it.
func (s site) forge(job, file string, r summary.NodeRecord) {
	s.t.Helper()
	dir := filepath.Join(s.cfg.Collect.Dir, "runs", job)
	must(s.t, os.MkdirAll(dir, 0o700))
	f, err := os.Create(filepath.Join(dir, file))
	must(s.t, err)
	zip := gzip.NewWriter(f)
	must(s.t, json.NewEncoder(zip).Encode(r))
	must(s.t, zip.Close())
	must(s.t, f.Close())
	s.age(dir)
}

// age makes the records of a job old enough to be adopted by any node.
func (s site) age(dir string) {
	old := time.Now().Add(-adoptAfter - time.Minute)
	must(s.t, os.Chtimes(dir, old, old))
}

// record returns a valid record of a node: the one that a finished run leaves.
func (s site) record(node, nodes string, key run.Key) summary.NodeRecord {
	s.t.Helper()
	f := s.finisher(node)
	dir := s.run(node, nodes, key, profiletest.SyntheticRun{Seconds: 10, PeriodS: 0.4, Seal: true}, true)
	run, err := dir.ReadRun()
	must(s.t, err)
	end, err := ReadEnd(dir)
	must(s.t, err)
	r, err := f.nodeRecord(dir, run, end)
	must(s.t, err)
	must(s.t, os.RemoveAll(string(dir)))
	return r
}

// files are all regular files below the site, by path from its root.
func (s site) files() []string {
	var all []string
	must(s.t, filepath.WalkDir(s.root, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			rel, _ := filepath.Rel(s.root, path)
			all = append(all, rel)
		}
		return err
	}))
	return all
}

// A process that can write to the collection directory cannot make root write anywhere: not with root's uid,
// not with another user's, not with a key that is a path.
func TestForgedRecordCausesNoWrite(t *testing.T) {
	t.Parallel()
	for name, forge := range map[string]func(*summary.NodeRecord){
		"root":         func(r *summary.NodeRecord) { r.Job.UID, r.Job.GID = 0, 0 },
		"another user": func(r *summary.NodeRecord) { r.Job.UID, r.Job.GID = 1001, 1001 },
		"nobody":       func(r *summary.NodeRecord) { r.Job.UID, r.Job.GID = -1, -1 },
		"a path":       func(r *summary.NodeRecord) { r.Job.UID, r.Key.SLUID = -1, "x/../../../../escaped" },
		"cluster":      func(r *summary.NodeRecord) { r.Job.UID, r.Key.Cluster = -1, "../../escaped" },
		"no job":       func(r *summary.NodeRecord) { r.Key.JobID = -7 },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			r := s.record("n9", "n8,n9", seven)
			forge(&r)
			s.forge("test-7.r0", "test-7.r0@n9.json.gz", r)
			for range 2 { // each sweep is another attempt
				if _, err := s.finisher("n1").Sweep(context.Background(), true); err != nil {
					t.Logf("%v", err)
				}
			}
			for _, f := range s.files() {
				if !strings.HasPrefix(f, "collect/") {
					t.Errorf("written: %s", f)
				}
			}
		})
	}
}

// A run that this node saw is adopted as this node knows it, whatever the other
// nodes' records say of its user and directories.
func TestAdoptedRunIsTheNodesOwn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	other := s.record("n3", "n1,n2,n3", seven)
	trap := filepath.Join(s.root, "trap")
	must(t, os.Mkdir(trap, 0o755))
	other.Job.WorkDir, other.Job.StdOut, other.Job.UID, other.Job.User = trap, filepath.Join(trap, "out"), 0, "root"
	array, task := int64(900), int64(1)
	other.Job.ArrayJobID, other.Job.ArrayTaskID = &array, &task
	must(t, s.finisher("n2").Finish(context.Background(),
		s.run("n2", "n1,n2,n3", seven, profiletest.SyntheticRun{Seconds: 10, PeriodS: 0.4, Seal: true}, true)))
	s.forge("test-7.r0", "test-7.r0@n3.json.gz", other)
	if did := s.sweep("n2"); did.Finished != 1 || did.Unclaimed != 0 {
		t.Errorf("%+v", did)
	}
	s.text("jobgait-7.txt")
	if trapped, _ := os.ReadDir(trap); len(trapped) != 0 {
		t.Errorf("in the trap: %v", trapped)
	}
	if did := s.sweep("n2"); did.Finished != 0 {
		t.Errorf("adopted again: %+v", did)
	}
}

// Nor do records that come while the collector waits say where its report goes.
func TestCollectorBelievesItsOwnRecord(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	trap := filepath.Join(s.root, "trap")
	must(t, os.Mkdir(trap, 0o755))
	for _, node := range []string{"n2", "n1"} { // the second pretends to be the collector itself
		r := s.record(node, "n1,n2", seven)
		r.Job.WorkDir, r.Job.StdOut, r.Job.UID = trap, filepath.Join(trap, "out"), 0
		s.forge("test-7.r0", "test-7.r0@"+node+".json.gz", r)
	}
	must(t, s.finisher("n1").Finish(context.Background(),
		s.run("n1", "n1,n2", seven, profiletest.SyntheticRun{Seconds: 10, PeriodS: 0.4, Seal: true}, true)))
	s.text("jobgait-7.txt")
	if trapped, _ := os.ReadDir(trap); len(trapped) != 0 {
		t.Errorf("in the trap: %v", trapped)
	}
	if sum := s.stored("7"); sum.Job.WorkDir != s.work || sum.Job.UID != os.Getuid() {
		t.Errorf("stored %+v", sum.Job)
	}
}

// A run that was not seen on this node waits, and is counted, for the node that saw it.
func TestUnseenRunWaits(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.forge("test-7.r0", "test-7.r0@n9.json.gz", s.record("n9", "n8,n9", seven))
	if did := s.sweep("n1"); did.Unclaimed != 1 || did.Finished != 0 {
		t.Errorf("%+v", did)
	}
	if !slices.Contains(s.files(), "collect/runs/test-7.r0/test-7.r0@n9.json.gz") {
		t.Errorf("the record is gone: %q", s.files())
	}
}

// Where the site does not want reports of root, one goes where only root reads it.
func TestReportOfRootStaysInTheSpool(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root runs jobs of root")
	}
	s := newSite(t)
	s.cfg.Watch.Root = false
	must(t, s.finisher("n1").Finish(context.Background(),
		s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 10, Seal: true}, true)))
	if _, err := os.Stat(filepath.Join(s.finisher("n1").Spool, reportsDir, seven.String(), "jobgait-7.txt")); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(s.work); len(left) != 0 {
		t.Errorf("written by root: %v", left)
	}
}

// A spool that another account can change is not worked in.
func TestForeignSpoolIsRefused(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can give a spool away")
	}
	s := newSite(t)
	s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)
	must(t, os.Chown(s.cfg.Spool.Dir, 65534, 65534))
	if _, err := s.finisher("n1").Sweep(context.Background(), true); err == nil {
		t.Error("root swept a spool of nobody's")
	}
	if _, _, _, err := Find(s.finisher("n1").Spool, seven); err == nil {
		t.Error("root looked for a run in a spool of nobody's")
	}
}

// A run that no node here saw is believed from the scheduler's accounting, by id,
// user and start: user, group and directory are its, whatever the record says.
func TestUnseenRunIsBelievedFromAccounting(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	r := s.record("n9", "n8,n9", seven)
	trap := filepath.Join(s.root, "trap")
	must(t, os.Mkdir(trap, 0o755))
	r.Job.UID, r.Job.WorkDir = 4711, trap
	s.forge("test-7.r0", "test-7.r0@n9.json.gz", r)
	row := func(uid int, start float64) string {
		return fmt.Sprintf("7|%d|%d|%d|COMPLETED|0:0|4711|n[8-9]|carol", uid, int64(start), int64(start)+60)
	}
	answer := func(rows ...string) {
		s.cfg.Slurm.Sacct = s.command("sacct",
			fmt.Sprintf("case \"$*\" in *'-o WorkDir') echo '%s' ;; *) /bin/cat <<END\n%s\nEND\n;; esac\n",
				s.work, strings.Join(rows, "\n")))
	}
	for name, rows := range map[string][]string{
		"unknown to the scheduler": nil, "another user's": {row(1000, r.Start)}, "another time": {row(4711, r.Start+5000)},
		"root's": {row(0, r.Start)}} {
		answer(rows...)
		if did := s.sweep("n1"); did.Unclaimed != 1 || did.Finished != 0 {
			t.Errorf("%s: %+v", name, did)
		}
	}
	answer(row(4711, r.Start))
	var as []string
	f := s.finisher("n1")
	f.Log = func(format string, args ...any) { as = append(as, fmt.Sprintf(format, args...)) }
	did, err := f.Sweep(context.Background(), true)
	if err != nil || did.Finished != 1 {
		t.Fatalf("%+v, %v", did, err)
	}
	// No program here can take the rights of carol: the report is in the spool, and the log says as which user and
	// where delivery was tried.
	if sum := s.stored("7"); sum.Job.UID != 4711 || sum.Job.User != "carol" || sum.Job.WorkDir != s.work ||
		len(sum.Nodes) != 2 {
		t.Errorf("stored %+v", sum.Job)
	}
	if trapped, _ := os.ReadDir(trap); len(trapped) != 0 || !strings.Contains(strings.Join(as, "\n"), "uid 4711") {
		t.Errorf("in the trap %v, log %q", trapped, as)
	}
}
