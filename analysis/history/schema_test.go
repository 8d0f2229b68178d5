package history

import (
	"database/sql"
	"fmt"
	"regexp"
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

func TestSchemaGolden(t *testing.T) {
	golden(t, "schema.sql", schemaOf(t, open(t)))
}

// TestSchemaIsOldEnough looks for what SQLite learnt after 3.26: the sqlite3 of
// an older distribution reads no table at all of a file that has one of these.
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
		"auto_vacuum": "2", "journal_mode": "wal", "foreign_keys": "1", "synchronous": "1",
		"application_id": fmt.Sprint(applicationID), "user_version": "4",
	} {
		var got string
		if err := db.sql.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %s (%v), want %s", pragma, got, err, want)
		}
	}
}

// TestIndexes asks SQLite how it would answer what is asked most: a search
// through an index, never a scan of all runs.
func TestIndexes(t *testing.T) {
	db := open(t)
	for query, index := range map[string]string{
		`SELECT JobID FROM jobs WHERE JobID = '123_7'`:                                  "run_display",
		`SELECT JobID FROM jobs WHERE JobIDRaw = 123`:                                   "sqlite_autoindex_run",
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
	// What Runs asks: in the order of the index, so that a long series is not
	// sorted for its newest 200, nor the runs of a busy user.
	for where, index := range map[string]string{
		"r.series_id IN (1) AND c.name = 'c' AND r.start_s < 5": "run_series_start",
		"r.user_id IN (1) AND c.name = 'c'":                     "run_user_start",
		"1":                                                     "run_start",
	} {
		plan := dump(t, db.sql, "EXPLAIN QUERY PLAN "+selectRuns+" WHERE "+where+" ORDER BY r.start_s DESC, r.run_id DESC LIMIT 200")
		if !strings.Contains(plan, index) || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("runs where %s:\n%s", where, plan)
		}
	}
}

// TestExamplesSearch asks SQLite how it would answer the examples of the package
// comment: none of them may read all nodes of all runs, nor all runs but where it
// counts them.
func TestExamplesSearch(t *testing.T) {
	db := open(t)
	for _, q := range examples(t) {
		plan := dump(t, db.sql, "EXPLAIN QUERY PLAN "+q)
		if strings.Contains(plan, "SCAN r") || strings.Contains(plan, "SCAN x") && !strings.Contains(q, "FROM scaling") {
			t.Errorf("%s:\n%s", q, plan)
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
	if left := dump(t, again.sql, "SELECT name FROM sqlite_master WHERE name LIKE 'sqlite_stat%'"); strings.Contains(left, "sqlite_stat") {
		t.Errorf("there is still %s", left)
	}
	mustPut(t, again, oneNode(9), Ingest{})
}
