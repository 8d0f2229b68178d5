package history

import (
	"context"
	"database/sql"
	"errors"

	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// Reference returns the reference pattern of the application of a run as JSON,
// nil if it has none.
func (db *DB) Reference(ctx context.Context, s summary.Summary) ([]byte, error) {
	var body []byte
	err := db.patiently(ctx, func() error {
		id, err := applicationRow(ctx, db.sql, s)
		if err != nil || id == 0 {
			return err
		}
		return db.sql.QueryRowContext(ctx, `SELECT reference FROM application WHERE application_id = ?`, id).Scan(&body)
	})
	return body, explain(db.path, "read the reference pattern", err)
}

// SetReference stores the reference pattern of the application of a run that is
// in the history, unless it has one.
func (db *DB) SetReference(ctx context.Context, s summary.Summary, body []byte) error {
	return explain(db.path, "set the reference pattern", db.write(ctx, func(tx *sql.Tx) error {
		id, err := applicationRow(ctx, tx, s)
		if err != nil || id == 0 {
			return err
		}
		w := &writer{ctx: ctx, tx: tx}
		w.exec(`UPDATE application SET reference = ? WHERE application_id = ? AND reference IS NULL`, string(body), id)
		return w.err
	}))
}

// applicationRow returns the row of the application of a run, 0 if there is
// none.
func applicationRow(ctx context.Context, q rower, s summary.Summary) (int64, error) {
	var id int64
	err := q.QueryRowContext(ctx, `SELECT a.application_id FROM application a
		JOIN hpc_user u ON u.user_id = a.user_id JOIN cluster c ON c.cluster_id = a.cluster_id
		WHERE a.name = ? AND u.name = ? AND u.uid = ? AND c.name = ?`,
		Application(s), User(s), s.Job.UID, note.Clean(s.Key.Cluster, maxName)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}
