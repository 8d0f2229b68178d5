package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"jobgait/analysis/run"
)

// UnsettledRun is a run of a scheduler whose final state is not known yet, because the scheduler has it only after
// the last Epilog, or whose comment in the accounting is still to be written.
type UnsettledRun struct {
	RunID          int64
	Cluster        string
	JobID          run.JobID
	UID            int
	Start, End     float64 // UTC epoch seconds, as Prologs and Epilogs saw them
	SchedulerStart *int64
	HasState       bool // only the comment is to be written
}

// RunEnd is the final state of a stored run.
type RunEnd struct {
	RunID int64
	State string
	Exit  *run.Exit // nil is unknown
}

// UnsettledRuns returns at most limit runs that ended after a time, in UTC epoch seconds, and whose final state is not
// known, the newest first; with comments, after them, those with a state that SetCommented was not called for. Runs of
// `jobgait run`, which have no state, and runs inside a batch job (sub above 0) are left out.
func (db *DB) UnsettledRuns(ctx context.Context, after float64, limit int, comments bool) ([]UnsettledRun, error) {
	var list []UnsettledRun
	err := db.eachRow(ctx, `
		SELECT run_id, c.name, job_id, uid, coalesce(start_s, 0), end_s, scheduler_start, state_id IS NOT NULL
		FROM internal_run JOIN internal_cluster c USING (cluster_id) JOIN internal_hpc_user USING (user_id)
		WHERE end_s > ? AND (state_id IS NULL OR ? AND commented IS NULL) AND sub = 0 AND c.name NOT GLOB 'local:*'
		ORDER BY state_id IS NOT NULL, end_s DESC LIMIT ?`,
		func(rows *sql.Rows) error {
			var r UnsettledRun
			err := rows.Scan(&r.RunID, &r.Cluster, &r.JobID, &r.UID, &r.Start, &r.End, &r.SchedulerStart, &r.HasState)
			list = append(list, r)
			return err
		}, after, comments, limit)
	return list, explain(db.path, "find runs without a state", err)
}

// SetCommented records that the comments of runs in the scheduler's accounting are settled.
func (db *DB) SetCommented(ctx context.Context, runIDs []int64) error {
	if len(runIDs) == 0 {
		return nil
	}
	return explain(db.path, "record comments of runs", db.write(ctx, func(tx *sql.Conn) error {
		w := db.writer(ctx, tx)
		for _, id := range runIDs {
			w.exec(`UPDATE internal_run SET commented = 1 WHERE run_id = ?`, id)
		}
		return w.err
	}))
}

// PutStates stores how runs ended, and their findings. A run that has a state by now keeps it, and one that is no
// longer stored is skipped. now is in UTC epoch seconds.
func (db *DB) PutStates(ctx context.Context, ended []RunEnd, now float64, find FindingsFunc) error {
	err := db.write(ctx, func(tx *sql.Conn) error {
		for _, e := range ended {
			w := db.writer(ctx, tx)
			var known *int64
			var reported int
			err := tx.QueryRowContext(ctx, `SELECT state_id, nodes_reported FROM internal_run WHERE run_id = ?`,
				e.RunID).Scan(&known,
				&reported)
			if errors.Is(err, sql.ErrNoRows) || known != nil {
				continue
			}
			if err == nil {
				err = w.end(e.RunID, e.State, e.Exit, find)
			}
			if err != nil {
				return err
			}
			if w.log(e.RunID, learned, reported, Ingest{NowS: now}); w.err != nil {
				return w.err
			}
		}
		return nil
	})
	return explain(db.path, "store the states of runs", err)
}

// end stores the final state of a run, in its row and in its summary, its exit if it is worse than the stored one, and,
// unless find is nil, the findings of the run with that end.
func (w *writer) end(runID int64, state string, exit *run.Exit, find FindingsFunc) error {
	var body []byte
	if err := w.tx.QueryRowContext(w.ctx, `SELECT body FROM internal_run_summary WHERE run_id = ?`,
		runID).Scan(&body); err != nil {
		return explainRow(fmt.Sprintf("stored summary of run_id %d", runID), err)
	}
	s, err := decode(body)
	if err != nil {
		return fmt.Errorf("run_id %d: %w", runID, err)
	}
	s.State, s.Exit = state, run.WorseExit(s.Exit, exit)
	if body, err = w.pack.encode(s); err != nil {
		return err
	}
	w.exec(`UPDATE internal_run SET state_id = ? WHERE run_id = ?`, w.word(state), runID)
	if e := s.Exit; e != nil {
		w.exec(`UPDATE internal_run SET exit_code = ?, exit_signal = ? WHERE run_id = ?`, e.Code, e.Signal, runID)
	}
	w.exec(`UPDATE internal_run_summary SET body = ? WHERE run_id = ?`, body, runID)
	if find != nil {
		w.exec(`DELETE FROM internal_run_finding WHERE run_id = ?`, runID)
		w.findings(runID, s, find)
	}
	return w.err
}
