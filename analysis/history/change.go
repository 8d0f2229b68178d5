package history

import (
	"context"
	"database/sql"
)

// ChangeRow is a change of speed in a series, as the view changes shows it. Runs are
// named by their rows.
type ChangeRow struct {
	Metric    string
	RunID     int64  // first run of the new level
	Detected  *int64 // run with which it was detected
	End       *int64 // last of a drift
	Kind      string
	EffectPct float64
	// LoPct and HiPct are the ends of the interval of the effect, FalsePer1000 the number of such events in 1000
	// runs by chance; nil means unknown.
	LoPct, HiPct, FalsePer1000 *float64
	Causes                     string // JSON: what else changed then
}

// PutEvents stores the changes of a series, with time now in UTC epoch seconds. The end, kind, effect,
// interval, rate of false alarms and causes of those already stored are updated; none is ever removed.
func (db *DB) PutEvents(ctx context.Context, seriesID int64, events []ChangeRow, now float64) error {
	if len(events) == 0 {
		return nil
	}
	return explain(db.path, "store changes of speed", db.write(ctx, func(tx *sql.Conn) error {
		w := db.writer(ctx, tx)
		for _, e := range events {
			w.exec(`INSERT INTO internal_change_event (series_id, metric, run_id, detected_run_id, end_run_id, kind,
					effect_pct, lo_pct, hi_pct, false_per_1000, causes, at_s)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT (series_id, metric, run_id) DO UPDATE SET end_run_id = excluded.end_run_id,
					kind = excluded.kind, effect_pct = excluded.effect_pct, lo_pct = excluded.lo_pct,
					hi_pct = excluded.hi_pct, false_per_1000 = excluded.false_per_1000, causes = excluded.causes`,
				seriesID, e.Metric, e.RunID, e.Detected, e.End, e.Kind, e.EffectPct, e.LoPct, e.HiPct,
				e.FalsePer1000, e.Causes, now)
		}
		return w.err
	}))
}

// Acknowledge records that the change of a series that begins with a run was acknowledged, by whom and why.
func (db *DB) Acknowledge(ctx context.Context, seriesID, runID int64, by, reason string, now float64) error {
	return explain(db.path, "acknowledge a change", db.write(ctx, func(tx *sql.Conn) error {
		w := db.writer(ctx, tx)
		w.exec(`INSERT OR REPLACE INTO internal_change_ack (series_id, run_id, at_s, by_name, reason) VALUES (?, ?, ?, ?, ?)`,
			seriesID, runID, now, text(by, maxName), text(reason, maxText))
		return w.err
	}))
}
