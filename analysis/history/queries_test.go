package history

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// siteNow is the time "now" in the queries of the tests.
const (
	siteNow  = "2026-11-27 00:00:00"
	siteNowS = 1795737600
)

// queries returns the catalogue by name, with "now" replaced by siteNow.
func queries(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("queries/*.sql")
	if err != nil || len(paths) < 12 {
		t.Fatalf("%d queries, %v", len(paths), err)
	}
	list := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "-- ") || !strings.HasSuffix(string(text), ";\n") ||
			strings.Count(string(text), ";\n") != 1 {
			t.Errorf("%s is not a comment and one statement", path)
		}
		list[strings.TrimSuffix(filepath.Base(path), ".sql")] = strings.ReplaceAll(string(text), "'now'", "'"+siteNow+"'")
	}
	return list
}

// site returns a history in which every query of the catalogue finds something, together with runs that the
// queries must leave out: of last month, sound ones, and those of other users.
func site(t *testing.T) *DB {
	t.Helper()
	db := open(t)
	uids := map[string]int{"alice": 1001, "bob": 1002, "carol": 1003}
	put := func(id int64, user string, days float64, change func(*summary.Summary)) {
		s := oneNode(id)
		s.Job.User, s.Job.UID, s.Job.Name = user, uids[user], "melt"
		s.Start = siteNowS - 86400*days
		s.End, s.ElapsedS, s.State = s.Start+7200, 7200, "COMPLETED"
		if change != nil {
			change(&s)
		}
		mustPut(t, db, s, Ingest{ReportDir: "/home/" + user, Source: "record", NowS: s.End + 60, Findings: found})
	}
	for i := range int64(6) {
		put(812330+i, "alice", 6-float64(i), func(s *summary.Summary) {
			s.StepS = ptr(0.5 + 0.1*float64(i/3))
			s.Job.Fields = map[string]string{run.FieldBuildID: "b" + strconv.FormatInt(1+i/3, 10)}
		})
	}
	for i := range int64(2) {
		put(812341+i, "alice", 0.5, func(s *summary.Summary) {
			s.Job.Name, s.Job.ArrayJobID, s.Job.ArrayTaskID = "sweep", ptr(int64(812340)), ptr(7+i)
			s.Nodes[0].BusyCPUs = ptr(0.5)
		})
	}
	put(812344, "bob", 3, func(s *summary.Summary) {
		s.State, s.Exit = "OUT_OF_MEMORY", &run.Exit{Signal: 9}
		s.Quality.PrologS, s.Quality.EpilogS = ptr(0.031), ptr(0.42)
		s.Job.Submit, s.Job.Eligible = ptr(int64(s.Start)-900), ptr(int64(s.Start)-600)
		s.Job.SchedulerStart = ptr(int64(s.Start))
	})
	wide := func(s *summary.Summary) {
		s.Job.NNodes, s.Job.NCPUs, s.Job.App, s.Job.Size = 4, ptr(16), "nemo", "gyre"
		s.Nodes = []summary.Node{{Name: "n1", Reported: true, BusyCPUs: ptr(4.0), Samples: 12000},
			{Name: "n2", Reported: true, BusyCPUs: ptr(3.0), Samples: 11000, Missing: 1100},
			{Name: "n3", Reported: true, BusyCPUs: ptr(3.0), Samples: 12000}, {Name: "n4"}}
		s.ImbalancePct = ptr(20.0)
		s.Code, s.StepS = consistsOf(map[anatomy.Function]float64{{Library: "nemo.exe", Name: "dynspg::solve"}: 60,
			{Library: "libmpi.so.40", Start: 64}: 30}), ptr(0.5)
		small := mainPattern(0.1)
		small.ID, small.Column = "B", "busy_cpus"
		s.Patterns = append(s.Patterns, small)
		s.Quality.Sources = append(s.Quality.Sources, run.CounterSource{Name: "instructions", PMU: "cpu"})
		s.Notes = []note.Note{note.New(note.MissingNodes, "no record from 1 of 4 nodes: n4")}
	}
	put(812343, "carol", 40, wide)
	put(812345, "carol", 1, func(s *summary.Summary) { wide(s); s.State, s.Exit = "TIMEOUT", &run.Exit{Signal: 15} })
	put(812346, "carol", 1.5, func(s *summary.Summary) {
		wide(s)
		s.Nodes[2].Sealed, s.Job.TimeLimitS, s.Exit = true, ptr(7200.0), &run.Exit{}
	})
	put(812347, "bob", 4, func(s *summary.Summary) {
		s.Patterns, s.Notes, s.Job.Account = nil, []note.Note{note.New(note.NotSignificant, "no better than chance")}, "ice"
	})
	put(812348, "bob", 4, func(s *summary.Summary) { s.Patterns, s.Nodes = nil, []summary.Node{{Name: "n5"}} })
	for i := range int64(2) {
		put(812350+i, "carol", 2, func(s *summary.Summary) {
			s.Job.NNodes, s.Job.App, s.Job.Size = 1+int(i), "nemo", "gyre"
			s.Counters = []run.Counter{{Name: "energy_pkg", Unit: "uJ", Scope: "node", Total: 3.6e12}}
		})
	}
	put(812400, "bob", 2, func(s *summary.Summary) {
		s.Job.NCPUs, s.Job.TimeLimitS, s.Job.MemoryBytes = ptr(8), ptr(86400.0), ptr(64e9)
		s.Job.Fields = map[string]string{run.FieldThreads: "1", run.FieldBuildID: "b1",
			run.FieldModules: "gcc/12 lammps/2024"}
		s.Nodes[0].BusyCPUs, s.StepS = ptr(1.0), ptr(0.5)
		s.GPUs = onGPUs()
		s.Memory = &summary.Memory{PeakBytes: ptr(60e9)}
		s.Counters = []run.Counter{{Name: "proc_wait", Unit: "ns", Scope: "job", Total: 7200e9},
			{Name: "others_cpu", Unit: "ns", Scope: "node", Total: 5000e9},
			{Name: "cgroup_throttled", Unit: "ns", Scope: "job", Total: 4000e9},
			{Name: "stolen_cpu", Unit: "ns", Scope: "job", Total: 360e9},
			{Name: "proc_read_bytes", Unit: "bytes", Scope: "job", Total: 3e12},
			{Name: "proc_write_bytes", Unit: "bytes", Scope: "job", Total: 1e12, Share: 0.5},
			{Name: "cgroup_psi_io_full", Unit: "ns", Scope: "job", Total: 700e9}}
	})
	findings(t, db)
	return db
}

// findings puts changes and laws into the history of site.
func findings(t *testing.T, db *DB) {
	t.Helper()
	for id, event := range map[run.JobID]ChangeRow{ // alice's and bob's begin on one day
		812333: {Metric: "step_s", Kind: "step", EffectPct: 20, LoPct: ptr(18.5), HiPct: ptr(21.5),
			Causes: `[{"field":"build_id"}]`},
		812344: {Metric: "elapsed_s", Kind: "step", EffectPct: 12, Causes: "[]"},
		812345: {Metric: "elapsed_s", Kind: "step", EffectPct: -12, Causes: "[]"},
	} {
		runs, err := db.Runs(t.Context(), Query{JobID: id})
		if err != nil || len(runs) != 1 {
			t.Fatal(runs, err)
		}
		event.RunID = runs[0].ID
		if err := db.PutEvents(t.Context(), runs[0].SeriesID, []ChangeRow{event}, siteNowS-86400); err != nil {
			t.Fatal(err)
		}
	}
	nemo := oneNode(812345)
	nemo.Job.User, nemo.Job.UID, nemo.Job.App = "carol", 1003, "nemo"
	laws := []Segment{{Parameter: "nodes", Fixed: "size=gyre", Metric: "step_s", FirstP: 1, LastP: 8, Points: 5,
		Formula: "1 + 8 / p", ChangeAfterP: ptr(8.0), ChangeBefore: ptr(16.0)},
		{Parameter: "nodes", Fixed: "size=gyre", Metric: "step_s", Position: 1, FirstP: 16, LastP: 32, Points: 2}}
	if err := db.PutScaling(t.Context(), nemo, laws, siteNowS); err != nil {
		t.Fatal(err)
	}
}

// TestQueries runs each query of the catalogue; all of them return rows.
func TestQueries(t *testing.T) {
	db := site(t)
	tool := sqliteTool(t)
	list := queries(t)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(list)) {
		q := list[name]
		rows := dump(t, db.sql, q)
		if rows == "" {
			t.Errorf("%s has no rows", name)
		}
		fmt.Fprintf(&b, "== %s\n%s", name, rows)
		if tool == "" {
			continue
		}
		cmd := exec.Command(tool, "-readonly", "-bail", db.path)
		cmd.Stdin = strings.NewReader(q)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("sqlite3: %s: %v\n%s", q, err, out)
		}
	}
	golden(t, "queries.txt", b.String())
}

// TestQueriesSearch reads SQLite's query plans: no query may read all nodes of all runs, nor all runs unless it
// counts them.
func TestQueriesSearch(t *testing.T) {
	db := open(t)
	for name, q := range queries(t) {
		plan := dump(t, db.sql, "EXPLAIN QUERY PLAN "+q)
		if strings.Contains(plan, "SCAN r") || strings.Contains(plan, "SCAN x") && !strings.Contains(q, "FROM scaling") {
			t.Errorf("%s:\n%s", name, plan)
		}
	}
}

// siteStatistics are those that ANALYZE took of 20,000 runs of TestSite.
const siteStatistics = `ANALYZE; DELETE FROM sqlite_stat1; INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
	('internal_set_field', 'set_field', '400 4 1'),
	('internal_field_set', 'sqlite_autoindex_internal_field_set_1', '100 1'),
	('internal_field', 'sqlite_autoindex_internal_field_1', '103 26 1'),
	('internal_run_pattern', 'run_pattern', '10110 2 1'),
	('internal_hpc_user', 'sqlite_autoindex_internal_hpc_user_1', '10 1 1'),
	('internal_application', 'sqlite_autoindex_internal_application_1', '100 10 1 1'),
	('internal_run_series', 'sqlite_autoindex_internal_run_series_1', '250 3 1'),
	('internal_word', 'sqlite_autoindex_internal_word_1', '515 1'),
	('internal_run', 'run_end', '20000 1'),
	('internal_run', 'run_start', '20000 1'),
	('internal_run', 'run_user_start', '20000 2000 1'),
	('internal_run', 'run_series_start', '20000 80 1'),
	('internal_run', 'run_display', '20000 1'),
	('internal_run', 'sqlite_autoindex_internal_run_1', '20000 1 1 1 1 1 1'),
	('internal_cluster', 'sqlite_autoindex_internal_cluster_1', '1 1'); ANALYZE sqlite_master`

// TestQueriesByApplication checks that builds are found through the application even with statistics: with them
// SQLite searched all runs, user by user. The build of a run is looked up once, and its pattern, which the
// query does not use, never.
func TestQueriesByApplication(t *testing.T) {
	db := open(t)
	if _, err := db.sql.Exec(siteStatistics); err != nil {
		t.Fatal(err)
	}
	plan := dump(t, db.sql, "EXPLAIN QUERY PLAN "+queries(t)["site_builds"])
	if step := "SEARCH r USING INDEX run_series_start (series_id=? AND start_s>?)"; !strings.Contains(plan, step) {
		t.Errorf("no %q in\n%s", step, plan)
	}
	for name, builds := range map[string]int{"site_builds": 1, "week_cpu_time": 0} {
		plan := dump(t, db.sql, "EXPLAIN QUERY PLAN "+queries(t)[name])
		if n := strings.Count(plan, "SEARCH x USING INTEGER PRIMARY KEY (rowid=?)"); n != builds ||
			strings.Contains(plan, "SEARCH p ") {
			t.Errorf("%s looks %d times for builds, or for patterns:\n%s", name, n, plan)
		}
	}
}
