package periodicity

import (
	"math"
	"strings"

	"jobgait/analysis/series"
)

// source is the input of one search: one column, or all columns of a group as one vector-valued series.
type source struct {
	name  string
	scope series.Scope
	cols  []series.Column
	// minLagS excludes shorter periods. The kernel advances the values of
	// /proc once per tick (4 ms); read every 5 ms they beat at 20 ms and its
	// multiples, more strongly than most loops.
	minLagS float64
	// minConfidence and minInstances are required in addition to the general ones.
	minConfidence float64
	minInstances  int
	// over spreads the columns, which are on slots, over bins; nil if they are not spread.
	over *spreading
	// voluntaryIdle means that the job idled by itself (Params.voluntaryIdle), so that its use of CPUs is its work.
	voluntaryIdle bool
}

// len returns the number of samples, or bins, of the source.
func (s source) len() int {
	if s.over != nil {
		return s.over.bins
	}
	return len(s.cols[0].Values)
}

// read returns samples a to b of column j; it may use the memory of buf.
func (s source) read(buf []float32, j, a, b int) []float32 {
	if s.over != nil {
		return s.over.values(buf, s.cols[j], a, b)
	}
	return s.cols[j].Values[a:b]
}

// procMinLagS keeps clear of the beat of ticks and samples.
const procMinLagS = 0.5

// busyMinLagS is the least period of the CPUs in use: where processes compete, the scheduler changes them at
// ticks (seen: 16.7 to 20 ms).
const busyMinLagS = 0.1

// What takes the CPU from a job now and then, at intervals of its own, makes a
// weak period of the CPUs in use: one of 8 runs of a busy bash loop had 510 ms
// with confidence .58, one of 7 of dd 1014 ms with .32, seen four times.
const (
	busyMinConfidence = 0.7
	busyMinInstances  = 12
)

// sources returns the sources of a scope to search, groups first, in the order of the columns: each group of columns,
// each family of numbered columns (see numberedStems), and each other column. Columns of /proc and of busy CPUs get
// their least period and confidence.
func sources(set series.Set, scope series.Scope, par Params) []source {
	var groups, singles []source
	at := map[string]int{}
	families := numberedStems(set, scope)
	for _, c := range set.Columns {
		if c.Scope != scope {
			continue
		}
		group := c.Group
		if f := stem(c.Name); group == "" && families[f] {
			group = f
			c.Unit = countUnit
		}
		if group == "" {
			s := source{name: c.Name, scope: scope, cols: []series.Column{c},
				voluntaryIdle: IsUsage(c) && par.voluntaryIdle && scope == series.JobScope}
			switch {
			case strings.HasPrefix(c.Name, "proc_"):
				s.minLagS = procMinLagS
			case c.Unit == "CPUs" && !s.voluntaryIdle:
				s.minLagS = busyMinLagS
				s.minConfidence, s.minInstances = busyMinConfidence, busyMinInstances
			}
			singles = append(singles, s)
			continue
		}
		i, ok := at[group]
		if !ok {
			i = len(groups)
			at[group] = i
			groups = append(groups, source{name: group, scope: scope})
		}
		groups[i].cols = append(groups[i].cols, c)
	}
	return append(groups, singles...)
}

// numberedStems returns the stems shared by at least three columns of a scope without group and unit whose names differ
// only by a number at the end, if all of these hold counts: parts of one whole, such as samples in page0, page1, ...
func numberedStems(set series.Set, scope series.Scope) map[string]bool {
	members := map[string]int{}
	for _, c := range set.Columns {
		if f := stem(c.Name); c.Scope == scope && c.Group == "" && c.Unit == "" && f != c.Name {
			if !areCounts(c.Values) {
				members[f] = math.MinInt32
			}
			members[f]++
		}
	}
	families := map[string]bool{}
	for f, n := range members {
		families[f] = n >= 3
	}
	return families
}

// stem returns a name without the number at its end.
func stem(name string) string { return strings.TrimRight(name, "0123456789") }

// areCounts reports whether, among sampled values, none is negative and nine of ten are whole numbers: two
// counts of one slot may have been averaged. It returns true if no value is usable.
func areCounts(v series.Values) bool {
	seen, whole := 0, 0
	for i := range sampleIndexes(len(v)) {
		x := float64(v[i])
		if isUnusable(x) {
			continue
		}
		if x < 0 {
			return false
		}
		if seen++; x == math.Trunc(x) {
			whole++
		}
	}
	return 10*whole >= 9*seen
}

// usageShare is the factor applied to the confidence of a period that only CPU usage shows: something else that
// took the CPU every 508 ms gave .88 to .93 in three unrelated programs. It stays below Confident, whatever its
// other parts are.
const usageShare = 0.75

// showsUsageOnly reports whether a source only shows how much CPU the job got. That may have the rhythm of the
// programs that got the rest.
func (s source) showsUsageOnly() bool {
	return len(s.cols) == 1 && IsUsage(s.cols[0]) && !s.voluntaryIdle
}

// IsUsage reports whether a column only shows how much CPU the job got.
func IsUsage(c series.Column) bool {
	switch c.Name {
	case "busy_cpus", "task_clock", "proc_cpu", "cgroup_cpu", "cpu_time", "context_switches", "cpu_migrations":
		return true
	}
	return c.Unit == "CPUs"
}
