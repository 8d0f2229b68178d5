package changepoint

import (
	"maps"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"

	"gonum.org/v1/gonum/stat/distuv"
)

// metricRuns is how many runs on either side tell how another metric differs
// across a change: those near it, so that later drifts do not count.
const metricRuns = 30

// cpuMetric is the metric that a competitor on the node hardly touches.
const cpuMetric = "cpu_s"

// stepCPUMetric is the CPU time of one iteration: what the code costs.
const stepCPUMetric = "step_cpu_s"

// stepMetric is the time of one iteration: the loop takes what the other
// phases leave of a run.
const stepMetric = "step_s"

// beside bounds the runs at the levels on both sides of event q: lo to its
// index, and from there to hi.
func beside(events []event, q, n int) (lo, hi int) {
	index := events[q].index
	lo, hi = max(0, index-metricRuns), min(n, index+metricRuns)
	if q > 0 {
		lo = max(lo, events[q-1].index)
	}
	if q+1 < len(events) {
		hi = min(hi, events[q+1].index)
	}
	return lo, hi
}

// metrics adds to a change how the other metrics of the same runs differ across
// it, and names the phase that carries it.
func (r *ready) metrics(c *Change, e event, lo, hi int) []note.Note {
	shifts := make(map[string]shift)
	for _, name := range slices.Sorted(maps.Keys(r.Also)) {
		s, ok := r.metricShift(column(r, r.Also[name]), e.index, lo, hi)
		if !ok {
			continue
		}
		l, h := quantity.OfLogs(s.lo), quantity.OfLogs(s.hi)
		c.Metrics = append(c.Metrics, MetricShift{name, quantity.OfLogs(s.effect), &l, &h})
		shifts[name] = s
	}
	var notes []note.Note
	if s, ok := shifts[cpuMetric]; ok && shifts[stepCPUMetric] == (shift{}) && waits(e.effect, s) {
		notes = append(notes, note.New(note.Waiting,
			"%s elapsed time changed by %s, CPU time by %s: the difference is waiting (a competitor, files, the network), "+
				"not work",
			r.since(e.index), quantity.Signed(c.EffectPct), quantity.Signed(quantity.OfLogs(s.effect))))
	}
	if s, ok := shifts[stepCPUMetric]; ok && waits(e.effect, s) {
		notes = append(notes, note.New(note.Waiting,
			"%s time changed by %s, CPU time of one cycle by %s: the difference is waiting (for CPUs, files, the network), "+
				"not the code",
			r.since(e.index), quantity.Signed(c.EffectPct), quantity.Signed(quantity.OfLogs(s.effect))))
		c.Causes = slices.DeleteFunc(c.Causes, func(x Cause) bool { return isCode(x.Field) })
	}
	if c.Phase = r.phase(shifts, e.index, lo, hi); c.Phase != "" {
		notes = append(notes, note.New(note.ChangedPhase, "%s the %s phase carries the change", r.since(e.index), c.Phase))
	}
	return notes
}

// isCode says whether a field tells which code ran.
func isCode(field string) bool {
	switch field {
	case "binary", "executable", "exe", "build_id", "commit", "git_commit", "compiler", "function":
		return true
	}
	return strings.HasPrefix(field, "build_id.") || strings.HasPrefix(field, "library.")
}

// waits says whether CPU time surely took less than half of a shift.
func waits(effect float64, cpu shift) bool {
	return math.Max(math.Abs(cpu.lo), math.Abs(cpu.hi)) < math.Abs(effect)/2
}

// shift is a difference of two levels with its interval at .95, in logarithms,
// and the two levels themselves.
type shift struct {
	effect, lo, hi float64
	left, right    float64
}

// metricShift compares the runs lo to index with those from index to hi. What
// the machine did is taken out as it was of the series itself. It is not ok
// where a side has fewer than three values.
func (r *ready) metricShift(values []float64, index, lo, hi int) (shift, bool) {
	var side [2][]float64
	for k := lo; k < hi && k < len(values); k++ {
		v := values[k]
		if !(v > 0) || math.IsInf(v, 0) {
			continue
		}
		x := math.Log(v)
		if r.machine != nil {
			x -= r.machine.Shift()[k]
		}
		if k < index {
			side[0] = append(side[0], x)
		} else {
			side[1] = append(side[1], x)
		}
	}
	if len(side[0]) < 3 || len(side[1]) < 3 {
		return shift{}, false
	}
	noise := robust.Spikes{Share: .06, Range: 1}
	a, b := noise.Mean(side[0]), noise.Mean(side[1])
	va, vb := a.SE*a.SE, b.SE*b.SE
	df := (va + vb) * (va + vb) / (va*va/a.DF + vb*vb/b.DF)
	h := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: math.Max(df, 1)}.Quantile(.975) * math.Sqrt(va+vb)
	d := b.Mean - a.Mean
	return shift{d, d - h, d + h, a.Mean, b.Mean}, true
}

// phase is the one that makes up most of a change of elapsed time: at least
// half of it, and surely there. Phases are metrics "NAME_s"; the loop takes what
// the others leave, and changes as the time of one iteration does.
func (r *ready) phase(shifts map[string]shift, index, lo, hi int) string {
	elapsed, ok := r.metricShift(column(r, r.Y), index, lo, hi)
	if !ok || len(shifts) == 0 {
		return ""
	}
	total := math.Exp(elapsed.right) - math.Exp(elapsed.left)
	loop := math.Exp(elapsed.left)
	best, most := "", .5
	sure := func(s shift) bool { return s.lo > 0 || s.hi < 0 }
	for _, name := range slices.Sorted(maps.Keys(shifts)) {
		s := shifts[name]
		if !isPhase(name) || name == stepMetric {
			continue
		}
		loop -= math.Exp(s.left)
		if share := (math.Exp(s.right) - math.Exp(s.left)) / total; sure(s) && share > most {
			best, most = strings.TrimSuffix(name, "_s"), share
		}
	}
	s, known := shifts[stepMetric]
	if share := loop * math.Expm1(s.effect) / total; known && sure(s) && share > most {
		best = strings.TrimSuffix(stepMetric, "_s")
	}
	return best
}

// isPhase says whether a metric is the time of a part of a run.
func isPhase(name string) bool {
	switch name {
	case "startup_s", "loop_s", stepMetric, "checkpoint_s", "tail_s":
		return true
	}
	return false
}
