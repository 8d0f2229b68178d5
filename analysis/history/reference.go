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
	err := db.retryWhileLocked(ctx, func() (err error) {
		_, body, err = reference(ctx, db.sql, s)
		return err
	})
	return body, explain(db.path, "read the reference pattern", err)
}

// SetReference stores the reference pattern of the application of a run that is
// in the history, unless it has one.
func (db *DB) SetReference(ctx context.Context, s summary.Summary, body []byte) error {
	return explain(db.path, "store the reference pattern",
		db.put(ctx, func(w *writer) error { return w.setReference(s, body) }))
}

// setReference stores the reference pattern of the application of a run in a transaction. It does nothing if the
// application has one or is not stored.
func (w *writer) setReference(s summary.Summary, body []byte) error {
	id, _, err := reference(w.ctx, w.tx, s)
	if err != nil || id == 0 {
		return err
	}
	w.exec(`UPDATE internal_application SET reference = ? WHERE application_id = ? AND reference IS NULL`,
		string(body), id)
	return w.err
}

// reference returns the row of the application of a run, 0 if it is not stored, and its reference pattern.
func reference(ctx context.Context, q rowQueryer, s summary.Summary) (id int64, body []byte, err error) {
	err = q.QueryRowContext(ctx, `SELECT a.application_id, a.reference FROM internal_application a
		JOIN internal_hpc_user u ON u.user_id = a.user_id JOIN internal_cluster c ON c.cluster_id = a.cluster_id
		WHERE a.name = ? AND u.name = ? AND u.uid = ? AND c.name = ?`,
		Application(s), User(s), s.Job.UID, note.Clean(s.Key.Cluster, maxName)).Scan(&id, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil, nil
	}
	return id, body, err
}
