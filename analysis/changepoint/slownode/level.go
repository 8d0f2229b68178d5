package slownode

import (
	"fmt"
	"slices"
)

// levelRuns is the number of newest runs by which nodes are assigned to one of two levels.
const levelRuns = 120

// OfLevels returns a text, continuing a sentence, about the nodes that belong to the slower and to the faster
// of two levels; "" if none exists.
func (w *Watch) OfLevels(x []float64, low, high float64) string {
	slow, fast := w.pl.levelNodes(x, (low+high)/2)
	switch {
	case len(slow) > 0 && len(fast) > 0:
		return fmt.Sprintf("; the slower with %s, the faster with %s", joinNames(slow), joinNames(fast))
	case len(slow) > 0:
		return fmt.Sprintf("; the slower with %s", joinNames(slow))
	case len(fast) > 0:
		return fmt.Sprintf("; the faster with %s", joinNames(fast))
	}
	return ""
}

// levelNodes returns the nodes of whose newest runs at least nine in ten lie above mid, and those below it, if
// they have at least three runs and not nearly all runs lie so. fast is nil if it would have more than
// mostNamed nodes.
func (pl *placement) levelNodes(x []float64, mid float64) (slow, fast []string) {
	above, all := make([]float64, len(pl.names)), make([]float64, len(pl.names))
	up, runs := 0.0, 0.0
	for k := max(0, len(x)-levelRuns); k < len(x); k++ {
		high := 0.0
		if x[k] > mid {
			high = 1
		}
		up, runs = up+high, runs+1
		for _, n := range pl.runs[k] {
			above[n], all[n] = above[n]+high, all[n]+1
		}
	}
	for n, name := range pl.names {
		switch share := above[n] / all[n]; {
		case all[n] < 3:
		case share >= .9 && up < .8*runs:
			slow = append(slow, name)
		case share <= .1 && up > .1*runs:
			fast = append(fast, name)
		}
	}
	slices.Sort(slow)
	slices.Sort(fast)
	if len(fast) > mostNamed {
		fast = nil // all but the slow ones
	}
	return slow, fast
}
