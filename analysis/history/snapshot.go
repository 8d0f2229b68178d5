package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
)

// snapshotReports is the number of newest runs whose summary a snapshot contains; summaries are most of it.
const snapshotReports = 1000

// part selects the rows x of a live table that go into the snapshot of a user, by what the snapshot has so far.
// Tables without a part are not copied.
type part struct{ table, where string }

// parts returns the parts in the order in which they are copied.
func parts() []part {
	ofRuns := "x.run_id IN (SELECT run_id FROM main.internal_run)"
	list := []part{
		{"internal_cluster", "1"},
		{"internal_hpc_user", "x.uid = ?"},
		{"internal_application", "x.user_id IN (SELECT user_id FROM main.internal_hpc_user)"},
		{"internal_run_series", "x.application_id IN (SELECT application_id FROM main.internal_application)"},
		{"internal_run", "x.user_id IN (SELECT user_id FROM main.internal_hpc_user)"},
		{"internal_run_summary", fmt.Sprintf(
			"x.run_id IN (SELECT run_id FROM main.internal_run ORDER BY start_s DESC LIMIT %d)",
			snapshotReports)},
		{"internal_day", "x.user_id IN (SELECT user_id FROM main.internal_hpc_user)"},
	}
	for _, table := range []string{"internal_run_node", "internal_run_pattern", "internal_run_note",
		"internal_run_counter", "internal_run_code", "internal_run_gpu",
		"internal_run_finding", "internal_ingest_log"} {
		list = append(list, part{table, ofRuns})
	}
	words := []string{"SELECT account_id FROM main.internal_day", "SELECT partition_id FROM main.internal_day",
		"SELECT column_id FROM main.internal_run_pattern", "SELECT code_id FROM main.internal_note_text"}
	for _, c := range []string{"account", "partition", "qos", "executable", "state", "counters", "work_dir", "stdout",
		"report_dir", "column"} {
		words = append(words, "SELECT "+c+"_id FROM main.internal_run")
	}
	return append(list,
		part{"internal_note_text", "x.text_id IN (SELECT text_id FROM main.internal_run_note)"},
		part{"internal_word", "x.word_id IN (" + strings.Join(words, " UNION ") + ")"},
		part{"internal_node", "x.node_id IN (SELECT node_id FROM main.internal_run_node UNION SELECT node_id FROM " +
			"main.internal_run_gpu)"},
		part{"internal_field_set", "x.set_id IN (SELECT set_id FROM main.internal_run)"},
		part{"internal_set_field", "x.set_id IN (SELECT set_id FROM main.internal_run)"},
		part{"internal_field", "x.field_id IN (SELECT field_id FROM main.internal_set_field)"},
		part{"internal_finding_code", "x.code_id IN (SELECT code_id FROM main.internal_run_finding)"},
		part{"internal_counter", "x.counter_id IN (SELECT counter_id FROM main.internal_run_counter)"},
		part{"internal_code_part", "x.application_id IN (SELECT application_id FROM main.internal_application)"},
		part{"internal_change_event", "x.series_id IN (SELECT series_id FROM main.internal_run_series)"},
		part{"internal_change_ack", "x.series_id IN (SELECT series_id FROM main.internal_run_series)"},
		part{"internal_scaling_segment", "x.application_id IN (SELECT application_id FROM main.internal_application)"},
	)
}

// Snapshot writes the runs of the user with a uid, and nothing of others, into a new history at a path that
// must not exist. It reads the live history like any reader, without blocking the writer.
func (db *DB) Snapshot(ctx context.Context, uid int, to string) error {
	err := db.snapshot(ctx, uid, to)
	return explain(db.path, "copy the runs of the user", err)
}

// snapshot is Snapshot without the explanation of errors.
func (db *DB) snapshot(ctx context.Context, uid int, to string) (err error) {
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write the copy %s: %w: remove it", to, fs.ErrExist)
	}
	if err := create(to); err != nil {
		return err
	}
	s, err := connect(to, patience, url.Values{"mode": {"rw"}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.sql.Close()) }()
	if err := s.prepare(ctx, Rollback); err != nil {
		return err
	}
	live := url.URL{Scheme: "file", Path: db.path, RawQuery: "mode=ro"}
	for _, pragma := range []string{"PRAGMA synchronous = OFF", "PRAGMA foreign_keys = OFF"} {
		if _, err := s.sql.ExecContext(ctx, pragma); err != nil {
			return err
		}
	}
	if _, err := s.sql.ExecContext(ctx, "ATTACH ? AS live", live.String()); err != nil {
		return err
	}
	if err := s.write(ctx, func(tx *sql.Conn) error { return copyParts(ctx, tx, uid) }); err != nil {
		return err
	}
	_, err = s.sql.ExecContext(ctx, "DETACH live")
	return err
}

// copyParts copies the user's data. Triggers sum up the days of the copied runs; the stored days, which include
// deleted runs, replace these sums.
func copyParts(ctx context.Context, tx *sql.Conn, uid int) error {
	for _, p := range parts() {
		columns, err := columnsOf(ctx, tx, p.table)
		if err != nil {
			return err
		}
		var args []any
		if strings.Contains(p.where, "?") {
			args = append(args, uid)
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf(
			"INSERT OR REPLACE INTO main.%s (%s) SELECT %[2]s FROM live.%[1]s x WHERE %[3]s",
			p.table, columns, p.where), args...)
		if err != nil {
			return fmt.Errorf("copy the user's rows of table %s: %w", p.table, err)
		}
	}
	return nil
}

// columnsOf returns the names of the columns of a table, separated by commas.
func columnsOf(ctx context.Context, tx *sql.Conn, table string) (string, error) {
	var names string
	err := tx.QueryRowContext(ctx, "SELECT group_concat(name, ', ') FROM pragma_table_info(?)", table).Scan(&names)
	return names, err
}

// UserIngest is the time at which a run of a user was last put.
type UserIngest struct {
	UID int
	At  float64 // UTC epoch seconds
}

// UsersSince returns the users whose runs were put since a time, in UTC epoch seconds, with the time of the
// last, newest first.
func (db *DB) UsersSince(ctx context.Context, since float64) ([]UserIngest, error) {
	var list []UserIngest
	err := db.retryWhileLocked(ctx, func() error {
		list = nil
		return db.eachRow(ctx, `SELECT u.uid, max(i.at_s) FROM internal_ingest_log i
			CROSS JOIN internal_run r ON r.run_id = i.run_id CROSS JOIN internal_hpc_user u ON u.user_id = r.user_id
			WHERE i.at_s > ? GROUP BY u.uid ORDER BY 2 DESC`, func(rows *sql.Rows) error {
			var c UserIngest
			err := rows.Scan(&c.UID, &c.At)
			list = append(list, c)
			return err
		}, since)
	})
	return list, explain(db.path, "find the users with new runs", err)
}
