package health

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Workers that end at once lose no count.
func TestAddAtOnce(t *testing.T) {
	spool := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				if _, err := Add(spool, Counts{Runs: 1, LostS: .5, Failures: map[string]int64{"no_agent": 2}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got, err := Add(spool, Counts{Reports: 1})
	must(t, err)
	if want := (Counts{Runs: 160, Reports: 1, LostS: 80, Failures: map[string]int64{"no_agent": 320}}); !reflect.DeepEqual(
		got, want) {
		t.Errorf("%+v", got)
	}
}

func TestTornTotalsRestart(t *testing.T) {
	spool := t.TempDir()
	must(t, os.WriteFile(filepath.Join(spool, totalsFile), []byte(`{"runs": 7, "fail`), 0o600))
	if got, err := Add(spool, Counts{Runs: 1}); err != nil || got.Runs != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := Add(spool, Counts{}); err != nil || got.Runs != 1 {
		t.Errorf("again: %+v, %v", got, err)
	}
	must(t, os.Remove(filepath.Join(spool, totalsFile)))
	must(t, os.Symlink("/etc/passwd", filepath.Join(spool, totalsFile)))
	if _, err := Add(spool, Counts{Runs: 1}); err == nil {
		t.Error("a link was followed")
	}
}

// The textfile collector accepts every line, for any name of a node.
func TestTextfile(t *testing.T) {
	dir := t.TempDir()
	d := Counts{Runs: 3, Reports: 2, LostS: 1.5, SampledS: 1e7,
		Failures: map[string]int64{"no_agent": 1, "history_failed": 4}}
	must(t, Write(dir, "n1", d.Plus(Counts{SpoolBytes: 12345})))
	b, err := os.ReadFile(filepath.Join(dir, "jobgait-n1.prom"))
	must(t, err)
	line := regexp.MustCompile(`^(# (HELP|TYPE) jobgait_[a-z_]+ .+|jobgait_[a-z_]+\{node="n1"(,code="[a-z_]+")?\} ` +
		`[0-9.e+]+)$`)
	for l := range strings.Lines(string(b)) {
		if !line.MatchString(strings.TrimSuffix(l, "\n")) {
			t.Errorf("%q", l)
		}
	}
	for _, want := range []string{`jobgait_runs_total{node="n1"} 3`,
		`jobgait_failures_total{node="n1",code="history_failed"} 4`, `jobgait_spool_bytes{node="n1"} 12345`} {
		if !strings.Contains(string(b), want+"\n") {
			t.Errorf("%s is not in\n%s", want, b)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if info, serr := os.Stat(filepath.Join(dir, "jobgait-n1.prom")); err != nil || serr != nil || len(left) != 1 ||
		info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", left, err)
	}
	if err := Write(filepath.Join(dir, "none"), "n1", d); err == nil {
		t.Error("a directory that is not there is no error")
	}
}
