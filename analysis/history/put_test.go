package history

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
)

// statuses returns the outcomes of storing the summaries, in order.
func statuses(t *testing.T, db *DB) string {
	t.Helper()
	var all sql.NullString
	if err := db.sql.QueryRow(`SELECT group_concat(Status, ' ') FROM (SELECT Status FROM ingest ORDER BY AtEpoch)`).Scan(
		&all); err != nil {
		t.Fatal(err)
	}
	return all.String
}

// count returns the number of rows of a table.
func count(t testing.TB, db *DB, table string) (n int) {
	t.Helper()
	if err := db.sql.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPutTwice(t *testing.T) {
	db := openFixture(t)
	tables := []string{"internal_run", "internal_run_node", "internal_run_pattern", "internal_run_note",
		"internal_run_summary", "internal_run_series", "internal_node", "internal_cluster",
		"internal_hpc_user"}
	before := map[string]int{}
	for _, table := range tables {
		before[table] = count(t, db, table)
	}
	jobs := dump(t, db.sql, "SELECT * FROM jobs ORDER BY RunID")
	for i, s := range fixture() {
		mustPut(t, db, s, Ingest{NowS: t0 + 100 + float64(i)})
	}
	for _, table := range tables {
		if n := count(t, db, table); n != before[table] {
			t.Errorf("%s has %d rows, had %d", table, n, before[table])
		}
	}
	if again := dump(t, db.sql, "SELECT * FROM jobs ORDER BY RunID"); again != jobs {
		t.Errorf("the second put changed\n%s to\n%s", jobs, again)
	}
}

// job is one node's summary for tests that change a few fields of it.
func job(change func(*summary.Summary)) summary.Summary {
	s := oneNode(7)
	change(&s)
	return s
}

// reporting returns a summary of three nodes of which n reported.
func reporting(n int, change func(*summary.Summary)) summary.Summary {
	return job(func(s *summary.Summary) {
		s.Job.NNodes = 3
		s.Nodes = nil
		for i := range 3 {
			s.Nodes = append(s.Nodes, summary.Node{Name: fmt.Sprintf("n%d", i+1), Reported: i < n})
		}
		if change != nil {
			change(s)
		}
	})
}

func TestReplace(t *testing.T) {
	completed := func(s *summary.Summary) { s.State = "COMPLETED" }
	known := func(s *summary.Summary) {
		s.State, s.Job.StdOut, s.Job.SchedulerStart = "TIMEOUT", "/out", ptr(int64(t0))
	}
	bare := func(s *summary.Summary) {
		s.Job.Name, s.Job.Partition, s.Exit = "", "", nil
	}
	for name, c := range map[string]struct {
		puts     []summary.Summary
		statuses string
		want     string // of reported/state/name/partition/stdout/exit
	}{
		"more nodes": {[]summary.Summary{reporting(1, nil), reporting(3, nil)}, "added replaced", "3//melt-7/cpu//true"},
		"as many": {[]summary.Summary{reporting(2, nil), reporting(2, completed)}, "added replaced",
			"2/COMPLETED/melt-7/cpu//true"},
		"fewer": {[]summary.Summary{reporting(3, nil), reporting(1, nil)}, "added kept", "3//melt-7/cpu//true"},
		"fewer, state": {[]summary.Summary{reporting(3, nil), reporting(1, completed)}, "added state",
			"3/COMPLETED/melt-7/cpu//true"},
		"state, fewer": {[]summary.Summary{reporting(3, completed), reporting(1, nil)}, "added kept",
			"3/COMPLETED/melt-7/cpu//true"},
		"state, more": {[]summary.Summary{reporting(1, known), reporting(3, bare)}, "added replaced",
			"3/TIMEOUT/melt-7/cpu//out/true"},
		"corrected state": {[]summary.Summary{reporting(1, known), reporting(1, completed)}, "added replaced",
			"1/COMPLETED/melt-7/cpu//out/true"},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			for i, s := range c.puts {
				mustPut(t, db, s, Ingest{NowS: 2*t0 + float64(i)})
			}
			if got := statuses(t, db); got != c.statuses {
				t.Errorf("statuses %q, want %q", got, c.statuses)
			}
			runs, err := db.Runs(t.Context(), Query{})
			if err != nil || len(runs) != 1 {
				t.Fatalf("runs %v, %v", runs, err)
			}
			s, _, err := db.Summary(t.Context(), "7")
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("%d/%s/%s/%s/%s/%v", s.Reported(), s.State, s.Job.Name, s.Job.Partition, s.Job.StdOut,
				s.Exit != nil)
			if got != c.want {
				t.Errorf("summary is %s, want %s", got, c.want)
			}
			r := runs[0]
			if r.State != s.State || r.NodesReported != s.Reported() || r.JobName != s.Job.Name {
				t.Errorf("the row %+v is not as the summary", r)
			}
		})
	}
}

// TestReuse checks when two summaries under one key are one run.
func TestReuse(t *testing.T) {
	at := func(seconds float64, scheduler int64) func(*summary.Summary) {
		return func(s *summary.Summary) {
			s.Start, s.End = s.Start+seconds, s.End+seconds
			if scheduler > 0 {
				scheduler := t0 + scheduler
				s.Job.SchedulerStart = &scheduler
			}
		}
	}
	many := func(f func(*summary.Summary)) summary.Summary { return reporting(2, f) }
	for name, c := range map[string]struct {
		a, b summary.Summary
		runs int
	}{
		"same":                             {many(at(0, 100)), many(at(0, 100)), 1},
		"scheduler rounds":                 {many(at(0, 100)), many(at(0, 101)), 1},
		"scheduler differs":                {many(at(0, 100)), many(at(0, 102)), 2},
		"scheduler agrees, clock does not": {many(at(0, 100)), many(at(1e6, 100)), 1},
		"one is unknown, near":             {many(at(0, 0)), many(at(-3600, 100)), 1},
		"both unknown, a day":              {many(at(0, 0)), many(at(86400, 0)), 1},
		"both unknown, more":               {many(at(0, 0)), many(at(86402, 0)), 2},
		"one node, same Prolog":            {job(at(0, 0)), job(at(0.5, 0)), 1},
		"one node, id reused":              {job(at(0, 0)), job(at(600, 0)), 2},
		"no start":                         {many(at(0, 0)), many(func(s *summary.Summary) { s.Start = 0 }), 1},
		"restart":                          {job(at(0, 0)), job(func(s *summary.Summary) { s.Key.Restart = 1 }), 2},
		"sub run":                          {job(at(0, 0)), job(func(s *summary.Summary) { s.Key.Sub = 1 }), 2},
		"SLUID":                            {job(at(0, 0)), job(func(s *summary.Summary) { s.Key.SLUID = "s1" }), 2},
		"cluster":                          {job(at(0, 0)), job(func(s *summary.Summary) { s.Key.Cluster = "other" }), 2},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t)
			for range 2 { // in any order and again, the answer is the same
				mustPut(t, db, c.a, Ingest{})
				mustPut(t, db, c.b, Ingest{})
			}
			if n := count(t, db, "internal_run"); n != c.runs {
				t.Errorf("%d runs, want %d", n, c.runs)
			}
		})
	}
}

func TestReportDirStays(t *testing.T) {
	db := open(t)
	mustPut(t, db, oneNode(7), Ingest{ReportDir: "/home/alice/out"})
	mustPut(t, db, oneNode(7), Ingest{})
	if _, dir, err := db.Summary(t.Context(), "7"); dir != "/home/alice/out" || err != nil {
		t.Errorf("report directory %q, %v", dir, err)
	}
}

func TestSummaryRoundTrip(t *testing.T) {
	db := open(t)
	s := fixture()[2]
	s.Timeline = summary.Timeline{StepS: 1, Columns: []summary.TimelineColumn{{
		Name: "busy_cpus", Min: series.Values{0, 1}, Mean: series.Values{1, 2}, Max: series.Values{2, 3}}}}
	s.Counters = []run.Counter{{Name: "instructions", Total: 1e15}}
	mustPut(t, db, s, Ingest{})
	got, _, err := db.Summary(t.Context(), "812345")
	if err != nil {
		t.Fatal(err)
	}
	// Empty lists and missing ones are the same in JSON's round trip.
	if a, b := fmt.Sprintf("%+v", got.Timeline), fmt.Sprintf("%+v", s.Timeline); a != b {
		t.Errorf("timeline %s, want %s", a, b)
	}
	if !reflect.DeepEqual(got.Nodes, s.Nodes) || !reflect.DeepEqual(got.Job, s.Job) ||
		!reflect.DeepEqual(got.Notes, s.Notes) ||
		!reflect.DeepEqual(got.Counters, s.Counters) || got.Key != s.Key {
		t.Errorf("got %+v, want %+v", got, s)
	}
}

func TestPutRefuses(t *testing.T) {
	db := open(t)
	for _, s := range []summary.Summary{
		job(func(s *summary.Summary) { s.Key.JobID = 0 }),
		job(func(s *summary.Summary) { s.Key.Cluster = "" }),
		job(func(s *summary.Summary) { s.ElapsedS = math.NaN() }),
		job(func(s *summary.Summary) { s.Start, s.End = 1e18, 1e18 }), // the year 31688740476
		job(func(s *summary.Summary) { s.Start, s.End = 1, 61 }),
		job(func(s *summary.Summary) { s.Quality.Missing = 1 << 40 }),
		job(func(s *summary.Summary) { s.Patterns[0].Confidence = 12 }),
		job(func(s *summary.Summary) { s.Patterns[0].PeriodS = math.NaN() }),
	} {
		if err := db.Put(t.Context(), s, Ingest{}); !errors.Is(err, ErrUnfit) || Unavailable(err) {
			t.Errorf("%+v, %v: %v, want it unfit", s.Key, s.ElapsedS, err)
		}
	}
	if n := count(t, db, "internal_ingest_log"); n != 0 {
		t.Errorf("%d entries in the log", n)
	}
}

// hostile are texts that a user can choose.
var hostile = []string{
	`'; DROP TABLE internal_run; --`, `"`, "a\x00b", "line\nline", "\x1b[2J\x1b]0;title\a", "%s%n", "\xff\xfe",
	"\u202egpj.exe",
	strings.Repeat("x", 1<<20), strings.Repeat("é", 1<<10), "*", "123_7", "-1", "NULL",
}

func TestHostileText(t *testing.T) {
	db := open(t)
	for i, text := range hostile {
		s := oneNode(int64(i + 1))
		j := &s.Job
		for _, field := range []*string{&j.Name, &j.User, &j.Account, &j.Partition, &j.QOS, &j.NodeList, &j.WorkDir,
			&j.StdOut, &j.Executable, &j.App, &j.Size, &s.Key.Cluster, &s.Key.SLUID, &s.State, &s.Nodes[0].Name,
			&s.Patterns[0].ID, &s.Patterns[0].Column} {
			*field = text
		}
		mustPut(t, db, s, Ingest{ReportDir: text, Source: text})
		mustPut(t, db, s, Ingest{ReportDir: text, Source: text})
		q := past(s)
		q.Before++
		runs, err := db.Runs(t.Context(), q)
		known := Application(s) != Unknown // of what cannot be read there is no series
		if err != nil || known != (len(runs) == 1) || known && runs[0].JobID != run.JobID(i+1) {
			t.Errorf("%.20q: its series is %v, %v", text, runs, err)
		}
		got, _, err := db.Lookup(t.Context(), Ref{ID: fmt.Sprint(i + 1), Cluster: text})
		if err != nil || got.Job.User != strings.ToValidUTF8(text, "\uFFFD") && text != "\xff\xfe" {
			t.Errorf("%.20q: its summary has user %.20q, %v", text, got.Job.User, err)
		}
		if _, _, err := db.Summary(t.Context(), text); err == nil {
			t.Errorf("%.20q is a job id", text)
		}
	}
	for _, v := range views {
		if out := dump(t, db.sql, "SELECT * FROM "+v.name); strings.ContainsAny(out, "\x00\x1b\a") || len(out) > 400*4096 {
			t.Errorf("%s has control characters, or %d bytes", v.name, len(out))
		}
	}
	if n := count(t, db, "internal_run"); n != len(hostile) {
		t.Errorf("%d runs, want %d", n, len(hostile))
	}
}

// TestDiskFull limits the size of the file as a full disk would.
func TestDiskFull(t *testing.T) {
	db := open(t)
	mustPut(t, db, oneNode(1), Ingest{})
	var pages int
	if err := db.sql.QueryRow("PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := db.sql.Exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages+4)); err != nil {
		t.Fatal(err)
	}
	var err error
	done := 1
	for ; err == nil && done < 1000; done++ {
		err = db.Put(t.Context(), reporting(3, func(s *summary.Summary) { s.Key.JobID = run.JobID(done + 1) }), Ingest{})
	}
	if !Unavailable(err) || !strings.Contains(err.Error(), "no room left") || strings.Contains(err.Error(), "\n") {
		t.Fatalf("error is %v", err)
	}
	// A stored run stays, and nothing of an unfinished one is stored.
	if a, b := count(t, db, "internal_run"), count(t, db, "internal_run_summary"); a != done-1 || b != a {
		t.Errorf("%d runs and %d summaries after %d puts", a, b, done-1)
	}
	if _, err := db.sql.Exec("PRAGMA max_page_count = 1000000"); err != nil {
		t.Fatal(err)
	}
	mustPut(t, db, oneNode(5000), Ingest{})
}

// TestNoteTexts puts notes of one code with more texts than get a number, some of them twice: each run shows its
// own text.
func TestNoteTexts(t *testing.T) {
	db := open(t)
	const runs = mostTexts + 20
	say := func(i int) string { return fmt.Sprintf("%d cycles were seen", i%runs) }
	for i := range runs + 10 {
		s := oneNode(int64(i + 1))
		s.Notes = []note.Note{{Code: note.FewInstances, Text: say(i)}, {Code: note.NeverRead, Text: "no sensor"},
			{Code: note.MissingNodes}}
		mustPut(t, db, s, Ingest{})
	}
	// an empty one each, which is also what the last says
	if n := count(t, db, "internal_note_text"); n != mostTexts+1+2+1 {
		t.Errorf("%d texts have a number", n)
	}
	// 20 of the first code, all of the last
	if n := count(t, db, "internal_run_note WHERE text IS NOT NULL"); n != 20+runs+10 {
		t.Errorf("%d notes have their own text", n)
	}
	for i := range runs + 10 {
		got := dump(t, db.sql, fmt.Sprintf("SELECT Code || ': ' || Text AS Note FROM job_notes WHERE JobID = '%d' ", i+1))
		if !strings.Contains(got, "few_instances: "+say(i)+"\n") || !strings.Contains(got, "never_read: no sensor\n") ||
			!strings.Contains(got, "missing_nodes: \n") {
			t.Fatalf("run %d has\n%s", i+1, got)
		}
	}
}
