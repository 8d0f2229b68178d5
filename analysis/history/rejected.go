package history

import (
	"context"
	"database/sql"

	"jobgait/analysis/note"
)

// RejectedRecord is a record that no history can store, and that was moved aside.
type RejectedRecord struct {
	Source string  // its file
	Why    string  // what is wrong with it
	At     float64 // when it was moved aside, UTC epoch seconds
}

// maxClockAhead limits the times of rejected records, in seconds after now: a later time is of a clock that is
// ahead, and would never be pruned.
const maxClockAhead = 86400

// CountRejected adds rejected records to the view ingest. It counts each record once, however often it is
// reported, and no record older than the last pruning of that view. A record whose time is impossible or in
// the future gets the time now, and is the same as any with its source and reason. It returns how many
// records it added.
func (db *DB) CountRejected(ctx context.Context, list []RejectedRecord, now float64) (counted int, err error) {
	if len(list) == 0 {
		return 0, nil
	}
	err = db.write(ctx, func(tx *sql.Conn) error {
		w := db.writer(ctx, tx)
		var until float64
		if err := tx.QueryRowContext(ctx,
			"SELECT coalesce(max(until_s), 0) FROM internal_pruned WHERE kind = 'ingest'").Scan(&until); err != nil {
			return err
		}
		counted = 0
		for _, a := range list {
			at, source := a.At, note.Clean(a.Source, maxName)+": "+note.Clean(a.Why, maxText-maxName-2)
			dated := at >= 0 && at <= now+maxClockAhead
			if !dated {
				at = now
			}
			if at < until {
				continue
			}
			counted += int(w.count(`INSERT INTO internal_ingest_log (at_s, run_id, n, status, nodes_reported, source)
				SELECT ?1, 0, (SELECT coalesce(max(n) + 1, 0) FROM internal_ingest_log WHERE at_s = ?1 AND run_id = 0), ?2, 0, ?3
				WHERE NOT EXISTS (SELECT 1 FROM internal_ingest_log 
					WHERE (at_s = ?1 OR NOT ?4) AND status = ?2 AND source = ?3)`, at, aside, source, dated))
		}
		return w.err
	})
	return counted, explain(db.path, "store the number of rejected records", err)
}
