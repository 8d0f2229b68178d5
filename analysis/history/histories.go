package history

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"runtime"
	"strings"

	"jobgait/analysis/internal/parallel"
	"jobgait/analysis/note"
)

// HistoryQuery selects series and their runs. Empty fields select everything.
type HistoryQuery struct {
	Cluster, User, App string
	SeriesID           int64
	// Since keeps series with a run that started at this time or later, UTC
	// epoch seconds; with Series, and neither User nor App, not after Until.
	Since float64
	// Until selects runs that started at this time or earlier; 0 means no limit.
	Until float64
	// Runs is the largest number of runs of one series, the newest; 0 is
	// DefaultLimit. Series is the largest number of series, those with the
	// newest runs; 0 is no bound.
	Runs, Series int
	// ChangedSince, with Series and for all users, puts series with a change that was found at this time or later
	// first, newest first, up to half of Series; 0 disables it.
	ChangedSince float64
}

// Histories returns the series that a query selects, with their runs; the series with the newest run is first.
func (db *DB) Histories(ctx context.Context, q HistoryQuery) ([]ApplicationRuns, error) {
	var list []ApplicationRuns
	err := db.retryWhileLocked(ctx, func() (err error) {
		list, err = db.histories(ctx, q)
		return err
	})
	return list, explain(db.path, "read histories", err)
}

// histories is Histories without the explanation of errors. It reads manySeries series or more in parallel,
// on several connections.
func (db *DB) histories(ctx context.Context, q HistoryQuery) ([]ApplicationRuns, error) {
	list, err := db.findSeries(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, nil
	}
	f := newFiller(db, q)
	if len(list) < manySeries {
		for i := range list {
			if err := f.fill(ctx, &list[i]); err != nil {
				return nil, err
			}
		}
		return list, f.acknowledged(ctx, list)
	}
	// Of a whole site nearly all of the time is spent here.
	db.sql.SetMaxOpenConns(runtime.GOMAXPROCS(0))
	defer db.sql.SetMaxOpenConns(1)
	errs := make([]error, len(list))
	parallel.Each(len(list), func(i int) { errs[i] = f.fill(ctx, &list[i]) })
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return list, f.acknowledged(ctx, list)
}

// manySeries is the number of series from which they are read on all CPUs, each with a connection; hooks read
// fewer.
const manySeries = 64

// selection returns the condition on series of a query. With Since and Series, and for all users and applications, it
// reads the ids of the series first (newestSeries).
func (db *DB) selection(ctx context.Context, q HistoryQuery) (conditions, error) {
	where := conditions{}
	for _, t := range []struct{ column, value string }{{"a.name", note.Clean(q.App, maxText)},
		{"c.name", note.Clean(q.Cluster, maxName)}, {"u.name", note.Clean(q.User, maxName)}} {
		if t.value != "" {
			where.and(t.column+" = ?", t.value)
		}
	}
	if q.SeriesID != 0 {
		where.and("s.series_id = ?", q.SeriesID)
	}
	switch {
	case q.Since != 0 && q.Series > 0 && q.User == "" && q.App == "" && q.SeriesID == 0:
		ids, err := db.newestSeries(ctx, q)
		if err != nil {
			return where, err
		}
		where.and("s.series_id IN (" + strings.Join(ids, ", ") + ")")
	case q.Since != 0:
		// By the index on start: a week's runs, not the series of ten years.
		where.and("s.series_id IN (SELECT series_id FROM internal_run WHERE start_s >= ?)", q.Since)
	}
	return where, nil
}

// findSeries returns the series of a query without their runs.
func (db *DB) findSeries(ctx context.Context, q HistoryQuery) ([]ApplicationRuns, error) {
	where, err := db.selection(ctx, q)
	if err != nil {
		return nil, err
	}
	limit := -1
	if q.Series > 0 {
		limit = q.Series
	}
	var list []ApplicationRuns
	err = db.eachRow(ctx, `
		SELECT s.series_id, c.name, u.name, a.name, s.shape,
			(SELECT max(start_s) FROM internal_run r WHERE r.series_id = s.series_id) AS last
		FROM internal_run_series s
		JOIN internal_application a ON a.application_id = s.application_id
		JOIN internal_cluster c ON c.cluster_id = a.cluster_id
		JOIN internal_hpc_user u ON u.user_id = a.user_id
		WHERE `+where.String()+` ORDER BY last DESC, s.series_id LIMIT ?`, func(rows *sql.Rows) error {
		var h ApplicationRuns
		var last sql.NullFloat64
		err := rows.Scan(&h.SeriesID, &h.Cluster, &h.User, &h.App, &h.Shape, &last)
		list = append(list, h)
		return err
	}, append(where.args, limit)...)
	return list, err
}

// newestSeries returns the ids of the q.Series series with the newest runs between q.Since and q.Until, after
// those with a recent change, at most half, if the query requests these first. It reads runs backwards in time
// and stops when it has enough: after some hundred runs of the 150,000 that a large site has in two weeks.
func (db *DB) newestSeries(ctx context.Context, q HistoryQuery) ([]string, error) {
	where := conditions{}
	where.and("start_s BETWEEN ? AND ? AND series_id IS NOT NULL", q.Since, q.until())
	if q.Cluster != "" {
		where.and("cluster_id = (SELECT cluster_id FROM internal_cluster WHERE name = ?)", note.Clean(q.Cluster, maxName))
	}
	var ids []string
	seen := map[int64]bool{}
	take := func(limit int, query string, args ...any) error {
		rows, err := db.sql.QueryContext(ctx, query, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for len(ids) < limit && rows.Next() {
			var id int64
			if err := rows.Scan(&id); err != nil {
				return err
			}
			if !seen[id] {
				seen[id] = true
				ids = append(ids, fmt.Sprint(id))
			}
		}
		return rows.Err()
	}
	if q.ChangedSince != 0 {
		if err := take(q.Series/2, "SELECT series_id FROM internal_change_event WHERE at_s >= ? ORDER BY at_s DESC, "+
			"event_id DESC",
			q.ChangedSince); err != nil {
			return nil, err
		}
	}
	err := take(q.Series, "SELECT series_id FROM internal_run WHERE "+where.String()+" ORDER BY start_s DESC",
		where.args...)
	return ids, err
}

// until returns the latest start of a selected run.
func (q HistoryQuery) until() float64 {
	if q.Until == 0 {
		return math.MaxFloat64
	}
	return q.Until
}
