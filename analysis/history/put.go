package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// Ingest says how a summary came to the history.
type Ingest struct {
	ReportDir string  // where its report was delivered, "" = nowhere
	Source    string  // file that it was read from, "" = none
	NowS      float64 // UTC epoch seconds; 0 is not known
	// Names is how much of which code ran is kept; "" is all of it.
	Names run.DisclosureLevel
	// Findings finds what limited the run; nil stores no findings.
	Findings FindingsFunc
}

// status is what became of a summary that was put, as it is stored; the view ingest has
// words for it.
type status int

const (
	added    status = iota
	replaced        // it reports at least as many nodes as the one before
	learned         // fewer nodes, but it told the final state
	kept            // fewer nodes and nothing new: the one before is kept
	aside           // it is no run's
)

// Put stores a summary. Putting it again changes nothing; one of the same run
// that reports at least as many nodes replaces it, and does not lose what only
// the scheduler knew (State above all). A job id that the scheduler gave out
// again is another run.
func (db *DB) Put(ctx context.Context, s summary.Summary, at Ingest) error {
	s, body, err := db.fitted(s, at) // before the lock is taken
	if err == nil {
		err = unfit(db.put(ctx, func(w *writer) error { return w.put(s, body, at) }))
	}
	return explain(db.path, "put run "+s.Key.String(), err)
}

// fitted returns what is put of a summary, and its body; ErrUnfit for what is no run.
func (db *DB) fitted(s summary.Summary, at Ingest) (summary.Summary, []byte, error) {
	err := fit(s, at)
	if err == nil && at.Names != "" {
		s = s.WithNames(at.Names)
	}
	var body []byte
	if err == nil {
		body, err = db.pack.encode(s)
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrUnfit, err)
	}
	return s, body, err
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
func (w *writer) put(s summary.Summary, body []byte, at Ingest) error {
	found, err := previousRuns(w.ctx, w.tx, s)
	if err != nil {
		return err
	}
	reported := s.Reported()
	same, reuse := sameRun(found, s)
	var runID int64
	var status status
	switch {
	case same == nil:
		runID, status = w.insertRun(s, reuse, at.ReportDir), added
	case reported >= same.nodesReported:
		if same.inherit(&s) {
			if body, err = w.pack.encode(s); err != nil {
				return err
			}
		}
		runID, status = same.runID, replaced
		w.updateRun(s, runID, at.ReportDir)
		w.clear(runID)
	default:
		return w.keep(*same, s, at)
	}
	w.details(runID, s, body)
	w.findings(runID, s, at.Findings)
	w.log(runID, status, reported, at)
	return w.err
}

// Delivered stores where the report of a stored run went and how long its Epilog took, where that is known.
func (db *DB) Delivered(ctx context.Context, s summary.Summary, dir string) error {
	err := db.write(ctx, func(tx *sql.Conn) error {
		found, err := previousRuns(ctx, tx, s)
		if err != nil {
			return err
		}
		same, _ := sameRun(found, s)
		if same == nil {
			return ErrNotFound
		}
		w := db.writer(ctx, tx)
		w.exec(`UPDATE run SET report_dir_id = ?, epilog_ms = coalesce(?, epilog_ms) WHERE run_id = ?`, w.path(s, dir),
			whole(s.Quality.EpilogS, 1e3), same.runID)
		return w.err
	})
	return explain(db.path, "note the report of run "+s.Key.String(), err)
}

// keep leaves a stored run as it is but for the final state, which does not
// depend on how many nodes reported.
func (w *writer) keep(p previous, s summary.Summary, at Ingest) error {
	status := kept
	if s.State != "" && (p.state == nil || *p.state != note.Clean(s.State, maxName)) {
		if err := w.end(p.runID, s.State, nil, at.Findings); err != nil {
			return err
		}
		status = learned
	}
	w.log(p.runID, status, s.Reported(), at)
	return w.err
}

// log notes what became of a summary, to the second: that takes half the room.
func (w *writer) log(runID int64, what status, reported int, at Ingest) {
	w.exec(`INSERT INTO ingest_log (at_s, run_id, n, status, nodes_reported, source)
		VALUES (?1, ?2, (SELECT coalesce(max(n) + 1, 0) FROM ingest_log WHERE at_s = ?1 AND run_id = ?2), ?3, ?4, ?5)`,
		math.Round(at.NowS), runID, what, reported, text(at.Source, maxText))
}
