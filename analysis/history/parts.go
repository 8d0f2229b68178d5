package history

import (
	"jobgait/analysis/note"
	"jobgait/analysis/phase"
	"jobgait/analysis/summary"
)

// cpuSeconds returns the CPU time that a run used on all of its nodes, nil
// unless all that reported could tell.
func cpuSeconds(s summary.Summary) *float64 {
	busy := busyCPUs(s)
	if busy == nil || s.ElapsedS <= 0 || !s.Complete() {
		return nil
	}
	cpu := *busy * s.RanS()
	return &cpu
}

// phaseSeconds returns how long the phases of one kind took together, nil for a
// run without patterns: nobody knows where its start-up ended.
func phaseSeconds(s summary.Summary, kind phase.Kind) *float64 {
	if len(s.Patterns) == 0 {
		return nil
	}
	sum := 0.0
	for _, t := range phase.Totals(s.Phases) {
		if t.Kind == kind {
			sum += t.S
		}
	}
	return &sum
}

// energy returns the joules of the packages of a run's nodes, nil where they
// were not counted or not on all nodes.
func energy(s summary.Summary) *float64 {
	if !s.Complete() {
		return nil
	}
	for _, c := range s.Counters {
		if c.Name == "energy_pkg" && c.Unit == "uJ" && c.Total > 0 {
			joules := c.Total / 1e6
			return &joules
		}
	}
	return nil
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
