package history

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"jobgait/analysis/summary"
)

// Keep holds the numbers of days for which data of runs are kept after their end; 0 means forever.
type Keep struct {
	// Profiles is for timelines and shapes of cycles in stored summaries, most of a history. Without them a report
	// has no pictures.
	Profiles int
	// Nodes is for the rows of the views job_nodes and job_gpus, Functions for those of job_functions and
	// job_classes.
	Nodes, Functions int
	// Runs is for whole runs; the view days keeps their sums.
	Runs int
	// Ingest is for the rows of the view ingest.
	Ingest int
}

// kind is a kind of data that is pruned.
type kind struct {
	name string
	days func(Keep) int
	// due selects the ids and times of rows older than the first ? and not older than the second, oldest first, at
	// most the third in number.
	due string
	// drop deletes one of them, and reports whether it existed.
	drop func(w *writer, id int64, at float64) bool
}

const (
	dueRuns   = "SELECT run_id, end_s FROM internal_run WHERE end_s < ? AND end_s >= ? ORDER BY end_s, run_id LIMIT ?"
	dueIngest = "SELECT run_id, at_s FROM internal_ingest_log WHERE at_s < ? AND at_s >= ? ORDER BY at_s LIMIT ?"
)

// kinds returns the kinds in the order in which they are pruned: first those that free the most in the least
// time.
func kinds() []kind {
	rows := func(tables ...string) func(*writer, int64, float64) bool {
		return func(w *writer, id int64, _ float64) bool {
			n := int64(0)
			for _, table := range tables {
				n += w.count("DELETE FROM "+table+" WHERE run_id = ?", id)
			}
			return n > 0
		}
	}
	return []kind{
		{"ingest", func(k Keep) int { return k.Ingest }, dueIngest, func(w *writer, id int64, at float64) bool {
			return w.count("DELETE FROM internal_ingest_log WHERE at_s = ?1 AND run_id = ?2 AND n = (SELECT min(n) FROM "+
				"internal_ingest_log "+
				"WHERE at_s = ?1 AND run_id = ?2)", at, id) > 0
		}},
		{"profiles", func(k Keep) int { return k.Profiles }, dueRuns, (*writer).dropCurves},
		{"nodes", func(k Keep) int { return k.Nodes }, dueRuns, rows("internal_run_node", "internal_run_gpu")},
		{"functions", func(k Keep) int { return k.Functions }, dueRuns, rows("internal_run_code")},
		{"runs", func(k Keep) int { return k.Runs }, dueRuns, (*writer).dropRun},
	}
}

// Pruned is the result of pruning one kind: what was deleted, or would be.
type Pruned struct {
	Kind string
	Days int
	// Runs are those that had it; rows for ingest.
	Runs int64
}

// A transaction of Prune lasts pruneHold, and others have the writer as long between
// two: a put waits for a tenth of a second at most.
const (
	pruneHold  = 100 * time.Millisecond
	pruneBatch = 200
)

// Prune deletes data that are older than keep allows at time now, in UTC epoch seconds, and calls tell with the
// result of each kind that it worked on, even if it is interrupted. A kind that keep gives 0 days is never
// deleted. The next call continues where an interrupted one stopped. With dry it only counts what it would
// delete.
func (db *DB) Prune(ctx context.Context, keep Keep, now float64, dry bool, tell func(Pruned)) error {
	for _, k := range kinds() {
		days := k.days(keep)
		if days <= 0 {
			continue
		}
		did := Pruned{Kind: k.name, Days: days}
		until := now - float64(days)*86400
		prune := db.pruneKind
		if dry {
			prune = db.countKind
		}
		err := prune(ctx, k, until, &did)
		tell(did)
		if err != nil {
			return explain(db.path, "prune "+k.name, err)
		}
	}
	return nil
}

// countKind counts what pruneKind would delete.
func (db *DB) countKind(ctx context.Context, k kind, until float64, did *Pruned) error {
	return db.retryWhileLocked(ctx, func() error {
		from, err := prunedUntil(ctx, db.sql, k)
		if err != nil {
			return err
		}
		return db.sql.QueryRowContext(ctx, "SELECT count(*) FROM ("+k.due+")", until, from, -1).Scan(&did.Runs)
	})
}

// pruneKind deletes the data of one kind until a time, in transactions of at most pruneHold.
func (db *DB) pruneKind(ctx context.Context, k kind, until float64, did *Pruned) error {
	for {
		begin := time.Now()
		var more bool
		err := db.write(ctx, func(tx *sql.Conn) error {
			w := db.writer(ctx, tx)
			runs, left, err := w.prune(k, until, begin.Add(pruneHold))
			did.Runs, more = did.Runs+runs, left
			return err
		})
		if err != nil || !more {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Since(begin)):
		}
	}
}

// prune deletes one batch of the data of kind k that are older than until, stops early once the clock has
// reached end, and returns the number of deleted runs and whether more is due.
func (w *writer) prune(k kind, until float64, end time.Time) (runs int64, more bool, err error) {
	from, err := prunedUntil(w.ctx, w.tx, k)
	if err != nil {
		return 0, false, err
	}
	ids, times, err := w.due(k, until, from)
	if err != nil {
		return 0, false, err
	}
	more = len(ids) == pruneBatch
	at := until
	for i, id := range ids {
		if time.Now().After(end) && i > 0 && times[i] > times[i-1] {
			more, at = true, times[i]
			break
		}
		if k.drop(w, id, times[i]) {
			runs++
		}
		if more {
			at = times[i]
		}
	}
	if more && at == from { // all rows are of one moment: continue behind it
		at += 1e-6
	}
	w.exec(`INSERT OR REPLACE INTO internal_pruned (kind, until_s) VALUES (?, ?)`, k.name, at)
	return runs, more, w.err
}

// due returns the ids and times of a batch.
func (w *writer) due(k kind, until, from float64) (ids []int64, times []float64, err error) {
	err = eachRow(w.ctx, w.tx, k.due, func(rows *sql.Rows) error {
		var id int64
		var t float64
		err := rows.Scan(&id, &t)
		ids, times = append(ids, id), append(times, t)
		return err
	}, until, from, pruneBatch)
	return ids, times, err
}

// prunedUntil returns the time, in UTC epoch seconds, up to which a kind has been pruned.
func prunedUntil(ctx context.Context, q rowQueryer, k kind) (until float64, err error) {
	return until, q.QueryRowContext(ctx, "SELECT coalesce(max(until_s), 0) FROM internal_pruned WHERE kind = ?",
		k.name).Scan(&until)
}

// dropRun deletes a run; the run's time, its second argument, does not matter. Ids above that of the newest
// run are reused, so that it also deletes the entries of the ingest log for such ids.
func (w *writer) dropRun(id int64, _ float64) bool {
	var newest sql.NullInt64
	if w.err == nil {
		w.err = w.tx.QueryRowContext(w.ctx, "SELECT max(run_id) FROM internal_run").Scan(&newest)
	}
	gone := w.count("DELETE FROM internal_run WHERE run_id = ?", id) > 0
	if newest.Int64 == id {
		w.exec("DELETE FROM internal_ingest_log WHERE run_id > (SELECT coalesce(max(run_id), 0) FROM internal_run)")
	}
	return gone
}

// dropCurves removes from a stored summary what only pictures show, and reports whether that made it smaller. A summary
// that cannot be read, or would not become smaller, is left unchanged.
func (w *writer) dropCurves(runID int64, _ float64) bool {
	var body []byte
	if w.err != nil || w.tx.QueryRowContext(w.ctx, `SELECT body FROM internal_run_summary WHERE run_id = ?`,
		runID).Scan(&body) != nil {
		return false
	}
	s, err := decode(body)
	if err != nil {
		return false
	}
	small, err := w.pack.encode(withoutCurves(s))
	if err != nil || len(small) >= len(body) {
		return false
	}
	w.exec(`UPDATE internal_run_summary SET body = ? WHERE run_id = ?`, small, runID)
	return true
}

// withoutCurves returns a summary without what only pictures show. It clears the curves of s.Patterns in
// place.
func withoutCurves(s summary.Summary) summary.Summary {
	s.Timeline.Columns, s.Suspended, s.Minute, s.Lanes = nil, nil, nil, nil
	for i := range s.Patterns {
		p := &s.Patterns[i]
		p.Values, p.P10, p.P90 = nil, nil, nil
	}
	s.Loops, s.Macros = nil, nil
	return s
}

// Tidy returns the pages that deletions freed to the file system, 2000 pages in each transaction and at most 2
// million in a call.
func (db *DB) Tidy(ctx context.Context) error {
	err := db.retryWhileLocked(ctx, func() error {
		for range 1000 {
			var free int
			if err := db.sql.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free); err != nil || free == 0 {
				return err
			}
			if _, err := db.sql.ExecContext(ctx, "PRAGMA incremental_vacuum(2000)"); err != nil {
				return err
			}
		}
		return nil
	})
	return explain(db.path, "return free space to the file system", err)
}

// Copy writes a compact copy of the history to a new file, and lets SQLite check its integrity.
func (db *DB) Copy(ctx context.Context, to string) error {
	fail := func(err error) error { return explain(db.path, "copy to "+to, err) }
	if err := db.retryWhileLocked(ctx, func() error {
		_, err := db.sql.ExecContext(ctx, "VACUUM INTO ?", to)
		return err
	}); err != nil {
		return fail(err)
	}
	copied, err := OpenReadOnly(ctx, to)
	if err != nil {
		return err
	}
	defer copied.Close()
	var verdict string
	if err := copied.sql.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&verdict); err != nil {
		return fail(err)
	}
	if verdict != "ok" {
		return fail(fmt.Errorf("the copy is damaged (%s) and does not replace the last copy: prune again, and check the disk",
			verdict))
	}
	return nil
}
