package history

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/analysis/run"
)

// pruned calls Prune as of a hundred days after the runs of melts.
func pruned(t *testing.T, db *DB, keep Keep, dry bool) string {
	t.Helper()
	told := map[string]int64{}
	err := db.Prune(t.Context(), keep, t0+100*86400, dry, func(p Pruned) { told[p.Kind] = p.Runs })
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(told)
}

// TestPrune takes away by age and kind. What the runs add up to stays.
func TestPrune(t *testing.T) {
	db := open(t)
	for i := range int64(50) {
		s := withTimeline(oneNode(i + 1))
		s.Counters = []run.Counter{{Name: "energy_pkg", Unit: "uJ", Total: 3.6e9}}
		if i >= 45 {
			s.Start, s.End = s.Start+90*86400, s.End+90*86400
		}
		mustPut(t, db, s, Ingest{NowS: s.End})
	}
	days := dump(t, db.sql, "SELECT sum(Jobs), sum(NodeHours), sum(EnergyKWh) FROM days")
	if got := pruned(t, db, Keep{Profiles: 30, Runs: 60}, true); got != "map[profiles:45 runs:45]" {
		t.Errorf("a dry run counts %s", got)
	}
	if n := count(t, db, "jobs"); n != 50 {
		t.Fatalf("a dry run left %d runs", n)
	}
	if got := pruned(t, db, Keep{Profiles: 30, Nodes: 30, Functions: 30, Ingest: 30},
		false); got != "map[functions:0 ingest:45 nodes:45 profiles:45]" {
		t.Errorf("taken away are %s", got)
	}
	if n := count(t, db, "job_nodes"); n != 5 {
		t.Errorf("%d rows of nodes are left", n)
	}
	if s, _, err := db.Summary(t.Context(), "3"); err != nil || len(s.Timeline.Columns) > 0 || len(s.Patterns) != 1 ||
		len(s.Nodes) != 1 {
		t.Errorf("a slim summary has %d columns, %d patterns, %v", len(s.Timeline.Columns), len(s.Patterns), err)
	}
	if got := pruned(t, db, Keep{Profiles: 30, Nodes: 30}, false); got != "map[nodes:0 profiles:0]" {
		t.Errorf("a second time %s", got)
	}
	pruned(t, db, Keep{Runs: 60}, false)
	if _, _, err := db.Summary(t.Context(), "3"); !errors.Is(err, ErrNotFound) {
		t.Errorf("an old run: %v", err)
	}
	if now := dump(t, db.sql, "SELECT sum(Jobs), sum(NodeHours), sum(EnergyKWh) FROM days"); now != days ||
		count(t, db, "jobs") != 5 {
		t.Errorf("the days were\n%s and are\n%s", days, now)
	}
	if err := db.Tidy(t.Context()); err != nil {
		t.Error(err)
	}
	for i := range int64(5) { // the same runs once more, and another end of each
		s := oneNode(46 + i)
		s.Start, s.End = s.Start+90*86400, s.End+91*86400
		mustPut(t, db, s, Ingest{NowS: s.End})
	}
	if left := dump(t, db.sql, "SELECT sum(Jobs) AS N FROM days"); !strings.Contains(left, " 50\n") {
		t.Errorf("with runs put again the days have %s", left)
	}
}

// TestPruneRuns takes away all runs: those that get their numbers have nothing of what the
// log of what came had of them.
func TestPruneRuns(t *testing.T) {
	db := open(t)
	melts(t, db, 5)
	late := oneNode(6)
	late.Start, late.End = late.Start+90*86400, late.End+90*86400
	mustPut(t, db, late, Ingest{NowS: late.End})
	ask := "SELECT count(*) AS N, count(RunID) AS Named FROM ingest"
	pruned(t, db, Keep{Runs: 30}, false)
	if got := dump(t, db.sql, ask); got != "N                6\nNamed            1\n\n" {
		t.Errorf("with one run left the view ingest has\n%s", got)
	}
	pruned(t, db, Keep{Runs: 5}, false)
	mustPut(t, db, oneNode(50), Ingest{NowS: t0})
	if got := dump(t, db.sql, ask); got != "N                1\nNamed            1\n\n" || count(t, db, "jobs") != 1 {
		t.Errorf("of another run it has\n%s", got)
	}
}

// TestCopy copies a history that another process writes to.
func TestCopy(t *testing.T) {
	db := open(t)
	melts(t, db, 20)
	to := filepath.Join(t.TempDir(), "copy.db")
	if err := db.Copy(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	if err := db.Copy(t.Context(), to); err == nil || !strings.Contains(err.Error(), "copy to") {
		t.Errorf("onto a file that is there: %v", err)
	}
	copied, err := OpenReadOnly(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if n := count(t, copied, "jobs"); n != 20 {
		t.Errorf("it has %d runs", n)
	}
}
