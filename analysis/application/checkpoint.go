package application

import (
	"jobgait/analysis/phase"
	"jobgait/analysis/summary"
)

// LongestCheckpoint returns the length of a run's longest checkpoint in seconds, 0 where none was found.
func LongestCheckpoint(s summary.Summary) float64 {
	longest := 0.0
	for _, p := range s.Phases {
		if p.Kind == phase.Checkpoint {
			longest = max(longest, p.EndS-p.StartS)
		}
	}
	return longest
}
