package history

import (
	"context"
	"database/sql"
	"errors"

	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// Event is a change of speed in a series, as the view changes shows it. Runs are
// named by their rows.
type Event struct {
	Metric    string
	RunID     int64  // first run of the new level
	Detected  *int64 // with which it was seen
	End       *int64 // last of a drift
	Kind      string
	EffectPct float64
	// LoPct and HiPct are the ends of the interval of the effect, FalsePer1000
	// how often chance gives such an event; nil is not known.
	LoPct, HiPct, FalsePer1000 *float64
	Causes                     string // JSON: what else changed then
}

// PutEvents stores the changes of a series at UTC epoch seconds now. Those that
// are stored already get their newest effect; none is ever removed.
func (db *DB) PutEvents(ctx context.Context, seriesID int64, events []Event, now float64) error {
	if len(events) == 0 {
		return nil
	}
	return explain(db.path, "put changes", db.write(ctx, func(tx *sql.Tx) error {
		w := &writer{ctx: ctx, tx: tx, pack: &db.pack}
		for _, e := range events {
			w.exec(`INSERT INTO change_event (series_id, metric, run_id, detected_run_id, end_run_id, kind,
					effect_pct, lo_pct, hi_pct, false_per_1000, causes, at_s)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT (series_id, metric, run_id) DO UPDATE SET end_run_id = excluded.end_run_id,
					kind = excluded.kind, effect_pct = excluded.effect_pct, lo_pct = excluded.lo_pct,
					hi_pct = excluded.hi_pct, causes = excluded.causes`,
				seriesID, e.Metric, e.RunID, e.Detected, e.End, e.Kind, e.EffectPct, e.LoPct, e.HiPct,
				e.FalsePer1000, e.Causes, now)
		}
		return w.err
	}))
}

// Acknowledge notes that somebody has seen the change of a series that begins
// with a run.
func (db *DB) Acknowledge(ctx context.Context, seriesID, runID int64, by, reason string, now float64) error {
	return explain(db.path, "acknowledge a change", db.write(ctx, func(tx *sql.Tx) error {
		w := &writer{ctx: ctx, tx: tx}
		w.exec(`INSERT OR REPLACE INTO change_ack (series_id, run_id, at_s, by_name, reason) VALUES (?, ?, ?, ?, ?)`,
			seriesID, runID, now, text(by, maxName), text(reason, maxText))
		return w.err
	}))
}

// Segment is one row of the view scaling: a range of a parameter with one law.
type Segment struct {
	Parameter, Fixed, Metric   string
	Position                   int
	FirstP, LastP              float64
	Points                     int
	Formula                    string // "" = too few points
	SMAPE                      *float64
	ChangeAfterP, ChangeBefore *float64 // the law changes between these two
}

// PutScaling replaces what is stored of how the application of a run scales.
func (db *DB) PutScaling(ctx context.Context, s summary.Summary, segments []Segment, now float64) error {
	return explain(db.path, "put scaling", db.write(ctx, func(tx *sql.Tx) error {
		id, err := applicationRow(ctx, tx, s)
		if err != nil || id == 0 {
			return err
		}
		w := &writer{ctx: ctx, tx: tx}
		w.exec(`DELETE FROM scaling_segment WHERE application_id = ?`, id)
		for _, x := range segments {
			w.exec(`INSERT OR REPLACE INTO scaling_segment (application_id, parameter, fixed, metric, position,
					first_p, last_p, points, formula, smape, change_p_lo, change_p_hi, at_s)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				id, x.Parameter, note.Clean(x.Fixed, maxText), x.Metric, x.Position, x.FirstP, x.LastP, x.Points,
				text(x.Formula, maxText), x.SMAPE, x.ChangeAfterP, x.ChangeBefore, now)
		}
		return w.err
	}))
}

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
