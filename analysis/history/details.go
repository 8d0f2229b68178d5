package history

import (
	"math"

	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// details writes what a run has many of: its nodes, patterns and notes, and the
// summary itself. What was there before goes.
func (w *writer) details(runID int64, s summary.Summary, body []byte) {
	for _, table := range []string{"run_node", "run_pattern", "run_note", "run_summary", "run_value", "run_counter", "run_gpu"} {
		w.exec("DELETE FROM "+table+" WHERE run_id = ?", runID)
	}
	w.nodes(runID, s)
	w.fields(runID, s)
	w.counters(runID, s)
	w.code(runID, s)
	w.gpus(runID, s)
	for i, p := range s.Patterns {
		w.exec(`INSERT INTO run_pattern (run_id, position, pattern, column_id, period_us, period_lo_us,
				period_hi_us, period_cv, confidence, coverage, instances)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			runID, i, note.Clean(p.ID, maxName), w.word(note.Clean(p.Column, maxName)), whole(&p.PeriodS, 1e6), whole(above0(p.PeriodLoS), 1e6),
			whole(above0(p.PeriodHiS), 1e6), whole(&p.PeriodCV, 1e4), whole(&p.Confidence, 1e4), whole(&p.Coverage, 1e4), p.Instances)
	}
	for i, n := range s.Notes {
		w.exec(`INSERT INTO run_note (run_id, position, code, text, node_name) VALUES (?, ?, ?, ?, ?)`,
			runID, i, note.Clean(string(n.Code), maxName), note.Clean(n.Text, maxText), text(n.Node, maxName))
	}
	w.exec(`INSERT INTO run_summary (run_id, schema, body) VALUES (?, ?, ?)`, runID, s.Schema, body)
}

// nodes writes one row a node. A name that a node list holds twice is one node.
func (w *writer) nodes(runID int64, s summary.Summary) {
	cluster := w.id("cluster", "cluster_id", []string{"name"}, note.Clean(s.Key.Cluster, maxName))
	for i, n := range s.Nodes {
		node := w.id("node", "node_id", []string{"cluster_id", "name"}, cluster, note.Clean(n.Name, maxName))
		var samples, missing, sealed any
		if n.Reported {
			samples, missing, sealed = n.Samples, n.Missing, n.Sealed
		}
		w.exec(`INSERT OR REPLACE INTO run_node (run_id, node_id, position, reported, busy_mcpu, period_us,
				coverage, samples, missing, sealed)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			runID, node, i, n.Reported, whole(n.BusyCPUs, 1e3), whole(n.PeriodS, 1e6), whole(n.Coverage, 1e4), samples, missing, sealed)
	}
}

// fields writes what was recorded of a run.
func (w *writer) fields(runID int64, s summary.Summary) {
	for name, value := range cleanFields(s) {
		w.exec(`INSERT OR REPLACE INTO run_value (run_id, field_id) VALUES (?, ?)`, runID,
			w.id("field", "field_id", []string{"name", "value"}, name, value))
	}
}

// above0 returns nil for what was not measured.
func above0(x float64) *float64 {
	if x > 0 {
		return &x
	}
	return nil
}

// whole returns a number in parts of its unit, rounded; NULL for none.
func whole(x *float64, parts float64) any {
	if x == nil || math.IsNaN(*x) || math.Abs(*x*parts) > 1<<53 {
		return nil
	}
	return int64(math.Round(*x * parts))
}

// mostCounters is how many counters of a run are remembered: an agent reads some 40.
const mostCounters = 100

// counters writes the totals of what was counted.
func (w *writer) counters(runID int64, s summary.Summary) {
	for _, c := range s.Counters[:min(len(s.Counters), mostCounters)] {
		if math.IsNaN(c.Total) || math.IsInf(c.Total, 0) || c.Name == "" {
			continue
		}
		id := w.id("counter", "counter_id", []string{"name", "scope", "unit"}, note.Clean(c.Name, maxName), note.Clean(c.Scope, maxName), note.Clean(c.Unit, maxName))
		var share any
		if part := c.Part(); part < 1 {
			share = part
		}
		w.exec(`INSERT OR REPLACE INTO run_counter (run_id, counter_id, total, share) VALUES (?, ?, ?, ?)`, runID, id, c.Total, share)
	}
}

// cleanFields is what was recorded of a run, as it is stored; nil for nothing.
func cleanFields(s summary.Summary) map[string]string {
	var fields map[string]string
	for name, value := range s.Job.Fields {
		if name, value = note.Clean(name, maxName), note.Clean(value, maxText); name != "" && value != "" {
			if fields == nil {
				fields = map[string]string{}
			}
			fields[name] = value
		}
	}
	return fields
}
