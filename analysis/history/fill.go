package history

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// filler reads the runs of series, several concurrently. It caches what they have in common: names of nodes,
// parts of the code, and sets of fields, so that runs with equal fields share one map.
type filler struct {
	db     *DB
	until  float64
	limit  int
	mu     sync.Mutex
	nodes  map[string]string            // names by number
	fields map[string]map[string]string // by the numbers of a run's fields
	parts  map[int64]map[rune]CodeTime  // by application
}

// newFiller returns a filler for the limits of a query.
func newFiller(db *DB, q HistoryQuery) *filler {
	f := filler{db: db, until: q.until(), limit: q.Runs,
		nodes: map[string]string{}, fields: map[string]map[string]string{}, parts: map[int64]map[rune]CodeTime{}}
	if f.limit <= 0 {
		f.limit = DefaultLimit
	}
	return &f
}

// runExtras holds the fields, nodes and code of a run as stored in its row: ids separated by commas.
type runExtras struct {
	fields, nodes sql.NullString
	code          runCode
}

// selectHistory selects runs with their fields, nodes and code, one row for each run, because a row for each field and
// each node took most of the time of reading a site.
const selectHistory = "SELECT " + runColumns + `,
		(SELECT fields FROM internal_field_set x WHERE x.set_id = r.set_id),
		CASE WHEN coalesce(r.nnodes, 1) <= ?
			THEN (SELECT group_concat(node_id ORDER BY position) FROM internal_run_node x WHERE x.run_id = r.run_id) END,
		k.application_id, k.step_ns, k.shares` + runTables + `
	LEFT JOIN internal_run_code k ON k.run_id = r.run_id
	WHERE r.series_id = ? AND coalesce(r.start_s, 0) <= ? ORDER BY r.start_s DESC, r.run_id DESC LIMIT ?`

// fill reads the runs of one series, with their fields, nodes and code, oldest first. It replaces h.Runs,
// h.Fields, h.Nodes and h.Code.
func (f *filler) fill(ctx context.Context, h *ApplicationRuns) error {
	var of []runExtras
	h.Runs = nil
	err := f.db.eachRow(ctx, selectHistory, func(rows *sql.Rows) error {
		var b runExtras
		r, err := scanRun(rows, &b.fields, &b.nodes, &b.code.application, &b.code.stepNS, &b.code.shares)
		h.Runs, of = append(h.Runs, r), append(of, b)
		return err
	}, MaxNodes, h.SeriesID, f.until, f.limit)
	if err != nil {
		return err
	}
	slices.Reverse(h.Runs)
	slices.Reverse(of)
	n := len(of)
	h.Fields, h.Nodes, h.Code = make([]map[string]string, n), make([][]string, n), make([][]CodeTime, n)
	for i, b := range of { // no row is open any more: what is still to be read gets a connection
		if h.Fields[i], err = f.fieldsOf(ctx, b.fields.String); err != nil {
			return err
		}
		if h.Nodes[i], err = f.nodesOf(ctx, b.nodes.String); err != nil {
			return err
		}
		parts, err := f.partsOf(ctx, b.code)
		if err != nil {
			return err
		}
		h.Code[i] = b.code.times(parts)
	}
	return nil
}

// fieldsOf returns the fields with the given ids, nil for none.
func (f *filler) fieldsOf(ctx context.Context, ids string) (map[string]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if known, ok := f.fields[ids]; ok || ids == "" {
		return known, nil
	}
	fields := map[string]string{}
	err := f.db.eachRow(ctx, "SELECT name, value FROM internal_field WHERE field_id IN ("+ids+")",
		func(rows *sql.Rows) error {
			var name, value string
			err := rows.Scan(&name, &value)
			fields[name] = value
			return err
		})
	if err != nil { // a part of the fields must not become those of later runs
		return nil, err
	}
	f.fields[ids] = fields
	return fields, nil
}

// nodesOf returns the names of the nodes with the given ids, in their order.
func (f *filler) nodesOf(ctx context.Context, ids string) ([]string, error) {
	if ids == "" {
		return nil, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	names := strings.Split(ids, ",")
	for i, id := range names {
		name, ok := f.nodes[id]
		if !ok {
			if err := f.db.sql.QueryRowContext(ctx, "SELECT name FROM internal_node WHERE node_id = ?",
				id).Scan(&name); err != nil {
				return nil, explainRow("name of node "+id, err)
			}
			f.nodes[id] = name
		}
		names[i] = name
	}
	return names, nil
}

// partsOf returns the parts of code of a run's application, by number. Shares are decoded here: as rows of SQL
// they took a third of the time of reading a whole site.
func (f *filler) partsOf(ctx context.Context, x runCode) (map[rune]CodeTime, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	app := x.application.Int64
	if known, ok := f.parts[app]; ok || !x.application.Valid {
		return known, nil
	}
	parts := map[rune]CodeTime{}
	err := f.db.eachRow(ctx, "SELECT number, library, name FROM internal_code_part WHERE application_id = ?",
		func(rows *sql.Rows) error {
			var number rune
			var t CodeTime
			err := rows.Scan(&number, &t.Library, &t.Name)
			parts[number] = t
			return err
		}, app)
	if err != nil {
		return nil, err
	}
	f.parts[app] = parts
	return parts, nil
}

// acknowledged reads the runs whose change was acknowledged into the list.
func (f *filler) acknowledged(ctx context.Context, list []ApplicationRuns) error {
	at, ids := map[int64]int{}, make([]string, len(list))
	for i, h := range list {
		at[h.SeriesID], ids[i] = i, fmt.Sprint(h.SeriesID)
	}
	return f.db.eachRow(ctx, "SELECT series_id, run_id FROM internal_change_ack WHERE series_id IN ("+
		strings.Join(ids, ", ")+
		") ORDER BY series_id, run_id", func(rows *sql.Rows) error {
		var series, run int64
		err := rows.Scan(&series, &run)
		if i, ok := at[series]; ok {
			list[i].Acknowledged = append(list[i].Acknowledged, run)
		}
		return err
	})
}

// eachRow calls row for every row of a query.
func (db *DB) eachRow(ctx context.Context, query string, row func(*sql.Rows) error, args ...any) error {
	return eachRow(ctx, db.sql, query, row, args...)
}

// queryer is the interface of *sql.DB and *sql.Conn for queries.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// eachRow calls row for every row of a query.
func eachRow(ctx context.Context, q queryer, query string, row func(*sql.Rows) error, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
