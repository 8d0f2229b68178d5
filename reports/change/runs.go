package change

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"jobgait/analysis/phase"
	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
)

// RunPair compares two runs field by field and phase by phase. Two runs give no confidence interval: only
// histories show which differences are due to chance.
type RunPair struct {
	A, B string // job ids
	// Numbers lists the quantities that at least one run measured.
	Numbers []Number
	// Recorded lists the recorded fields that differ: what was run, where, and with which inputs.
	Recorded []Recorded
	// Extra says in which phases the additional time of B was spent.
	Extra phase.Difference
	// Phases lists the times in s in start-up, steps, checkpoints and so on, of phases that at least one run has.
	Phases []Number
	// Functions lists the CPU time in s by function, on the node whose code was sampled, the largest difference first.
	Functions []Number
	// Ended says how the two runs ended; "" if well or unknown.
	Ended [2]string
}

// Number is one quantity of two runs; nil means unknown.
type Number struct {
	Name string   `json:"name"`
	Unit string   `json:"unit"`
	A    *float64 `json:"a"`
	B    *float64 `json:"b"`
	// RelativePct is by how many percent B is larger than A.
	RelativePct *float64 `json:"relative_pct"`
}

// Recorded is a recorded field in which two runs differ; nil means unknown.
type Recorded struct {
	Name string  `json:"name"`
	A    *string `json:"a"`
	B    *string `json:"b"`
}

// CompareRuns compares run b with run a: quantities, times by phase and by function, recorded fields that differ, and
// how the runs ended unless they ended well.
func CompareRuns(a, b summary.Summary) RunPair {
	t := RunPair{A: a.DisplayID(), B: b.DisplayID(), Numbers: numbers(a, b), Recorded: []Recorded{},
		Extra: phase.Decompose(phase.BreakdownOf(a.ElapsedS, a.Phases, a.Patterns),
			phase.BreakdownOf(b.ElapsedS, b.Phases, b.Patterns))}
	t.Phases, t.Functions = phases(a, b), functionTimes(a, b)
	for i, s := range []summary.Summary{a, b} {
		if s.Exit == nil && s.State != "COMPLETED" || s.Exit != nil && (s.Exit.Code != 0 || s.Exit.Signal != 0) {
			t.Ended[i] = ended(s)
		}
	}
	x, y := recorded(a), recorded(b)
	names := slices.Concat(slices.Collect(maps.Keys(x)), slices.Collect(maps.Keys(y)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if x[name] != y[name] {
			t.Recorded = append(t.Recorded, Recorded{name, textOrNull(x[name]), textOrNull(y[name])})
		}
	}
	return t
}

// numbers returns the quantities that at least one of the runs has.
func numbers(a, b summary.Summary) []Number {
	var out []Number
	x, y := quantities(a), quantities(b)
	for i := range x {
		if n := newNumber(x[i].name, x[i].unit, quantity.Finite(x[i].value), quantity.Finite(y[i].value)); n.A != nil ||
			n.B != nil {
			out = append(out, n)
		}
	}
	return out
}

// newNumber returns a quantity with its relative difference, which is nil unless both values are known and a is above
// 0.
func newNumber(name, unit string, a, b *float64) Number {
	n := Number{Name: name, Unit: unit, A: a, B: b}
	if a != nil && b != nil && *a > 0 {
		n.RelativePct = quantity.Finite(100 * (*b / *a - 1))
	}
	return n
}

// elapsed is the name of the quantity that all runs have: the elapsed time.
const elapsed = "elapsed"

// measured is one quantity of one run; NaN means unknown.
type measured struct {
	name, unit string
	value      float64
}

// quantities returns the quantities of one run in a fixed order; NaN means unknown.
func quantities(s summary.Summary) []measured {
	unknown := math.NaN()
	of := func(v *float64) float64 {
		if v == nil {
			return unknown
		}
		return *v
	}
	period, iterations, busy := unknown, unknown, 0.0
	if p, ok := s.Period(); ok {
		period, iterations = p, float64(s.Patterns[0].Instances)
	}
	for _, n := range s.Nodes {
		busy += of(n.BusyCPUs)
	}
	if len(s.Nodes) == 0 {
		busy = unknown
	}
	return []measured{
		{elapsed, "s", cmp.Or(s.ElapsedS, unknown)}, {"step", "s", of(s.StepS)}, {"period", "s", period},
		{"cycles", "", iterations}, {"busy CPUs", "", busy}, {"imbalance", "%", of(s.ImbalancePct)},
	}
}

// recorded returns the fields of a run that may explain a difference, by their names: those of the job, how it ended,
// and the recorded ones. Unknown fields are left out.
func recorded(s summary.Summary) map[string]string {
	j := s.Job
	count := func(n *int) string {
		if n == nil {
			return ""
		}
		return fmt.Sprint(*n)
	}
	f := map[string]string{"executable": j.Executable, "partition": j.Partition, "nodes": j.NodeList, "size": j.Size,
		"tasks": count(j.NTasks), "CPUs": count(j.NCPUs), "user": j.User, "application": j.App, "ended": ended(s)}
	if j.NNodes > 0 {
		f["number of nodes"] = fmt.Sprint(j.NNodes)
	}
	maps.Copy(f, j.Fields)
	maps.DeleteFunc(f, func(_, v string) bool { return v == "" })
	return f
}

// ended says how a run ended, also if it did not fail: its signal, else its exit code, else the scheduler's
// state.
func ended(s summary.Summary) string {
	switch e := s.Exit; {
	case e != nil && e.Signal != 0:
		return fmt.Sprintf("by signal %d", e.Signal)
	case e != nil:
		return fmt.Sprintf("with exit code %d", e.Code)
	}
	return s.State
}
