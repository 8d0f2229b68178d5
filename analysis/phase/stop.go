package phase

import "jobgait/analysis/pattern"

// Stop is the phase in which a run ended.
type Stop struct {
	Kind    Stage  `json:"kind"`
	Pattern string `json:"pattern,omitempty"`
	// Iterations is the number of whole iterations of the pattern before the
	// end, Into the part of one more, 0 to 1; both for Loop only.
	Iterations int     `json:"iterations,omitempty"`
	Into       float64 `json:"into,omitempty"`
	// SinceS is how long the phase had lasted.
	SinceS float64 `json:"since_s"`
}

// PhaseAtEnd returns the phase in which a run ended at endS seconds: the last one of the table that began before. A
// tail shorter than 1.5 periods of the loop before it is an unfinished iteration, so that the loop is returned.
// Iterations counts those of the pattern in the whole run. ok is false without phases.
func PhaseAtEnd(table []Phase, patterns []pattern.Pattern, endS float64) (stop Stop, ok bool) {
	if len(table) == 0 {
		return Stop{}, false
	}
	last := len(table) - 1
	for last > 0 && table[last].StartS >= endS {
		last--
	}
	p := table[last]
	if p.Kind == Tail && last > 0 && table[last-1].Kind == Loop {
		if q, ok := patternByID(patterns, table[last-1].Pattern); ok && endS-p.StartS < maxBridge*q.PeriodS {
			p = table[last-1]
		}
	}
	stop = Stop{Kind: p.Kind, Pattern: p.Pattern, SinceS: max(0, endS-p.StartS)}
	if q, ok := patternByID(patterns, p.Pattern); ok && p.Kind == Loop && q.PeriodS > 0 {
		end := p.StartS
		for _, r := range q.Regions {
			if r.StartS < endS {
				stop.Iterations += r.Count
				end = max(end, r.EndS)
			}
		}
		stop.Into = min(1, max(0, endS-end)/q.PeriodS)
	}
	return stop, true
}

// patternByID returns the pattern with an id; false if none exists.
func patternByID(patterns []pattern.Pattern, id string) (pattern.Pattern, bool) {
	for _, q := range patterns {
		if q.ID == id && id != "" {
			return q, true
		}
	}
	return pattern.Pattern{}, false
}
