package history

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMend opens histories of this version and of the one before that were made
// before columns, an index and a view were added: whoever reads is told, who writes
// adds them.
func TestMend(t *testing.T) {
	steps := currentSchema().steps
	for version, lacking := range map[int]string{1 + len(steps): "it has no run.instances", len(steps): "found schema version"} {
		path := filepath.Join(t.TempDir(), "history.db")
		text := earlier(t).text
		if version == 5 {
			text = strings.Replace(of(t, schemaText, "schema5.sql"), "  energy_j        REAL,\n", "", 1)
			text = strings.Replace(text, "round(coalesce(energy_j, 0)) AS energy_j, energy_j IS NOT NULL AS energy_jobs", "0 AS energy_j, 0 AS energy_jobs", 1)
		}
		old, err := openAs(t, path, schema{text, steps[:version-1]})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := old.sql.Exec(`INSERT INTO cluster VALUES (1, 'hpc'); INSERT INTO hpc_user VALUES (1, 'alice', 1001);
			INSERT INTO run (run_id, cluster_id, job_id, restart, sluid, sub, reuse, display_id, user_id, nodes_reported)
				VALUES (1, 1, 7, 0, '', 0, 0, '7', 1, 0)`); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenReadOnly(t.Context(), path); !errors.Is(err, ErrOlder) || !strings.Contains(err.Error(), lacking) {
			t.Errorf("who only reads is told %v", err)
		}
		for range 2 {
			db, err := Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			mustPut(t, db, oneNode(8), Ingest{})
			if left, err := db.lacks(t.Context(), db.sql); len(left) > 0 || err != nil {
				t.Errorf("it still lacks %v, %v", left, err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		db, err := OpenReadOnly(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if runs, err := db.Runs(t.Context(), Query{}); err != nil || ids(runs) != "8 7" {
			t.Errorf("runs %v, %v", runs, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// of is a schema with the tables that an earlier version had.
func of(t *testing.T, text, file string) string {
	t.Helper()
	tables, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	whole := regexp.MustCompile(`(?ms)^CREATE TABLE IF NOT EXISTS (\w+) \(\n.*?^\)[^;]*;\n`)
	rest := string(tables)
	for _, table := range whole.FindAllStringSubmatch(string(tables), -1) {
		at := whole.FindAllStringSubmatchIndex(text, -1)
		i := slices.IndexFunc(at, func(m []int) bool { return text[m[2]:m[3]] == table[1] })
		if i < 0 {
			continue // it went
		}
		text = text[:at[i][0]] + table[0] + text[at[i][1]:]
		rest = strings.Replace(rest, table[0], "", 1)
	}
	return text + rest
}

// TestShares brings a history of version 4 to this one: the views show what they
// showed, and the structure is that of a new one.
func TestShares(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	old, err := openAs(t, path, schema{of(t, of(t, schemaText, "schema5.sql"), "schema4.sql"), currentSchema().steps[:3]})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.sql.Exec(`CREATE VIEW mine AS SELECT JobID FROM jobs;
		INSERT INTO cluster VALUES (1, 'hpc'); INSERT INTO hpc_user VALUES (1, 'alice', 1001);
		INSERT INTO application (application_id, cluster_id, user_id, name) VALUES (1, 1, 1, 'a'), (2, 1, 1, 'b');
		INSERT INTO run_series VALUES (1, 1, 's'), (2, 2, 's');
		INSERT INTO run (run_id, cluster_id, job_id, restart, sluid, sub, reuse, display_id, user_id, series_id, nodes_reported)
			VALUES (1, 1, 7, 0, '', 0, 0, '7', 1, 1, 0), (2, 1, 8, 0, '', 0, 0, '8', 1, 2, 0);
		INSERT INTO code_part VALUES (4, 2, '', 'own'), (5, 1, '', 'own'), (6, 1, 'lmp', 'f'), (7, 1, 'libm', '');
		INSERT INTO run_code VALUES (1, 5, 10000, 2000000000), (1, 6, 7500, 1500000000), (1, 7, 2500, 500000000), (2, 4, 9900, NULL);
		INSERT INTO run_pattern VALUES (1, 0, 'A', 'code', 0.5, 0.4, NULL, 0.25, 0.75, 0.875, 9), (2, 0, 'B', NULL, 0.125, NULL, NULL, NULL, NULL, NULL, NULL);
		INSERT INTO field VALUES (1, 'b', '1'), (2, 'a', '2'); INSERT INTO run_value VALUES (1, 1), (1, 2), (2, 2), (2, 1);
		INSERT INTO ingest_log VALUES (1, 5, 1, 'added', 1, NULL), (2, 5, 1, 'state', 0, NULL), (3, 5, NULL, 'aside', 0, 'x'), (4, 5, NULL, 'aside', 0, 'y')`); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	got := strings.Join(strings.Fields(dump(t, db.sql, "SELECT JobID, Library, Function, StepS, SharePct FROM job_functions ORDER BY RunID, SharePct")+
		dump(t, db.sql, "SELECT JobID, Class, StepS, SharePct FROM job_classes ORDER BY RunID, SharePct")+
		dump(t, db.sql, "SELECT JobID, ColumnName, PeriodS, PeriodLoS, PeriodHiS, PeriodCV, Confidence, PatternCoverage, Iterations FROM job_patterns ORDER BY RunID")+
		dump(t, db.sql, "SELECT RunID, Name, Value FROM job_fields ORDER BY RunID, Name")+dump(t, db.sql, "SELECT count(*) AS Sets FROM field_set")+
		dump(t, db.sql, "SELECT RunID, JobID, Status, Source FROM ingest ORDER BY Status, Source")), " ")
	want := "JobID 7 Library libm Function NULL StepS 0.5 SharePct 25 JobID 7 Library lmp Function f StepS 1.5 SharePct 75 " +
		"JobID 7 Class own StepS 2 SharePct 100 JobID 8 Class own StepS NULL SharePct 99 " +
		"JobID 7 ColumnName code PeriodS 0.5 PeriodLoS 0.4 PeriodHiS NULL PeriodCV 0.25 Confidence 0.75 PatternCoverage 0.875 Iterations 9 " +
		"JobID 8 ColumnName NULL PeriodS 0.125 PeriodLoS NULL PeriodHiS NULL PeriodCV NULL Confidence NULL PatternCoverage NULL Iterations NULL " +
		"RunID 1 Name a Value 2 RunID 1 Name b Value 1 RunID 2 Name a Value 2 RunID 2 Name b Value 1 Sets 1 " +
		"RunID 1 JobID 7 Status added Source NULL RunID NULL JobID NULL Status aside Source x RunID NULL JobID NULL Status aside Source y RunID 1 JobID 7 Status state Source NULL"
	if got != want {
		t.Errorf("it has\n%s\nwant\n%s", got, want)
	}
	if _, err := db.sql.Exec("DROP VIEW mine"); err != nil {
		t.Fatal(err)
	}
	if got, want := structure(t, db), structure(t, open(t)); got != want {
		t.Errorf("migrated it is\n%s\na new one is\n%s", got, want)
	}
	mustPut(t, db, coded(oneNode(80)), Ingest{})
}

// TestSets brings a history of version 5 to this one: every view shows what it showed,
// and the structure is that of a new one.
func TestSets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	old, err := openAs(t, path, schema{of(t, schemaText, "schema5.sql"), currentSchema().steps[:4]})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := os.ReadFile("testdata/rows5.sql")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.sql.Exec(string(rows)); err != nil {
		t.Fatal(err)
	}
	days := dump(t, old.sql, "SELECT * FROM day")
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	want, err := os.ReadFile("testdata/views.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := shown(t, db); !strings.HasSuffix(string(want), got) {
		t.Errorf("it has\n%s", got)
	}
	if now := dump(t, db.sql, "SELECT * FROM day"); now != days {
		t.Errorf("the days were\n%s and are\n%s", days, now)
	}
	if got, want := structure(t, db), structure(t, open(t)); got != want {
		t.Errorf("migrated it is\n%s\na new one is\n%s", got, want)
	}
	mustPut(t, db, coded(oneNode(80)), Ingest{})
}

// TestReadWithoutAnIndex reads what a history without one of the newest indexes has.
func TestReadWithoutAnIndex(t *testing.T) {
	db := openFixture(t)
	if _, err := db.sql.Exec("DROP INDEX application_name"); err != nil {
		t.Fatal(err)
	}
	again, err := OpenReadOnly(t.Context(), db.path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if runs, err := again.Runs(t.Context(), Query{App: "nemo"}); err != nil || len(runs) != 1 {
		t.Errorf("%v, %v", runs, err)
	}
}

// TestPartsAreAll compares what is read from the text of the schema with what SQLite
// makes of it.
func TestPartsAreAll(t *testing.T) {
	db := open(t)
	var got, want []string
	for _, p := range db.schema.parts() {
		got = append(got, p.name)
	}
	err := db.each(t.Context(), `SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c
		UNION ALL SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL`, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		if !strings.HasPrefix(name, "sqlite_") && !strings.HasPrefix(name, "run_field.") && !strings.HasPrefix(name, "run_day.") { // for queries of our own
			want = append(want, name)
		}
		return err
	})
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		diff := slices.DeleteFunc(append(slices.Clone(got), want...), func(s string) bool { return slices.Contains(got, s) && slices.Contains(want, s) })
		t.Errorf("of %d parts %d are found, %v: %v", len(want), len(got), err, diff)
	}
}

// TestWords brings a history of version 1 to this one: the views show what was put.
func TestWords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	text, err := os.ReadFile("testdata/schema1.sql")
	if err != nil {
		t.Fatal(err)
	}
	old, err := openAs(t, path, schema{text: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.sql.Exec(`INSERT INTO cluster VALUES (1, 'hpc'); INSERT INTO hpc_user VALUES (1, 'alice', 1001); INSERT INTO node VALUES (1, 1, 'n1');
		INSERT INTO run (run_id, cluster_id, job_id, restart, sluid, sub, reuse, display_id, user_id, nodes_reported, counters, account, work_dir, stdout, state)
			VALUES (1, 1, 78, 0, '', 0, 0, '78', 1, 0, 'sw', 'sw', '/home/a', '/home/a/slurm-78.out', 'FAILED'), (2, 1, 79, 0, '', 0, 0, '79', 1, 0, 'none', NULL, NULL, NULL, NULL);
		INSERT INTO run_node (run_id, node_id, position, reported, busy_cpus, period_s, coverage) VALUES (1, 1, 0, 1, 3.25, 0.5, 0.75);
		INSERT INTO run_field VALUES (1, 'build_id', 'b1'), (2, 'build_id', 'b1')`); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	got := strings.Join(strings.Fields(dump(t, db.sql, "SELECT JobID, Counters, Account, WorkDir, StdOut, State, BuildID FROM jobs ORDER BY RunID")+
		dump(t, db.sql, "SELECT BusyCPUs, PeriodS, PatternCoverage FROM job_nodes")), " ")
	want := "JobID 78 Counters sw Account sw WorkDir /home/a StdOut /home/a/slurm-78.out State FAILED BuildID b1 " +
		"JobID 79 Counters none Account NULL WorkDir NULL StdOut NULL State NULL BuildID b1 BusyCPUs 3.25 PeriodS 0.5 PatternCoverage 0.75"
	if got != want {
		t.Errorf("it has\n%s\nwant\n%s", got, want)
	}
	mustPut(t, db, oneNode(80), Ingest{})
}
