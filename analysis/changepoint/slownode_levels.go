package changepoint

import (
	"fmt"
	"slices"
	"strings"

	"jobgait/analysis/note"
)

// levelRuns is how many of the newest runs tell which nodes belong to which of
// two levels.
const levelRuns = 120

// nameLevels adds to the note of two levels which nodes they go with.
func (pl *placement) nameLevels(notes []note.Note, x []float64, levels [2]float64) {
	at := slices.IndexFunc(notes, func(n note.Note) bool { return n.Code == note.TwoLevels })
	if at < 0 || len(pl.names) == 0 {
		return
	}
	slow, fast := pl.levelNodes(x, (levels[0]+levels[1])/2)
	switch {
	case len(slow) > 0 && len(fast) > 0:
		notes[at].Text += fmt.Sprintf("; the slower with %s, the faster with %s", list(slow), list(fast))
	case len(slow) > 0:
		notes[at].Text += fmt.Sprintf("; the slower with %s", list(slow))
	case len(fast) > 0:
		notes[at].Text += fmt.Sprintf("; the faster with %s", list(fast))
	}
}

// levelNodes are the nodes of whose newest runs nine in ten lie above mid, and
// below it: at least three runs of each, and not so of all runs.
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

// mostNamed is how many nodes a text names.
const mostNamed = 6

// list writes names as one, the rest as a number.
func list(names []string) string {
	if len(names) > mostNamed {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNamed], ", "), len(names)-mostNamed)
	}
	return strings.Join(names, ", ")
}
