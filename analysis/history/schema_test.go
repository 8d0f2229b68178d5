package history

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// dump returns rows as text, one column a line: NULL is shown as such.
func dump(t *testing.T, q *sql.DB, query string) string {
	t.Helper()
	rows, err := q.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for rows.Next() {
		values := make([]any, len(names))
		into := make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			if v == nil {
				v = "NULL"
			}
			fmt.Fprintf(&b, "%-16s %v\n", names[i], v)
		}
		b.WriteString("\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// schemaOf returns the statements that made a database.
func schemaOf(t *testing.T, db *DB) string {
	t.Helper()
	rows, err := db.sql.Query(`SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		b.WriteString(s + ";\n\n")
	}
	return b.String()
}

// openAs opens the history at path with a schema that this program does not have.
func openAs(t *testing.T, path string, as schema) (*DB, error) {
	t.Helper()
	if err := create(path); err != nil {
		t.Fatal(err)
	}
	db, err := connect(path, patience, url.Values{"mode": {"rw"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.sql.Close() })
	db.schema = as
	return db, db.prepare(t.Context(), WAL)
}

// earlier is an invented earlier schema: without a column of a table and of a view, with another index, and with
// a view that was removed since.
func earlier(t *testing.T) schema {
	t.Helper()
	text := schemaText
	for _, part := range [][2]string{
		{"  instances       INTEGER,\n  UNIQUE", "  UNIQUE"},
		{"  r.instances       AS Iterations,\n", ""},
		{"  r.instances   AS Iterations\n", "  NULL AS Iterations\n"},
		{"ON internal_run (end_s);", "ON internal_run (end_s, start_s);"},
		{"CREATE INDEX IF NOT EXISTS node_name ON internal_node (name);",
			"CREATE VIEW gone AS\nSELECT name FROM internal_node;"},
		{"CREATE VIEW scaling AS\nSELECT\n", "CREATE VIEW scaling AS\nSELECT\n  x.at_s AS Old,\n"},
	} {
		if strings.Count(text, part[0]) != 1 {
			t.Fatalf("schema.sql has %q %d times", part[0], strings.Count(text, part[0]))
		}
		text = strings.Replace(text, part[0], part[1], 1)
	}
	return schema{text: text, steps: currentSchema().steps}
}

// structure returns everything that queries depend on: columns, indexes and views. A column that was added later
// is in another place of its table's text.
func structure(t *testing.T, db *DB) string {
	t.Helper()
	return dump(t, db.sql, `SELECT m.name, c.cid, c.name, c.type, c."notnull", c.dflt_value, c.pk
		FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid`) +
		dump(t, db.sql, `SELECT type, name, sql FROM sqlite_master WHERE type <> 'table' ORDER BY type, name`)
}

// TestMigrate brings a history of a made-up earlier version to today's schema: it
// has the structure of a new one, its runs, and the view that its administrator made.
func TestMigrate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	old, err := openAs(t, path, earlier(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.sql.Exec(`CREATE VIEW mine AS SELECT JobID FROM jobs;
		INSERT INTO internal_cluster VALUES (1, 'hpc');
		INSERT INTO internal_hpc_user VALUES (1, 'alice', 1001);
		INSERT INTO internal_run (run_id, cluster_id, job_id, restart, sluid, sub, reuse, display_id, user_id, nodes_reported)
			VALUES (1, 1, 7, 0, '', 0, 0, '7', 1, 0)`); err != nil {
		t.Fatal(err)
	}
	next := schema{schemaText, append(currentSchema().steps, "DROP INDEX run_end; DROP VIEW gone")}
	old.schema = next
	if err := old.readable(t.Context()); !errors.Is(err, ErrOlder) ||
		!strings.Contains(err.Error(), "schema version 2, this one reads 3") {
		t.Errorf("a reader gets %v", err)
	}
	db, err := openAs(t, path, next)
	if err != nil {
		t.Fatal(err)
	}
	if got := dump(t, db.sql, "SELECT JobID FROM mine"); !strings.Contains(got, " 7\n") {
		t.Errorf("the administrator's view has %q", got)
	}
	if _, err := db.sql.Exec("DROP VIEW mine"); err != nil {
		t.Fatal(err)
	}
	if got, want := structure(t, db), structure(t, open(t)); got != want {
		t.Errorf("migrated it is\n%s\na new one is\n%s", got, want)
	}
	mustPut(t, db, oneNode(8), Ingest{})
	if runs, err := db.Runs(t.Context(), Query{}); err != nil || ids(runs) != "8 7" {
		t.Errorf("runs %v, %v", runs, err)
	}
	if _, err := openAs(t, path, schema{text: schemaText}); err == nil ||
		!strings.Contains(err.Error(), "a newer jobgait wrote it") {
		t.Errorf("the version before says %v", err)
	}
}

// TestMigrateFails checks that a migration that fails leaves the version
// before it, whole.
func TestMigrateFails(t *testing.T) {
	db := openFixture(t)
	before := structure(t, db)
	broken := schema{schemaText, append(currentSchema().steps,
		"CREATE TABLE half (a INTEGER); CREATE TABLE half (a INTEGER)")}
	if _, err := openAs(t, db.path, broken); err == nil ||
		!strings.Contains(err.Error(), "migrate the history from schema version 2 to 3") {
		t.Errorf("error is %v", err)
	}
	if v, err := db.version(t.Context(), db.sql); v != 2 || err != nil {
		t.Errorf("version is %d, %v", v, err)
	}
	if after := structure(t, db); after != before {
		t.Errorf("half of a migration stayed:\n%s", after)
	}
}

// TestColumnTouchesThreeFiles checks what the package comment says of a column of the
// view jobs that only the views show.
func TestColumnTouchesThreeFiles(t *testing.T) {
	word := regexp.MustCompile(`\b(sample_hz|Sample` + `Hz)\b`)
	var found []string
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && (d.Name() == ".git" || d.Name() == "build") && d.IsDir() {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || path == "../../analysis/history/schema_test.go" {
			return err
		}
		text, err := os.ReadFile(path)
		if word.Match(text) {
			found = append(found, filepath.Base(path))
		}
		return err
	})
	if want := []string{"row.go", "schema.sql", "views.txt"}; err != nil || !slices.Equal(found, want) {
		t.Errorf("a column stands in %v, %v; want %v", found, err, want)
	}
}

// TestColumnsAreWritten checks that each column of the table run gets a value: one
// that is forgotten in row.go would be NULL for ever.
func TestColumnsAreWritten(t *testing.T) {
	db := open(t)
	written := []string{"run_id", "reuse", "report_dir_id", "commented"} // by insertRun and SetCommented
	err := db.write(t.Context(), func(tx *sql.Conn) error {
		w := db.writer(t.Context(), tx)
		for _, c := range append(w.jobColumns(oneNode(1)), w.resultColumns(oneNode(1))...) {
			written = append(written, c.name)
		}
		return w.err
	})
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	err = db.eachRow(t.Context(), "SELECT name FROM pragma_table_info('internal_run')", func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		columns = append(columns, name)
		return err
	})
	slices.Sort(columns)
	slices.Sort(written)
	if err != nil || !slices.Equal(columns, written) {
		t.Errorf("the table run has the columns %v, %v;\nwritten are %v", columns, err, written)
	}
}

// TestSchemaIsOldEnough searches for syntax that SQLite learned after 3.26: the sqlite3 of an older
// distribution can read no table of a file that contains it.
func TestSchemaIsOldEnough(t *testing.T) {
	text := regexp.MustCompile(`--[^\n]*`).ReplaceAllString(schemaOf(t, open(t)), "")
	newer := regexp.MustCompile(`(?i)\bSTRICT\b|->|\bGENERATED\b|\bRETURNING\b|\bMATERIALIZED\b|\bFILTER\s*\(|` +
		`\bNULLS\s+(FIRST|LAST)\b|\b(iif|format|unixepoch|concat|concat_ws|string_agg|octet_length|timediff)\s*\(|` +
		`\bIS\s+(NOT\s+)?DISTINCT\b|\b(RIGHT|FULL)\s+(OUTER\s+)?JOIN\b|\b(GROUPS|EXCLUDE)\b|\b(ceil|floor|log|pow|sqrt)\s*\(`)
	if found := newer.FindString(text); found != "" {
		t.Errorf("the schema has %q, which SQLite 3.26 does not know", found)
	}
	if !newer.MatchString("CREATE TABLE t (a INTEGER) STRICT") {
		t.Error("the test does not find STRICT")
	}
}

func TestSettings(t *testing.T) {
	db := open(t)
	for pragma, want := range map[string]string{
		"auto_vacuum": "2", "wal_autocheckpoint": fmt.Sprint(logPages), "journal_mode": "wal", "foreign_keys": "1",
		"synchronous":    "2",
		"application_id": fmt.Sprint(applicationID), "user_version": "2",
	} {
		var got string
		if err := db.sql.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %s (%v), want %s", pragma, got, err, want)
		}
	}
}

// TestIndexes reads the plans of the most frequent queries: each must search an index and never scan all runs.
func TestIndexes(t *testing.T) {
	db := open(t)
	for query, index := range map[string]string{
		`SELECT JobID FROM jobs WHERE JobID = '123_7'`:                                  "run_display",
		`SELECT JobID FROM jobs WHERE JobIDRaw = 123`:                                   "sqlite_autoindex_internal_run",
		`SELECT JobID FROM jobs WHERE SeriesID = 1 ORDER BY StartEpoch DESC LIMIT 200`:  "run_series_start",
		`SELECT JobID FROM jobs WHERE User = 'alice' ORDER BY StartEpoch DESC LIMIT 20`: "run_user_start",
		`SELECT JobID FROM jobs WHERE EndEpoch > 1`:                                     "run_end",
		`SELECT JobID FROM jobs WHERE StartEpoch > 1 ORDER BY StartEpoch DESC`:          "run_start",
		`SELECT JobID FROM job_nodes WHERE NodeName = 'n1' AND Cluster = 'c'`:           "run_node_node",
		`SELECT JobID FROM job_nodes WHERE NodeName = 'n1'`:                             "run_node_node (node_id=?)",
		`SELECT JobID FROM jobs WHERE JobID GLOB '123_*'`:                               "run_display (display_id>?",
	} {
		if plan := dump(t, db.sql, "EXPLAIN QUERY PLAN "+query); !strings.Contains(plan, index) {
			t.Errorf("%s: does not use %s:\n%s", query, index, plan)
		}
	}
	// The queries of Runs follow the order of the index, so that a long series is not sorted for its newest 200
	// runs, nor the runs of a busy user.
	for where, index := range map[string]string{
		"r.series_id IN (1) AND c.name = 'c' AND r.start_s < 5": "run_series_start",
		"r.user_id IN (1) AND c.name = 'c'":                     "run_user_start",
		"1":                                                     "run_start",
	} {
		plan := dump(t, db.sql, "EXPLAIN QUERY PLAN SELECT "+runColumns+runTables+" WHERE "+where+
			" ORDER BY r.start_s DESC, r.run_id DESC LIMIT 200")
		if !strings.Contains(plan, index) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("runs where %s:\n%s", where, plan)
		}
	}
}

// TestStatisticsAreForgotten checks that what an ANALYZE left goes with the next
// run that is put.
func TestStatisticsAreForgotten(t *testing.T) {
	db := open(t)
	melts(t, db, 3)
	if _, err := db.sql.Exec("ANALYZE"); err != nil {
		t.Fatal(err)
	}
	again, err := Open(t.Context(), db.path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if left := dump(t, again.sql, "SELECT name FROM sqlite_master WHERE name LIKE 'sqlite_stat%'"); strings.Contains(left,
		"sqlite_stat") {
		t.Errorf("there is still %s", left)
	}
	mustPut(t, again, oneNode(9), Ingest{})
}
