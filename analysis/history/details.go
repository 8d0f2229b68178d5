package history

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// clear takes away what details wrote of a run before.
func (w *writer) clear(runID int64) {
	for _, table := range []string{"run_node", "run_pattern", "run_note", "run_summary", "run_counter", "run_code",
		"run_gpu", "run_finding"} {
		w.exec("DELETE FROM "+table+" WHERE run_id = ?", runID)
	}
}

// details writes what a run has many of: its nodes, patterns and notes, and the
// summary itself.
func (w *writer) details(runID int64, s summary.Summary, body []byte) {
	w.nodes(runID, s)
	w.counters(runID, s)
	w.code(runID, s)
	w.gpus(runID, s)
	for i := 1; i < len(s.Patterns); i++ {
		w.insert("run_pattern", append([]column{{"run_id", runID}, {"position", i}}, w.patternColumns(s.Patterns[i])...))
	}
	for i, n := range s.Notes {
		id, own := w.noteText(n)
		w.exec(`INSERT INTO run_note (run_id, position, text_id, text, node_name) VALUES (?, ?, ?, ?, ?)`, runID, i, id, own,
			text(n.Node, maxName))
	}
	w.exec(`INSERT INTO run_summary (run_id, schema, body) VALUES (?, ?, ?)`, runID, s.Schema, body)
}

// mostTexts is how many texts of notes with one code have a number. 9,500 notes of 2,000
// runs had 16 codes and 75 texts: a run took 475 bytes when each note had its own.
const mostTexts = 64

// noteText returns the id of a note's text if the text is shared by many notes, else the text itself.
func (w *writer) noteText(n note.Note) (id int64, own any) {
	code, text := w.word(note.Clean(string(n.Code), maxName)), note.Clean(n.Text, maxText)
	columns := []string{"code_id", "text"}
	rest := w.id("note_text", "text_id", columns, code, "")
	id = w.once(func() (id int64) {
		var texts int
		w.err = w.tx.QueryRowContext(w.ctx,
			`SELECT coalesce(max(CASE WHEN text = ? THEN text_id END), 0), count(*) FROM note_text WHERE code_id = ?`,
			text, code).Scan(&id, &texts)
		switch {
		case id > 0:
			return id
		case texts > mostTexts: // and the empty one
			return rest
		}
		return w.exec(`INSERT INTO note_text (code_id, text) VALUES (?, ?)`, code, text)
	}, "note", code, text)
	if id == rest {
		own = text
	}
	return id, own
}

// patternColumns returns what is known of a pattern, in the run's row or in one of its own.
func (w *writer) patternColumns(p pattern.Pattern) []column {
	period := whole(&p.PeriodS, 1e6)
	return []column{
		{"pattern", note.Clean(p.ID, maxName)},
		{"column_id", w.word(note.Clean(p.Column, maxName))},
		{"period_us", period},
		{"period_below_us", minus(period, whole(above0(p.PeriodLoS), 1e6))},
		{"period_above_us", minus(whole(above0(p.PeriodHiS), 1e6), period)},
		{"period_cv", whole(&p.PeriodCV, 1e4)},
		{"confidence", whole(&p.Confidence, 1e4)},
		{"coverage", whole(&p.Coverage, 1e4)},
		{"instances", p.Instances},
	}
}

// minus is a - b of what whole returns; NULL if one is.
func minus(a, b any) any {
	x, ok := a.(int64)
	if y, too := b.(int64); ok && too {
		return x - y
	}
	return nil
}

// node returns the id of a node of the run's cluster.
func (w *writer) node(s summary.Summary, name string) int64 {
	return w.id("node", "node_id", []string{"cluster_id", "name"}, w.cluster(s), note.Clean(name, maxName))
}

// nodes writes one row a node. A name that a node list holds twice is one node.
func (w *writer) nodes(runID int64, s summary.Summary) {
	for i, n := range s.Nodes {
		node := w.node(s, n.Name)
		var samples, missing, sealed any
		if n.Reported {
			samples, missing, sealed = n.Samples, n.Missing, n.Sealed
		}
		w.exec(`INSERT OR REPLACE INTO run_node (run_id, node_id, position, reported, busy_mcpu, period_us,
				coverage, samples, missing, sealed)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			runID, node, i, n.Reported, whole(n.BusyCPUs, 1e3), whole(n.PeriodS, 1e6), whole(n.Coverage, 1e4), samples, missing,
			sealed)
	}
}

// fieldSet returns the id of all that was recorded of a run, NULL for nothing.
func (w *writer) fieldSet(s summary.Summary) any {
	var ids []int64
	var build any
	for name, value := range cleanFields(s) {
		id := w.id("field", "field_id", []string{"name", "value"}, name, value)
		if ids = append(ids, id); name == run.FieldBuildID {
			build = id
		}
	}
	if len(ids) == 0 || w.err != nil {
		return nil
	}
	slices.Sort(ids)
	fields := strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ","), "[]")
	return w.once(func() int64 {
		set := w.id("field_set", "set_id", []string{"fields"}, fields)
		for _, id := range ids {
			w.exec(`INSERT OR IGNORE INTO set_field (set_id, field_id) VALUES (?, ?)`, set, id)
		}
		w.exec(`UPDATE field_set SET build_id = ? WHERE set_id = ?`, build, set)
		return set
	}, "set", fields)
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

// stored returns a number as it is read once whole has put it.
func stored(x *float64, parts float64) *float64 {
	n, ok := whole(x, parts).(int64)
	if !ok {
		return nil
	}
	y := float64(n) / parts
	return &y
}

// mostCounters is how many counters of a run are remembered: an agent reads some 40.
const mostCounters = 100

// counters writes the totals of what was counted.
func (w *writer) counters(runID int64, s summary.Summary) {
	for _, c := range s.Counters[:min(len(s.Counters), mostCounters)] {
		if math.IsNaN(c.Total) || math.IsInf(c.Total, 0) || c.Name == "" {
			continue
		}
		id := w.id("counter", "counter_id", []string{"name", "scope", "unit"}, note.Clean(c.Name, maxName),
			note.Clean(c.Scope, maxName), note.Clean(c.Unit, maxName))
		var share any
		if part := c.Part(); part < 1 {
			share = part
		}
		w.exec(`INSERT OR REPLACE INTO run_counter (run_id, counter_id, total, share) VALUES (?, ?, ?, ?)`, runID, id,
			c.Total, share)
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
