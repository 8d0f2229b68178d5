package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// Ref identifies a run by what a user knows of it.
type Ref struct {
	// ID is a job id as sacct shows it ("123", "123_7") or as Slurm counts
	// it (the raw id of an array's task).
	ID string
	// Cluster is "" for any.
	Cluster string
	// Restart and Sub choose one run of the job; nil is any.
	Restart, Sub *int
}

// Summary returns the newest run of a job id, on any cluster, and the directory
// of its report ("" = none was delivered). It returns ErrNotFound for a job that
// the history does not have.
func (db *DB) Summary(ctx context.Context, id string) (summary.Summary, string, error) {
	return db.Lookup(ctx, Ref{ID: id})
}

// Lookup returns the newest run that ref names, as Summary does.
func (db *DB) Lookup(ctx context.Context, ref Ref) (s summary.Summary, reportDir string, err error) {
	var body []byte
	err = db.retryWhileLocked(ctx, func() (err error) {
		body, reportDir, err = db.lookup(ctx, ref)
		return err
	})
	if err == nil {
		s, err = decode(body)
	}
	return s, reportDir, explain(db.path, fmt.Sprintf("look up job %.80q", ref.ID), err)
}

// lookup returns the stored body of a run. An id is first interpreted as sacct shows it, because users see
// that, and 123 may be one of the raw ids of another array.
func (db *DB) lookup(ctx context.Context, ref Ref) (body []byte, reportDir string, err error) {
	body, reportDir, err = db.newest(ctx, ref, "r.display_id = ?", ref.ID)
	raw, notNumber := run.ParseJobID(ref.ID)
	if errors.Is(err, ErrNotFound) && notNumber == nil {
		return db.newest(ctx, ref, "r.job_id = ?", raw)
	}
	return body, reportDir, err
}

// newest returns the body and the report directory of the newest run for which term holds with the given id and that
// has the cluster, restart and part of ref. It returns ErrNotFound if no run matches.
func (db *DB) newest(ctx context.Context, ref Ref, term string, id any) (body []byte, reportDir string, err error) {
	where := conditions{}
	where.and(term, id)
	if ref.Cluster != "" {
		where.and("c.name = ?", note.Clean(ref.Cluster, maxName))
	}
	if ref.Restart != nil {
		where.and("r.restart = ?", *ref.Restart)
	}
	if ref.Sub != nil {
		where.and("r.sub = ?", *ref.Sub)
	}
	err = db.sql.QueryRowContext(ctx, `
		SELECT b.body,
			coalesce(replace((SELECT text FROM internal_word WHERE word_id = r.report_dir_id), char(1), r.display_id), '')
		FROM internal_run r
		JOIN internal_run_summary b ON b.run_id = r.run_id
		JOIN internal_cluster c ON c.cluster_id = r.cluster_id
		WHERE `+where.String()+`
		ORDER BY r.start_s DESC, r.run_id DESC LIMIT 1`, where.args...).Scan(&body, &reportDir)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrNotFound
	}
	return body, reportDir, err
}
