package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// Ingest says how a summary came to the history.
type Ingest struct {
	ReportDir string  // where its report was delivered, "" = nowhere
	Source    string  // file that it was read from, "" = none
	NowS      float64 // UTC epoch seconds; 0 is not known
	// Names is how much of which code ran is kept; "" is all of it.
	Names summary.Detail
	// Absent puts the run only if it is not there, else ErrThere is returned: what is
	// put knows less than what hooks have told.
	Absent bool
}

// ErrThere is returned for a run that the history has (Ingest.Absent).
var ErrThere = errors.New("the history has that run")

// What became of a summary that was put, as the view ingest calls it.
const (
	added    = "added"
	replaced = "replaced" // it reports at least as many nodes as the one before
	learned  = "state"    // fewer nodes, but it told the final state
	kept     = "kept"     // fewer nodes and nothing new: the one before is kept
)

// Put stores a summary. Putting it again changes nothing; one of the same run
// that reports at least as many nodes replaces it, and does not lose what only
// the scheduler knew (State above all). A job id that the scheduler gave out
// again is another run.
func (db *DB) Put(ctx context.Context, s summary.Summary, at Ingest) error {
	action := "put run " + s.Key.String()
	if err := fit(s, at); err != nil {
		return explain(db.path, action, fmt.Errorf("%w: %w", ErrUnfit, err))
	}
	if at.Names != "" {
		s = s.WithNames(at.Names)
	}
	body, err := db.pack.encode(s) // before the lock is taken
	if err != nil {
		return explain(db.path, action, fmt.Errorf("%w: %w", ErrUnfit, err))
	}
	err = db.write(ctx, func(tx *sql.Tx) error { return db.put(ctx, tx, s, body, at) })
	return explain(db.path, action, unfit(err))
}

// fit refuses what no run can be, wherever it comes from: a year 31688740476 would
// stay the newest of its series for ever.
func fit(s summary.Summary, at Ingest) error {
	if s.Key.JobID <= 0 || s.Key.Cluster == "" {
		return errors.New("the key has no job id or no cluster")
	}
	now := at.NowS
	if now == 0 {
		now = 4102444800 // the year 2100
	}
	return s.Plausible(now)
}

// put is Put inside a transaction; body is s as encoded.
func (db *DB) put(ctx context.Context, tx *sql.Tx, s summary.Summary, body []byte, at Ingest) error {
	found, err := previousRuns(ctx, tx, s)
	if err != nil {
		return err
	}
	w := &writer{ctx: ctx, tx: tx, pack: &db.pack}
	reported := nodesReported(s)
	same, reuse := sameRun(found, s)
	var runID int64
	var status string
	switch {
	case same == nil:
		runID, status = w.insertRun(s, reuse, at.ReportDir), added
	case at.Absent:
		return ErrThere
	case reported >= same.nodesReported:
		if same.inherit(&s) {
			if body, err = db.pack.encode(s); err != nil {
				return err
			}
		}
		runID, status = same.runID, replaced
		w.updateRun(s, runID, at.ReportDir)
	default:
		return w.keep(*same, s, at)
	}
	w.details(runID, s, body)
	w.log(runID, status, reported, at)
	return w.err
}

// Delivered notes where the report of a stored run went.
func (db *DB) Delivered(ctx context.Context, s summary.Summary, dir string) error {
	err := db.write(ctx, func(tx *sql.Tx) error {
		found, err := previousRuns(ctx, tx, s)
		if err != nil {
			return err
		}
		same, _ := sameRun(found, s)
		if same == nil {
			return ErrNotFound
		}
		w := &writer{ctx: ctx, tx: tx}
		w.exec(`UPDATE run SET report_dir_id = ? WHERE run_id = ?`, w.path(s, dir), same.runID)
		return w.err
	})
	return explain(db.path, "note the report of run "+s.Key.String(), err)
}

// keep leaves a stored run as it is but for the final state, which does not
// depend on how many nodes reported.
func (w *writer) keep(p previous, s summary.Summary, at Ingest) error {
	status := kept
	if s.State != "" && (p.state == nil || *p.state != note.Clean(s.State, maxName)) {
		if err := w.end(p.runID, s.State, nil); err != nil {
			return err
		}
		status = learned
	}
	w.log(p.runID, status, nodesReported(s), at)
	return w.err
}

// writer executes statements of one transaction and keeps the first error, so
// that rows can be written one after the other.
type writer struct {
	ctx  context.Context
	tx   *sql.Tx
	pack *packer
	err  error
}

// exec executes a statement and returns the id of the row it inserted, count how many
// rows it changed.
func (w *writer) exec(query string, args ...any) int64 {
	return w.do(sql.Result.LastInsertId, query, args)
}
func (w *writer) count(query string, args ...any) int64 {
	return w.do(sql.Result.RowsAffected, query, args)
}

func (w *writer) do(what func(sql.Result) (int64, error), query string, args []any) int64 {
	if w.err != nil {
		return 0
	}
	r, err := w.tx.ExecContext(w.ctx, query, args...)
	if err != nil {
		w.err = err
		return 0
	}
	n, err := what(r)
	w.err = err
	return n
}

// id returns the id of the row of a table that has these values in these
// columns, and inserts it if there is none.
func (w *writer) id(table, idColumn string, columns []string, values ...any) int64 {
	if w.err != nil {
		return 0
	}
	var id int64
	err := w.tx.QueryRowContext(w.ctx, fmt.Sprintf("SELECT %s FROM %s WHERE %s = ?",
		idColumn, table, strings.Join(columns, " = ? AND ")), values...).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return w.exec(fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)",
			table, strings.Join(columns, ", "), marks(len(columns))), values...)
	}
	w.err = err
	return id
}

// log notes what became of a summary, to the second: that takes half the room.
func (w *writer) log(runID int64, status string, reported int, at Ingest) {
	w.exec(`INSERT INTO ingest_log (at_s, run_id, status, nodes_reported, source) VALUES (?, ?, ?, ?, ?)`,
		math.Round(at.NowS), runID, status, reported, text(at.Source, maxText))
}

// marks returns n question marks for values.
func marks(n int) string {
	return strings.TrimSuffix(strings.Repeat("?, ", n), ", ")
}
