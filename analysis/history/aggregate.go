package history

import (
	"context"
	"database/sql"
	"slices"
	"strings"
)

// Aggregates holds node hours of the runs that ended in a period of time: sums for the monitoring of a site,
// never of a single job or user.
type Aggregates struct {
	ByState     map[string]float64 // "UNKNOWN" until the scheduler has said how a run ended
	ByPartition map[string]NodeHours
	// ByApplication has the applications with most node hours, and all others as "other".
	ByApplication map[string]NodeHours
}

// NodeHours holds node hours: All, those of runs that used less than half of their CPUs (Idle), and those lost
// since a change of speed that was not acknowledged (Lost).
type NodeHours struct{ All, Idle, Lost float64 }

// with returns the sum of n and o.
func (n NodeHours) with(o NodeHours) NodeHours {
	return NodeHours{n.All + o.All, n.Idle + o.Idle, n.Lost + o.Lost}
}

// Bounds of the names in Aggregates; what is beyond is "other".
const mostApplications, mostPartitions = 20, 50

// other and unknownState are the names of what has none of its own.
const other, unknownState = "other", "UNKNOWN"

// aggregateQuery has a row for each partition, state and application. Of a series' changes the newest before the run
// counts.
const aggregateQuery = `
	SELECT coalesce((SELECT text FROM internal_word WHERE word_id = r.partition_id), ''),
		coalesce((SELECT text FROM internal_word WHERE word_id = r.state_id), ''), coalesce(a.name, ''),
		sum(r.hours), sum(CASE WHEN r.busy_mcpu < 500 * r.ncpus THEN r.hours ELSE 0 END),
		sum(CASE WHEN r.effect > 0 THEN r.hours * r.effect / (100 + r.effect) ELSE 0 END)
	FROM (SELECT x.*, coalesce(x.nnodes, 1) * x.elapsed_ms / 3.6e6 AS hours,
			(SELECT CASE WHEN k.run_id IS NULL THEN e.effect_pct END FROM internal_change_event e
				JOIN internal_run f ON f.run_id = e.run_id
				LEFT JOIN internal_change_ack k ON k.series_id = e.series_id AND k.run_id = e.run_id
				WHERE e.series_id = x.series_id AND e.metric IN ('step_s', 'elapsed_s') AND f.start_s <= x.start_s
				ORDER BY f.start_s DESC LIMIT 1) AS effect
		FROM internal_run x WHERE x.end_s >= ? AND x.elapsed_ms IS NOT NULL AND x.sub = 0) r
	LEFT JOIN internal_run_series s ON s.series_id = r.series_id
	LEFT JOIN internal_application a ON a.application_id = s.application_id
	GROUP BY 1, 2, 3`

// Aggregates returns the sums over the runs that ended since a time, in UTC epoch seconds. Runs inside a batch job and
// runs of unknown length are left out.
func (db *DB) Aggregates(ctx context.Context, since float64) (Aggregates, error) {
	var a Aggregates
	err := db.retryWhileLocked(ctx, func() error {
		a = Aggregates{map[string]float64{}, map[string]NodeHours{}, map[string]NodeHours{}}
		return db.eachRow(ctx, aggregateQuery, func(rows *sql.Rows) error {
			var partition, state, app string
			var h NodeHours
			if err := rows.Scan(&partition, &state, &app, &h.All, &h.Idle, &h.Lost); err != nil {
				return err
			}
			if state == "" {
				state = unknownState
			}
			a.ByState[state] += h.All
			a.ByPartition[partition] = a.ByPartition[partition].with(h)
			a.ByApplication[app] = a.ByApplication[app].with(h)
			return nil
		}, since)
	})
	a.ByPartition, a.ByApplication = largestNames(a.ByPartition, mostPartitions),
		largestNames(a.ByApplication, mostApplications)
	return a, explain(db.path, "sum up node hours", err)
}

// largestNames keeps the names with the most node hours, at most bound; the others, and those without a name,
// are added up as "other".
func largestNames(all map[string]NodeHours, bound int) map[string]NodeHours {
	var names []string
	for name := range all {
		if name != "" && name != other {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if x, y := all[a].All, all[b].All; x != y {
			if x > y {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	kept := map[string]NodeHours{}
	for name, h := range all {
		if i := slices.Index(names, name); i < 0 || i >= bound {
			name = other
		}
		kept[name] = kept[name].with(h)
	}
	return kept
}
