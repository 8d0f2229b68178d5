package history

import (
	"encoding/json"
	"math"
	"strconv"

	"jobgait/analysis/finding"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// FindingsFunc returns the findings of a run, the most important first. The rules are in analysis/finding;
// reports/job computes from a summary the facts that they need.
type FindingsFunc func(summary.Summary) []finding.Finding

const (
	mostFindings = 32  // of a run: there are fewer rules that a run can meet at once
	mostEvidence = 400 // bytes of JSON
	mostListed   = 8   // elements of a list in the evidence
	figures      = 4   // significant digits of a number in the evidence
)

// findings writes the first mostFindings findings of a run; nothing if find is nil.
func (w *writer) findings(runID int64, s summary.Summary, find FindingsFunc) {
	if find == nil {
		return
	}
	found := find(s)
	for i, f := range found[:min(len(found), mostFindings)] {
		code := w.id("internal_finding_code", "code_id", []string{"code", "level"},
			note.Clean(f.Code, maxName), note.Clean(string(f.Level), maxName))
		w.exec(`INSERT INTO internal_run_finding (run_id, position, code_id, cost_ms, evidence) VALUES (?, ?, ?, ?, ?)`,
			runID, i, code, scaledInt(f.CostCoreS, 1e3), evidence(f.Evidence))
	}
}

// evidence returns evidence as JSON with rounded numbers and short lists; NULL for no evidence, or more than
// mostEvidence bytes.
func evidence(e map[string]any) any {
	short := make(map[string]any, len(e))
	for name, v := range e {
		switch v := v.(type) {
		case float64:
			short[name] = rounded(v)
		case []string:
			short[name] = v[:min(len(v), mostListed)]
		default:
			short[name] = v
		}
	}
	text, err := json.Marshal(short)
	if err != nil || len(e) == 0 || len(text) > mostEvidence {
		return nil
	}
	return string(text)
}

// rounded returns v rounded to figures significant digits; nil for NaN and infinities, which JSON lacks.
func rounded(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', figures, 64), 64)
	if err != nil {
		return nil
	}
	return r
}
