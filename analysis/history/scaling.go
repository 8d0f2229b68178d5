package history

import (
	"context"
	"database/sql"

	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

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

// PutScaling replaces the stored scaling segments of the application of a run. It does nothing if the
// application is not stored.
func (db *DB) PutScaling(ctx context.Context, s summary.Summary, segments []Segment, now float64) error {
	return explain(db.path, "store scaling laws", db.write(ctx, func(tx *sql.Conn) error {
		id, _, err := reference(ctx, tx, s)
		if err != nil || id == 0 {
			return err
		}
		w := db.writer(ctx, tx)
		w.exec(`DELETE FROM internal_scaling_segment WHERE application_id = ?`, id)
		for _, x := range segments {
			w.exec(`INSERT OR REPLACE INTO internal_scaling_segment (application_id, parameter, fixed, metric, position,
					first_p, last_p, points, formula, smape, change_p_lo, change_p_hi, at_s)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				id, x.Parameter, note.Clean(x.Fixed, maxText), x.Metric, x.Position, x.FirstP, x.LastP, x.Points,
				text(x.Formula, maxText), x.SMAPE, x.ChangeAfterP, x.ChangeBefore, now)
		}
		return w.err
	}))
}
