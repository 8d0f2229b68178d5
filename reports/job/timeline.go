package job

import (
	"cmp"
	"slices"
	"strings"

	"jobgait/analysis/phase"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
)

// Timeline is the run decimated for drawing.
type Timeline struct {
	StartS  float64 `json:"start_s"`
	StepS   float64 `json:"step_s"`
	Columns []Curve `json:"columns"`
}

// Curve is one series of the timeline.
type Curve struct {
	Name  string        `json:"name"`
	Label string        `json:"label"`
	Unit  string        `json:"unit"`
	Scope Word          `json:"scope"`
	Min   series.Values `json:"min"`
	Mean  series.Values `json:"mean"`
	Max   series.Values `json:"max"`
	short string
}

// newTimeline returns the timeline with labels and readable units.
func newTimeline(of summary.Timeline, quality run.Quality, names labels) Timeline {
	t := Timeline{StartS: of.StartS, StepS: of.StepS, Columns: []Curve{}}
	for _, c := range of.Columns {
		by, unit := inReadable(c.Name, c.Unit, quality)
		t.Columns = append(t.Columns, Curve{c.Name, names.long(c.Name), unit, Word(c.Scope),
			scaled(c.Min, by), scaled(c.Mean, by), scaled(c.Max, by), names.short(c.Name)})
	}
	return t
}

// end returns when the last bin ends in s, but at most the run's end.
func (t Timeline) end(elapsed float64) float64 {
	n := 0
	for _, c := range t.Columns {
		n = max(n, len(c.Mean))
	}
	end := t.StartS + float64(n)*t.StepS
	if elapsed > t.StartS && elapsed < end {
		return elapsed
	}
	return end
}

// drawn returns at most n columns worth drawing: what carries the main pattern first, then the CPUs in use,
// IPC, memory and files, then the others in their order. Up to foldedColumns that few readers need come
// behind them. Columns without values and rates of files that never reach leastFileRate are left out.
func (r Rhythm) drawn(n int) []Curve {
	rank := func(c Curve) int {
		switch {
		case r.Periodic && c.Name == r.Patterns[0].Shape.Column:
			return 0
		case c.Name == busyColumn:
			return 1
		case c.Name == "ipc":
			return 2
		case isMemory(c.Name):
			return 3
		case isFiles(c.Name):
			return 4
		case c.isFolded():
			return 6
		}
		return 5
	}
	out := slices.DeleteFunc(slices.Clone(r.Timeline.Columns), func(c Curve) bool {
		return len(c.Mean) == 0 || isFiles(c.Name) && !c.reaches(leastFileRate)
	})
	slices.SortStableFunc(out, func(a, b Curve) int { return cmp.Compare(rank(a), rank(b)) })
	folded := slices.IndexFunc(out, func(c Curve) bool { return c.isFolded() && rank(c) > 0 })
	if folded < 0 {
		return out[:min(len(out), n)]
	}
	shown, more := out[:folded], out[folded:]
	return slices.Concat(shown[:min(len(shown), n)], more[:min(len(more), foldedColumns)])
}

// foldedColumns is how many columns are drawn that few readers need.
const foldedColumns = 2

// leastFileRate is the rate of reading or writing, in bytes per second, below which it is not drawn.
const leastFileRate = 1e5

// isFolded is whether few readers need a column: it is drawn behind a fold.
func (c Curve) isFolded() bool {
	return slices.Contains([]string{"page_faults", "context_switches", "cpu_migrations"}, c.Name)
}

// reaches is whether the mean of some bin is as large as threshold.
func (c Curve) reaches(threshold float64) bool {
	return slices.ContainsFunc(c.Mean, func(v float32) bool { return float64(v) >= threshold })
}

func isMemory(name string) bool {
	return slices.Contains([]string{"cgroup_mem", "cgroup_anon", "mem_used", "proc_mem"}, name)
}

func isFiles(name string) bool {
	return strings.HasSuffix(name, "_read_bytes") || strings.HasSuffix(name, "_write_bytes")
}

// bins returns the averaging of the timeline over whole cycles, which avoids beats between bins and loops.
func (r Rhythm) bins() phase.Bins {
	b := phase.Bins{StartS: r.Timeline.StartS, StepS: r.Timeline.StepS, Periods: map[string]float64{}}
	for _, p := range r.Phases {
		b.Phases = append(b.Phases, phase.Phase{Kind: p.Kind, Pattern: string(p.Pattern), StartS: p.StartS, EndS: p.EndS})
	}
	for _, q := range r.Patterns {
		b.Periods[q.ID] = q.Period.value()
	}
	return b
}
