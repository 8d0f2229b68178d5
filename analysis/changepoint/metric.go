package changepoint

import (
	"fmt"
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

// stepWaitMetric is how long the tasks of one iteration wait for CPUs.
const stepWaitMetric = "step_wait_s"

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
	notes := r.waiting(c, e, shifts)
	if c.Phase = r.phase(shifts, e.index, lo, hi); c.Phase != "" {
		notes = append(notes, note.New(note.ChangedPhase, "%s the %s phase carries the change", r.since(e.index), c.Phase))
	}
	return notes
}

// waiting notes that the runs of a change wait and do not compute more. The CPU time of
// one cycle decides and removes what tells of code from the causes, else that of the run
// decides; where the waiting of a cycle for CPUs explains the change, it is contention.
func (r *ready) waiting(c *Change, e event, shifts map[string]shift) []note.Note {
	of, what := "CPU time of one cycle", "time"
	cpu, known := shifts[stepCPUMetric]
	if !known {
		of, what = "CPU time", "elapsed time"
		cpu, known = shifts[cpuMetric]
	}
	if !known || !waits(e.effect, cpu) {
		return nil
	}
	if _, ofCycle := shifts[stepCPUMetric]; ofCycle {
		c.Causes = slices.DeleteFunc(c.Causes, func(x Cause) bool { return isCode(x.Field) })
	}
	why := "the difference is waiting (for CPUs, files, the network), not work"
	if more := waitedMore(e.effect, shifts); more != 0 {
		c.Contention = true
		why = fmt.Sprintf("the tasks of a cycle wait %s %s for CPUs: contention, not a change of the program",
			quantity.Duration(math.Abs(more)), moreOrLess(more))
	}
	return []note.Note{note.New(note.Waiting, "%s %s changed by %s, %s by %s: %s", r.since(e.index), what,
		quantity.Signed(c.EffectPct), of, quantity.Signed(quantity.OfLogs(cpu.effect)), why)}
}

// waitedMore is by how many seconds the tasks of one cycle wait longer for CPUs after a
// change, if that explains half of it or more: tasks that compute all the time take longer
// by the share that their waiting is of their CPU time. Else it is 0.
func waitedMore(effect float64, shifts map[string]shift) float64 {
	wait, known := shifts[stepWaitMetric]
	cpu, ok := shifts[stepCPUMetric]
	if !known || !ok || wait.lo <= 0 && wait.hi >= 0 {
		return 0
	}
	more := math.Exp(wait.right) - math.Exp(wait.left)
	if share := more / math.Exp(cpu.left) / math.Expm1(effect); share < .5 {
		return 0
	}
	return more
}

func moreOrLess(v float64) string {
	if v < 0 {
		return "less"
	}
	return "more"
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
