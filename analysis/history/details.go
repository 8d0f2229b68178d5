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

// deleteDetails deletes what details wrote of a run before.
func (w *writer) deleteDetails(runID int64) {
	for _, table := range []string{"internal_run_node", "internal_run_pattern", "internal_run_note",
		"internal_run_summary", "internal_run_counter", "internal_run_code",
		"internal_run_gpu", "internal_run_finding"} {
		w.exec("DELETE FROM "+table+" WHERE run_id = ?", runID)
	}
}

// details writes the rows of a run in other tables: nodes, counters, code, GPUs, patterns and notes, and the
// summary itself.
func (w *writer) details(runID int64, s summary.Summary, body []byte) {
	w.nodes(runID, s)
	w.counters(runID, s)
	w.code(runID, s)
	w.gpus(runID, s)
	for i := 1; i < len(s.Patterns); i++ {
		w.insert("internal_run_pattern",
			append([]column{{"run_id", runID}, {"position", i}}, w.patternColumns(s.Patterns[i])...))
	}
	for i, n := range s.Notes {
		id, own := w.noteText(n)
		w.exec(`INSERT INTO internal_run_note (run_id, position, text_id, text, node_name) VALUES (?, ?, ?, ?, ?)`, runID, i,
			id, own,
			text(n.Node, maxName))
	}
	w.exec(`INSERT INTO internal_run_summary (run_id, schema, body) VALUES (?, ?, ?)`, runID, s.Schema, body)
}

// mostTexts is the most texts of notes with one code that are stored once and referred to by number. 9,500
// notes of 2,000 runs had 16 codes and 75 texts: a run took 475 bytes when each note stored its text.
const mostTexts = 64

// noteText returns the id of a note's text in note_text, and inserts it there if it is new. Once a code has
// more than mostTexts texts, a new text is not inserted: then id is that of the code's empty text, and own is
// the text itself. Otherwise own is nil.
func (w *writer) noteText(n note.Note) (id int64, own any) {
	code, text := w.word(note.Clean(string(n.Code), maxName)), note.Clean(n.Text, maxText)
	columns := []string{"code_id", "text"}
	rest := w.id("internal_note_text", "text_id", columns, code, "")
	id = w.once(func() (id int64) {
		var texts int
		w.err = w.tx.QueryRowContext(w.ctx,
			`SELECT coalesce(max(CASE WHEN text = ? THEN text_id END), 0), count(*) FROM internal_note_text WHERE code_id = ?`,
			text, code).Scan(&id, &texts)
		switch {
		case id > 0:
			return id
		case texts > mostTexts: // and the empty one
			return rest
		}
		return w.exec(`INSERT INTO internal_note_text (code_id, text) VALUES (?, ?)`, code, text)
	}, "note", code, text)
	if id == rest {
		own = text
	}
	return id, own
}

// patternColumns returns the columns of a pattern, for the run's row or one of its own.
func (w *writer) patternColumns(p pattern.Pattern) []column {
	period := scaledInt(&p.PeriodS, 1e6)
	return []column{
		{"pattern", note.Clean(p.ID, maxName)},
		{"column_id", w.word(note.Clean(p.Column, maxName))},
		{"period_us", period},
		{"period_below_us", minus(period, scaledInt(positiveOrNil(p.PeriodLoS), 1e6))},
		{"period_above_us", minus(scaledInt(positiveOrNil(p.PeriodHiS), 1e6), period)},
		{"period_cv", scaledInt(&p.PeriodCV, 1e4)},
		{"confidence", scaledInt(&p.Confidence, 1e4)},
		{"coverage", scaledInt(&p.Coverage, 1e4)},
		{"instances", p.Instances},
	}
}

// minus returns a - b for results of scaledInt; NULL if one is.
func minus(a, b any) any {
	x, ok := a.(int64)
	if y, too := b.(int64); ok && too {
		return x - y
	}
	return nil
}

// node returns the id of a node of the run's cluster.
func (w *writer) node(s summary.Summary, name string) int64 {
	return w.id("internal_node", "node_id", []string{"cluster_id", "name"}, w.cluster(s), note.Clean(name, maxName))
}

// nodes writes one row for each node of a run. A name that occurs twice is one node.
func (w *writer) nodes(runID int64, s summary.Summary) {
	for i, n := range s.Nodes {
		node := w.node(s, n.Name)
		var samples, missing, sealed any
		if n.Reported {
			samples, missing, sealed = n.Samples, n.Missing, n.Sealed
		}
		w.exec(`INSERT OR REPLACE INTO internal_run_node (run_id, node_id, position, reported, busy_mcpu, period_us,
				coverage, samples, missing, sealed)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			runID, node, i, n.Reported, scaledInt(n.BusyCPUs, 1e3), scaledInt(n.PeriodS, 1e6), scaledInt(n.Coverage, 1e4),
			samples, missing,
			sealed)
	}
}

// storeFields stores the fields recorded of a run, and the set of them, if they are not stored yet, and returns the
// id of the set. It returns NULL if no field was recorded of the run, or on an error, which is kept in w.err.
func (w *writer) storeFields(s summary.Summary) any {
	var ids []int64
	var build any
	for name, value := range cleanFields(s) {
		id := w.id("internal_field", "field_id", []string{"name", "value"}, name, value)
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
		set := w.id("internal_field_set", "set_id", []string{"fields"}, fields)
		for _, id := range ids {
			w.exec(`INSERT OR IGNORE INTO internal_set_field (set_id, field_id) VALUES (?, ?)`, set, id)
		}
		w.exec(`UPDATE internal_field_set SET build_id = ? WHERE set_id = ?`, build, set)
		return set
	}, "set", fields)
}

// positiveOrNil returns nil unless x is positive: other values mean that it was not measured.
func positiveOrNil(x float64) *float64 {
	if x > 0 {
		return &x
	}
	return nil
}

// scaledInt returns x times parts, rounded to an integer; NULL for nil, NaN, and results beyond 2^53.
func scaledInt(x *float64, parts float64) any {
	if x == nil || math.IsNaN(*x) || math.Abs(*x*parts) > 1<<53 {
		return nil
	}
	return int64(math.Round(*x * parts))
}

// stored returns x as it is read back after scaledInt stored it; nil if that stores NULL.
func stored(x *float64, parts float64) *float64 {
	n, ok := scaledInt(x, parts).(int64)
	if !ok {
		return nil
	}
	y := float64(n) / parts
	return &y
}

// mostCounters is the most counters of a run that are stored: an agent reads about 40.
const mostCounters = 100

// counters writes the totals of the first mostCounters counters of a run, without unnamed ones and totals
// that are not finite.
func (w *writer) counters(runID int64, s summary.Summary) {
	for _, c := range s.Counters[:min(len(s.Counters), mostCounters)] {
		if math.IsNaN(c.Total) || math.IsInf(c.Total, 0) || c.Name == "" {
			continue
		}
		id := w.id("internal_counter", "counter_id", []string{"name", "scope", "unit"}, note.Clean(c.Name, maxName),
			note.Clean(c.Scope, maxName), note.Clean(c.Unit, maxName))
		var share any
		if part := c.Part(); part < 1 {
			share = part
		}
		w.exec(`INSERT OR REPLACE INTO internal_run_counter (run_id, counter_id, total, share) VALUES (?, ?, ?, ?)`,
			runID, id,
			c.Total, share)
	}
}

// cleanFields returns the recorded fields of a run as they are stored, without those whose name or value is empty; nil
// if none is left.
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
