package main

import (
	"jobgait/analysis/phase"
	"jobgait/analysis/tracker"
)

// interruptions are the pauses of the job's loop as it is followed: a phase table of loops with gaps between them.
type interruptions struct{ table []phase.Phase }

const (
	// leastPause is how long a gap between two cycles is, in periods, that is more than a late boundary.
	leastPause = 0.5
	// mostInterruptions bounds the table, in phases: the newest are kept.
	mostInterruptions = 128
)

// add appends a cycle that ended to the table of loop phases and gaps. If the cycle is longer than periodS,
// only its last periodS seconds count as loop and the rest as a gap before it. Gaps of at most leastPause
// periods are ignored, and the oldest rows are dropped beyond mostInterruptions.
func (i *interruptions) add(c tracker.Cycle, periodS float64) {
	startS := max(c.EndS-c.LengthS, c.EndS-periodS)
	n := len(i.table)
	if n == 0 {
		i.table = []phase.Phase{{Kind: phase.Loop, StartS: startS, EndS: c.EndS}}
		return
	}
	if last := &i.table[n-1]; startS-last.EndS <= leastPause*periodS {
		last.EndS = c.EndS
		return
	}
	i.table = append(i.table, phase.Phase{Kind: phase.Gap, StartS: i.table[n-1].EndS, EndS: startS},
		phase.Phase{Kind: phase.Loop, StartS: startS, EndS: c.EndS})
	if more := len(i.table) - mostInterruptions; more > 0 {
		i.table = append([]phase.Phase{}, i.table[more+more%2:]...) // a table begins with a loop
	}
}

// checkpointS returns the length of the longest break at regular distances in seconds, 0 where none is known.
func (i *interruptions) checkpointS() float64 { return phase.LongestCheckpoint(i.table) }
