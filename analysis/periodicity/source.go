package periodicity

import (
	"strings"

	"jobgait/analysis/series"
)

// source is what a period is sought in: one column, or all columns of a group
// as one vector-valued series.
type source struct {
	name  string
	scope series.Scope
	cols  []series.Column
	// minLagS excludes shorter periods. The kernel advances the values of
	// /proc once per tick (4 ms); read every 5 ms they beat at 20 ms and its
	// multiples, more strongly than most loops.
	minLagS float64
	// minConfidence and minInstances are asked for beside the general ones.
	minConfidence float64
	minInstances  int
}

// procMinLagS keeps clear of the beat of ticks and samples.
const procMinLagS = 0.5

// busyMinLagS does the same for the CPUs in use: where processes compete, the
// scheduler changes them at ticks (seen: 16.7 to 20 ms).
const busyMinLagS = 0.1

// What takes the CPU from a job now and then, at intervals of its own, makes a
// weak period of the CPUs in use: one of 8 runs of a busy bash loop had 510 ms
// with confidence .58, one of 7 of dd 1014 ms with .32, seen four times.
const (
	busyMinConfidence = 0.7
	busyMinInstances  = 12
)

// sources lists what to try, groups first, in the order of the columns.
func sources(set series.Set, scope series.Scope) []source {
	var groups, singles []source
	at := map[string]int{}
	for _, c := range set.Columns {
		if c.Scope != scope {
			continue
		}
		if c.Group == "" {
			s := source{name: c.Name, scope: scope, cols: []series.Column{c}}
			switch {
			case strings.HasPrefix(c.Name, "proc_"):
				s.minLagS = procMinLagS
			case c.Unit == "CPUs":
				s.minLagS = busyMinLagS
				s.minConfidence, s.minInstances = busyMinConfidence, busyMinInstances
			}
			singles = append(singles, s)
			continue
		}
		i, ok := at[c.Group]
		if !ok {
			i = len(groups)
			at[c.Group] = i
			groups = append(groups, source{name: c.Group, scope: scope})
		}
		groups[i].cols = append(groups[i].cols, c)
	}
	return append(groups, singles...)
}
