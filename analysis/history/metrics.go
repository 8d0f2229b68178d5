package history

import (
	"jobgait/analysis/phase"
	"jobgait/analysis/summary"
)

// cpuSeconds returns the CPU time, in seconds, that a run used on all of its nodes; nil unless all nodes
// reported it.
func cpuSeconds(s summary.Summary) *float64 {
	busy := s.BusyCPUs()
	if busy == nil || s.ElapsedS <= 0 || !s.Complete() {
		return nil
	}
	cpu := *busy * s.RanS()
	return &cpu
}

// otherCPUSeconds returns cpuSeconds, or nil if the views can compute it from the busy CPUs and the elapsed
// time because all nodes reported.
func otherCPUSeconds(s summary.Summary) *float64 {
	if n := nnodes(s); n != nil && s.Reported() == *n && s.RanS() > 0 {
		return nil
	}
	return cpuSeconds(s)
}

// phaseSeconds returns the total time, in seconds, of the phases of one kind, nil for a run without patterns:
// the end of its start-up is unknown.
func phaseSeconds(s summary.Summary, kind phase.Stage) *float64 {
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

// energy returns the energy of the CPU packages of a run's nodes in joules, nil unless all nodes reported and
// the summary has the counter energy_pkg.
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
