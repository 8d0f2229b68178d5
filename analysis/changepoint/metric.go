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

// metricRuns is the most runs on either side from which the shift of another metric across a change is
// estimated: those near it, so that later drifts do not count.
const metricRuns = 30

// cpuMetric is the CPU time of a run, which other jobs on the node hardly affect.
const cpuMetric = "cpu_s"

// stepCPUMetric is the CPU time of one iteration: the cost of the code.
const stepCPUMetric = "step_cpu_s"

// stepWaitMetric is how long the tasks of one iteration wait for CPUs.
const stepWaitMetric = "step_wait_s"

// stepMetric is the time of one iteration: the loop takes what the other
// phases leave of a run.
const stepMetric = "step_s"

// neighbourBounds returns the bounds of the runs on both sides of event q, of n runs: [lo, index) and [index, hi), at
// most metricRuns each and not beyond the neighbouring events.
func neighbourBounds(events []event, q, n int) (lo, hi int) {
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

// addMetricShifts adds to a change the shifts of the other metrics of the same runs, sets the phase that
// carries it, and returns notes. Through noteWaiting it may set Contention and remove causes that identify
// code.
func (r *preparedSeries) addMetricShifts(c *Change, e event, lo, hi int) []note.Note {
	shifts := make(map[string]levelShift)
	for _, name := range slices.Sorted(maps.Keys(r.Also)) {
		s, ok := r.metricShift(column(r, r.Also[name]), e.index, lo, hi)
		if !ok {
			continue
		}
		l, h := quantity.PercentOfLogs(s.lo), quantity.PercentOfLogs(s.hi)
		c.Metrics = append(c.Metrics, MetricShift{name, quantity.PercentOfLogs(s.effect), &l, &h})
		shifts[name] = s
	}
	notes := r.noteWaiting(c, e, shifts)
	if c.Phase = r.changedPhase(shifts, e.index, lo, hi); c.Phase != "" {
		notes = append(notes, note.New(note.ChangedPhase, "the change %s lies in the %s phase: look there for its cause",
			r.sinceText(e.index), c.Phase))
	}
	return notes
}

// noteWaiting returns a note if a change is in the waiting of the runs and not in what they compute, else nil.
// If the CPU time of one cycle shows it, causes that identify code are removed; without it the CPU time of the
// run decides. If waiting for CPUs in a cycle explains the change, it sets Contention.
func (r *preparedSeries) noteWaiting(c *Change, e event, shifts map[string]levelShift) []note.Note {
	of, what := "CPU time of one cycle", "time"
	cpu, known := shifts[stepCPUMetric]
	if !known {
		of, what = "CPU time", "elapsed time"
		cpu, known = shifts[cpuMetric]
	}
	if !known || !isWaiting(e.effect, cpu) {
		return nil
	}
	if _, ofCycle := shifts[stepCPUMetric]; ofCycle {
		c.Causes = slices.DeleteFunc(c.Causes, func(x Cause) bool { return isCode(x.Field) })
	}
	why := "the difference is waiting (for CPUs, files, the network), not work"
	if more := addedWaitS(e.effect, shifts); more != 0 {
		c.Contention = true
		why = fmt.Sprintf("the tasks of a cycle wait %s %s for CPUs: contention, not a change of the program",
			quantity.Duration(math.Abs(more)), moreOrLess(more))
	}
	return []note.Note{note.New(note.Waiting, "%s %s changed by %s, %s by %s: %s", r.sinceText(e.index), what,
		quantity.Signed(c.EffectPct), of, quantity.Signed(quantity.PercentOfLogs(cpu.effect)), why)}
}

// addedWaitS returns by how many seconds the tasks of one cycle wait longer for CPUs after a change, negative if they
// wait less. It returns 0 if that is unknown, not significant, or explains less than half of the change. Tasks that
// compute all the time take longer by the ratio of their waiting to their CPU time.
func addedWaitS(effect float64, shifts map[string]levelShift) float64 {
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

// moreOrLess returns "less" for negative numbers, else "more".
func moreOrLess(v float64) string {
	if v < 0 {
		return "less"
	}
	return "more"
}

// isCode reports whether a recorded field identifies the code that ran.
func isCode(field string) bool {
	switch field {
	case "binary", "executable", "exe", "build_id", "commit", "git_commit", "compiler", "function":
		return true
	}
	return strings.HasPrefix(field, "build_id.") || strings.HasPrefix(field, "library.")
}

// isWaiting reports whether the CPU time changed by less than half of effect, with both ends of its interval,
// so that the change is mostly waiting.
func isWaiting(effect float64, cpu levelShift) bool {
	return math.Max(math.Abs(cpu.lo), math.Abs(cpu.hi)) < math.Abs(effect)/2
}

// levelShift is the difference of two levels with its 95 % interval, and the two levels, all in log units.
type levelShift struct {
	effect, lo, hi float64
	left, right    float64
}

// metricShift compares the values of the runs lo to index with those from index to hi, with shifts of the
// machine removed. It returns false if a side has fewer than three values.
func (r *preparedSeries) metricShift(values []float64, index, lo, hi int) (levelShift, bool) {
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
		return levelShift{}, false
	}
	noise := robust.Spikes{Share: .06, Range: 1}
	a, b := noise.Mean(side[0]), noise.Mean(side[1])
	va, vb := a.SE*a.SE, b.SE*b.SE
	df := (va + vb) * (va + vb) / (va*va/a.DF + vb*vb/b.DF)
	h := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: math.Max(df, 1)}.Quantile(.975) * math.Sqrt(va+vb)
	d := b.Mean - a.Mean
	return levelShift{d, d - h, d + h, a.Mean, b.Mean}, true
}

// changedPhase returns the phase that makes up the largest share, and more than half, of a change of elapsed
// time and changed significantly; "" if there is no such phase. Phases are metrics "NAME_s"; the loop is the
// rest of the run and changes with the time of one iteration.
func (r *preparedSeries) changedPhase(shifts map[string]levelShift, index, lo, hi int) string {
	elapsed, ok := r.metricShift(column(r, r.Y), index, lo, hi)
	if !ok || len(shifts) == 0 {
		return ""
	}
	total := math.Exp(elapsed.right) - math.Exp(elapsed.left)
	loop := math.Exp(elapsed.left)
	best, most := "", .5
	sure := func(s levelShift) bool { return s.lo > 0 || s.hi < 0 }
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

// isPhase reports whether a metric is the time of a phase of a run.
func isPhase(name string) bool {
	switch name {
	case "startup_s", "loop_s", stepMetric, "checkpoint_s", "tail_s":
		return true
	}
	return false
}
