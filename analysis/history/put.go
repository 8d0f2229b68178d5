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

// Ingest describes the source of a summary and how it is stored.
type Ingest struct {
	ReportDir string  // where its report was delivered, "" = nowhere
	Source    string  // file that it was read from, "" = none
	NowS      float64 // UTC epoch seconds; 0 is not known
	// Names limits the names of code that are stored; "" stores all.
	Names run.DisclosureLevel
	// Findings computes the findings of the run; nil stores none.
	Findings FindingsFunc
}

// status is the result of putting a summary, as stored in the ingest log.
type status int

const (
	added    status = iota
	replaced        // it replaced a summary with at most as many nodes
	learned         // fewer nodes, but it had the final state
	kept            // fewer nodes and nothing new: the one before is kept
	aside           // the record could not be stored
)

// Put stores a summary. Putting it again changes nothing. A summary of the same run with at least as many nodes
// replaces it, but keeps what only the scheduler knew, such as State. One with fewer nodes changes only the
// final state. A job id that the scheduler reused is another run.
func (db *DB) Put(ctx context.Context, s summary.Summary, at Ingest) error {
	s, body, err := db.fitted(s, at) // before the lock is taken
	if err == nil {
		err = markUnfit(db.put(ctx, func(w *writer) error { return w.put(s, body, at) }))
	}
	return explain(db.path, "store run "+s.Key.String(), err)
}

// fitted returns the summary in the form in which it is stored, with the names of code limited to the
// disclosure level at.Names, and its encoded body. It returns ErrUnfit if the summary is implausible (see
// checkStorable) or cannot be encoded.
func (db *DB) fitted(s summary.Summary, at Ingest) (summary.Summary, []byte, error) {
	err := checkStorable(s, at)
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

// checkStorable returns an error for impossible runs: one with the year 31688740476 would stay the newest of
// its series forever.
func checkStorable(s summary.Summary, at Ingest) error {
	if s.Key.JobID <= 0 || s.Key.Cluster == "" {
		return errors.New("its record has no job id or no cluster: both are required")
	}
	now := at.NowS
	if now == 0 {
		now = 4102444800 // the year 2100
	}
	return s.Plausible(now)
}

// put stores a summary in a transaction; body is the encoded s. It inserts a run that is not stored. A stored one is
// replaced, except for what only the scheduler knew, if s has at least as many nodes that reported; else only its final
// state is updated.
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
		w.deleteDetails(runID)
	default:
		return w.keepStored(*same, s, at)
	}
	w.details(runID, s, body)
	w.findings(runID, s, at.Findings)
	w.log(runID, status, reported, at)
	return w.err
}

// Delivered stores where the report of a stored run went and how long its Epilog took, where that is known. A
// run that is not stored is ErrNotFound.
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
		w.exec(`UPDATE internal_run SET report_dir_id = ?, epilog_ms = coalesce(?, epilog_ms) WHERE run_id = ?`,
			w.path(s, dir),
			scaledInt(s.Quality.EpilogS, 1e3), same.runID)
		return w.err
	})
	return explain(db.path, "store where the report is of run "+s.Key.String(), err)
}

// keepStored keeps a stored run unchanged except for the final state, which does not depend on how many nodes
// reported.
func (w *writer) keepStored(p previous, s summary.Summary, at Ingest) error {
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

// log adds an entry to the ingest log: what happened to the run, how many nodes had reported, and at which time,
// rounded to seconds, which takes half the space.
func (w *writer) log(runID int64, what status, reported int, at Ingest) {
	w.exec(`INSERT INTO internal_ingest_log (at_s, run_id, n, status, nodes_reported, source)
		VALUES (?1, ?2, (SELECT coalesce(max(n) + 1, 0) FROM internal_ingest_log WHERE at_s = ?1 AND run_id = ?2),
			?3, ?4, ?5)`,
		math.Round(at.NowS), runID, what, reported, text(at.Source, maxText))
}
