package history

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// Runs returns the runs that a query selects, newest first. Runs whose start
// is not known come last.
func (db *DB) Runs(ctx context.Context, q Query) ([]Run, error) {
	var runs []Run
	err := db.retryWhileLocked(ctx, func() (err error) {
		runs, err = db.runs(ctx, q)
		return err
	})
	return runs, explain(db.path, "list runs", err)
}

// Count returns the number of runs that a query selects, whatever its limit.
func (db *DB) Count(ctx context.Context, q Query) (int, error) {
	n := 0
	err := db.retryWhileLocked(ctx, func() error {
		where, some, err := db.runConditions(ctx, q)
		if n = 0; err != nil || !some {
			return err
		}
		return db.eachRow(ctx, "SELECT count(*)"+runTables+" WHERE "+where.String(),
			func(rows *sql.Rows) error { return rows.Scan(&n) }, where.args...)
	})
	return n, explain(db.path, "count runs", err)
}

// runs is Runs without the explanation of errors: it returns the newest runs that match all fields of q that
// are set, newest first, at most q.Limit or, if that is 0, DefaultLimit.
func (db *DB) runs(ctx context.Context, q Query) ([]Run, error) {
	where, some, err := db.runConditions(ctx, q)
	if err != nil || !some {
		return nil, err
	}
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	var runs []Run
	err = db.eachRow(ctx, "SELECT "+runColumns+runTables+" WHERE "+where.String()+
		" ORDER BY r.start_s DESC, r.run_id DESC LIMIT ?",
		func(rows *sql.Rows) error {
			r, err := scanRun(rows)
			runs = append(runs, r)
			return err
		}, append(where.args, limit)...)
	return runs, err
}

// runConditions returns the conditions of a query; false if no run meets them.
func (db *DB) runConditions(ctx context.Context, q Query) (conditions, bool, error) {
	where := conditions{}
	if q.App != "" || q.Shape != "" {
		// Looked up first: with the ids written out, the index on series and
		// start gives the newest runs without sorting the others.
		ids, err := db.seriesIDs(ctx, q)
		if err != nil || len(ids) == 0 {
			return where, false, err
		}
		where.and("r.series_id IN (" + strings.Join(ids, ", ") + ")")
	}
	if q.Cluster != "" {
		where.and("c.name = ?", note.Clean(q.Cluster, maxName))
	}
	if q.User != "" && q.App == "" && q.Shape == "" {
		ids, err := db.userIDs(ctx, q.User) // for the index on user and start, as above
		if err != nil || len(ids) == 0 {
			return where, false, err
		}
		where.and("r.user_id IN (" + strings.Join(ids, ", ") + ")")
	}
	if q.JobID != 0 {
		where.and("(r.job_id = ? OR r.array_job_id = ? OR r.het_job_id = ?)", q.JobID, q.JobID, q.JobID)
	}
	if q.State != "" {
		state := note.Clean(q.State, maxName)
		where.and(`(r.state_id = (SELECT word_id FROM internal_word WHERE text = ?)
			OR r.state_id IS NULL AND r.exit_code IS NOT NULL
			AND substr(c.name, 1, ?) = ? AND CASE WHEN r.exit_code = 0 AND r.exit_signal = 0 THEN ? ELSE ? END = ?)`,
			state, len(run.LocalCluster), run.LocalCluster, completed, failed, state)
	}
	for _, t := range []struct{ column, value string }{{"r.account_id", q.Account}, {"r.partition_id", q.Partition}} {
		if t.value != "" {
			where.and(t.column+" = (SELECT word_id FROM internal_word WHERE text = ?)", note.Clean(t.value, maxName))
		}
	}
	if q.Since != 0 {
		where.and("r.start_s >= ?", q.Since)
	}
	if q.Before != 0 {
		where.and("r.start_s < ?", q.Before)
	}
	if q.Failed {
		where.and(`(coalesce(r.exit_code, 0) <> 0 OR coalesce(r.exit_signal, 0) <> 0
			OR coalesce(nullif((SELECT text FROM internal_word WHERE word_id = r.state_id), ''), ?) <> ?)`, completed, completed)
	}
	return where, true, nil
}

// States of a run that no scheduler gave one.
const completed, failed = "COMPLETED", "FAILED"

// EndedNormally reports whether a run has neither a nonzero exit code, nor a signal, nor a state other than
// COMPLETED. An unknown exit or state counts as normal.
func (r Run) EndedNormally() bool { return EndedNormally(r.Exit, r.State) }

// EndedNormally is the rule of Run.EndedNormally for an exit, nil if unknown, and a scheduler's state, "" if unknown.
func EndedNormally(exit *run.Exit, state string) bool {
	if exit != nil && (exit.Code != 0 || exit.Signal != 0) {
		return false
	}
	return state == "" || state == completed
}

// FinalState returns the scheduler's state, "" if unknown. For runs of `jobgait run`, which have none, an exit
// code or signal gives FAILED, and a normal end COMPLETED.
func (r Run) FinalState() string {
	switch {
	case r.State != "" || r.Exit == nil || !strings.HasPrefix(r.Cluster, run.LocalCluster):
		return r.State
	case r.Exit.Code != 0 || r.Exit.Signal != 0:
		return failed
	}
	return completed
}

const runColumns = `c.name, r.job_id, r.display_id, r.restart, u.name, coalesce(a.name, ''), coalesce(s.shape, ''),
		coalesce(r.start_s, 0), coalesce(r.end_s, 0), coalesce(r.elapsed_ms, 0) / 1e3,
		coalesce((SELECT text FROM internal_word WHERE word_id = r.state_id), ''),
		r.period_us / 1e6, r.coverage / 1e4,
		coalesce(replace((SELECT text FROM internal_word WHERE word_id = r.report_dir_id), char(1), r.display_id), ''),
		r.sub, coalesce(r.job_name, ''),
		r.exit_code, r.exit_signal, r.nnodes, r.nodes_reported, r.instances, r.confidence / 1e4,
		r.run_id, coalesce(r.series_id, 0),
		coalesce((SELECT text FROM internal_word WHERE word_id = r.partition_id), ''),
		coalesce(r.size, ''), r.ntasks, r.ncpus, r.step_us / 1e6, coalesce(r.cpu_ms / 1e3,
		CASE WHEN r.nodes_reported = r.nnodes THEN r.busy_mcpu * r.elapsed_ms / 1e6 END),
		r.startup_ms / 1e3, r.checkpoint_ms / 1e3, r.energy_mj / 1e3,
		r.step_cpu_us / 1e6, r.step_wait_us / 1e6, r.busy_mcpu / 1e3, r.waiting_mcpu / 1e3, r.mem_peak,
		coalesce((SELECT text FROM internal_word WHERE word_id = r.account_id), '')`

const runTables = `
	FROM internal_run r
	JOIN internal_cluster c ON c.cluster_id = r.cluster_id
	JOIN internal_hpc_user u ON u.user_id = r.user_id
	LEFT JOIN internal_run_series s ON s.series_id = r.series_id
	LEFT JOIN internal_application a ON a.application_id = s.application_id`

// scanRun reads a row: the columns of runColumns into the Run, and the columns after them into beside.
func scanRun(rows *sql.Rows, beside ...any) (Run, error) {
	var r Run
	var code, signal *int
	err := rows.Scan(append([]any{&r.Cluster, &r.JobID, &r.DisplayID, &r.Restart, &r.User, &r.App, &r.Shape,
		&r.Start, &r.End, &r.ElapsedS, &r.State,
		&r.PeriodS, &r.Coverage, &r.ReportDir, &r.Sub, &r.JobName,
		&code, &signal, &r.NNodes, &r.NodesReported, &r.Iterations, &r.Confidence,
		&r.ID, &r.SeriesID, &r.Partition, &r.Size, &r.NTasks, &r.CPUs,
		&r.StepS, &r.CPUS, &r.StartupS, &r.CheckpointS, &r.EnergyJ, &r.StepCPUS, &r.StepWaitS,
		&r.BusyCPUs, &r.WaitingCPUs, &r.PeakMemBytes, &r.Account}, beside...)...)
	if code != nil && signal != nil {
		r.Exit = &run.Exit{Code: *code, Signal: *signal}
	}
	return r, err
}

// seriesIDs returns the ids of the series that a query selects.
func (db *DB) seriesIDs(ctx context.Context, q Query) ([]string, error) {
	where := conditions{}
	for _, t := range []struct {
		column, value string
		limit         int
	}{
		{"a.name", q.App, maxText}, {"s.shape", q.Shape, maxText},
		{"c.name", q.Cluster, maxName}, {"u.name", q.User, maxName},
	} {
		if t.value != "" {
			where.and(t.column+" = ?", note.Clean(t.value, t.limit))
		}
	}
	return db.ids(ctx, `
		SELECT s.series_id FROM internal_run_series s
		JOIN internal_application a ON a.application_id = s.application_id
		JOIN internal_cluster c ON c.cluster_id = a.cluster_id
		JOIN internal_hpc_user u ON u.user_id = a.user_id
		WHERE `+where.String(), where.args...)
}

// Clusters returns the names of the clusters whose runs the history has.
func (db *DB) Clusters(ctx context.Context) ([]string, error) {
	var names []string
	err := db.retryWhileLocked(ctx, func() error {
		names = nil
		return db.eachRow(ctx, "SELECT name FROM internal_cluster c WHERE EXISTS "+
			"(SELECT 1 FROM internal_application a WHERE a.cluster_id = c.cluster_id) OR EXISTS "+
			"(SELECT 1 FROM internal_run r WHERE r.cluster_id = c.cluster_id) ORDER BY name",
			func(rows *sql.Rows) error {
				var name string
				err := rows.Scan(&name)
				names = append(names, name)
				return err
			})
	})
	return names, explain(db.path, "list its clusters", err)
}

// userIDs returns the ids of all users that have, or had, a login name.
func (db *DB) userIDs(ctx context.Context, name string) ([]string, error) {
	return db.ids(ctx, `SELECT user_id FROM internal_hpc_user WHERE name = ?`, note.Clean(name, maxName))
}

// ids returns the ids that a query selects, as text.
func (db *DB) ids(ctx context.Context, query string, args ...any) ([]string, error) {
	var ids []string
	err := db.eachRow(ctx, query, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, fmt.Sprint(id))
		return err
	}, args...)
	return ids, err
}

// conditions are terms of a WHERE clause with their arguments. Terms are
// constants of this file; what comes from outside is an argument.
type conditions struct {
	terms []string
	args  []any
}

// and adds a term with its arguments.
func (c *conditions) and(term string, args ...any) {
	c.terms = append(c.terms, term)
	c.args = append(c.args, args...)
}

// String returns the clause; without a term it holds for every row.
func (c conditions) String() string {
	if len(c.terms) == 0 {
		return "1"
	}
	return strings.Join(c.terms, " AND ")
}
