package archive

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"jobgait/agent/as"
	"jobgait/agent/job"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

var key = run.Key{Cluster: "c", JobID: 7001}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// whole is a run that can be kept.
func whole() RunContext {
	return RunContext{Summary: summary.Summary{Schema: summary.Schema, Key: key,
		Job:   run.Job{User: "alice", UID: 1001, NNodes: 1},
		Start: 1.7e9, End: 1.7e9 + 60, ElapsedS: 60, Nodes: []summary.Node{{Name: "n1", Reported: true}},
		Quality: run.Quality{Scope: "job"}}}
}

func TestFilesOfANodeAreKeptOnce(t *testing.T) {
	spool, a := job.RunDir(t.TempDir()), Archive{Dir: t.TempDir()}
	for _, text := range []string{"first", "second"} {
		for _, name := range []string{"env.json", "profile.jgp", "epilog.json", "agent.log"} {
			must(t, os.WriteFile(spool.Path(name), []byte(text), 0o600))
		}
		must(t, a.PutNode(t.Context(), key, "n1", spool))
	}
	if runs, err := Runs(a.Dir); err != nil || len(runs) != 0 {
		t.Errorf("before the run is whole: %v, %v", runs, err)
	}
	must(t, a.PutRun(t.Context(), whole()))
	runs, err := Runs(a.Dir)
	if err != nil || len(runs) != 1 || string(runs[0]) != filepath.Join(a.Dir, "c-7", "c-7001.r0") {
		t.Fatal(runs, err)
	}
	if text, err := os.ReadFile(runs[0].Node("n1").ProfilePath()); err != nil || string(text) != "first" {
		t.Errorf("%q, %v", text, err)
	}
	if entries, err := os.ReadDir(string(runs[0].Node("n1"))); err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}
	if r, err := runs[0].Run(); err != nil || r.Summary.Key != key {
		t.Errorf("%+v, %v", r, err)
	}
	if left, _ := filepath.Glob(filepath.Join(string(runs[0]), ".new-*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	must(t, runs[0].PutRecomputed("b1", whole().Summary))
	if _, ok, err := runs[0].Result("b2"); ok || err != nil {
		t.Errorf("what another build made: %v %v", ok, err)
	}
	if s, ok, err := runs[0].Result("b1"); err != nil || !ok || s.ElapsedS != 60 {
		t.Errorf("%v %v %v", s, ok, err)
	}
	must(t, runs[0].RemoveRecomputed())
	if _, ok, err := runs[0].Result("b1"); ok || err != nil {
		t.Errorf("forgotten: %v %v", ok, err)
	}
}

// A child writes what it is sent only into the directories of runs.
func TestForeignFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		p    target
		file tar.Header
	}{
		{target{filepath.Join(dir, "in"), key, "n1"}, tar.Header{Name: "../out", Typeflag: tar.TypeReg}},
		{target{filepath.Join(dir, "in"), key, "../n1"}, tar.Header{Name: "../../out", Typeflag: tar.TypeReg}},
		{target{filepath.Join(dir, "in"), key, "n1"},
			tar.Header{Name: "env.json", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}},
		{target{filepath.Join(dir, "in"), key, ""}, tar.Header{Name: "env.json", Typeflag: tar.TypeReg}},
		{target{filepath.Join(dir, "in"), run.Key{Cluster: "c", JobID: -1}, "n1"},
			tar.Header{Name: "env.json", Typeflag: tar.TypeReg}},
	} {
		var b bytes.Buffer
		must(t, json.NewEncoder(&b).Encode(c.p))
		to := tar.NewWriter(&b)
		must(t, errors.Join(to.WriteHeader(&c.file), to.Close()))
		if err := Serve(t.Context(), as.Request{In: &b}); err == nil {
			t.Errorf("%+v %s was kept", c.p, c.file.Name)
		}
	}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			t.Errorf("%s was made", path)
		}
		return err
	})
	must(t, err)
	if nodeDir("../x") != "_x" || nodeDir(runFile) != "_"+runFile || nodeDir(resultFile) != "_"+resultFile {
		t.Error(nodeDir("../x"), nodeDir(runFile), nodeDir(resultFile))
	}
}

func TestTrim(t *testing.T) {
	a, now := Archive{Dir: t.TempDir()}, time.Now()
	for i, days := range []int{100, 50, 10, 1} {
		r := whole()
		r.Summary.Key.JobID = run.JobID(1000 * (i + 1))
		must(t, a.PutRun(t.Context(), r))
		runs, err := Runs(a.Dir)
		must(t, err)
		at := now.Add(-time.Duration(days) * 24 * time.Hour)
		must(t, os.Chtimes(filepath.Join(string(runs[len(runs)-1]), runFile), at, at))
	}
	for _, c := range []struct {
		days  int
		bytes int64
		want  int
	}{{0, 0, 0}, {90, 0, 1}, {0, 1 << 30, 0}, {20, 1, 3}} {
		if got, err := Trim(a.Dir, c.days, c.bytes, now); err != nil || got != c.want {
			t.Errorf("%d days, %d bytes: %d runs taken away, want %d, %v", c.days, c.bytes, got, c.want, err)
		}
	}
	if left, _ := os.ReadDir(a.Dir); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
