package history

import (
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// details writes what a run has many of: its nodes, patterns and notes, and the
// summary itself. What was there before goes.
func (w *writer) details(runID int64, s summary.Summary, body []byte) {
	for _, table := range []string{"run_node", "run_pattern", "run_note", "run_summary", "run_field"} {
		w.exec("DELETE FROM "+table+" WHERE run_id = ?", runID)
	}
	w.nodes(runID, s)
	w.fields(runID, s)
	for i, p := range s.Patterns {
		w.exec(`INSERT INTO run_pattern (run_id, position, pattern, column_name, period_s, period_lo_s,
				period_hi_s, period_cv, confidence, coverage, instances)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			runID, i, note.Clean(p.ID, maxName), text(p.Column, maxName), p.PeriodS, positive(p.PeriodLoS),
			positive(p.PeriodHiS), p.PeriodCV, p.Confidence, p.Coverage, p.Instances)
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
		w.exec(`INSERT OR REPLACE INTO run_node (run_id, node_id, position, reported, busy_cpus, period_s,
				coverage, samples, missing, sealed)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			runID, node, i, n.Reported, n.BusyCPUs, n.PeriodS, n.Coverage, samples, missing, sealed)
	}
}

// fields writes what was recorded of a run.
func (w *writer) fields(runID int64, s summary.Summary) {
	for name, value := range cleanFields(s) {
		w.exec(`INSERT OR REPLACE INTO run_field (run_id, name, value) VALUES (?, ?, ?)`, runID, name, value)
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
