package application

import (
	"math"
	"strings"

	"jobgait/analysis/history"
)

// Metric is a quantity of a run that histories and scaling series are made of.
type Metric struct {
	Name        string // column of the history: step_s, elapsed_s, ...
	Unit        string
	Description string // for people
	of          func(history.Run) *float64
}

// metrics returns all metrics in order of preference: the time of a cycle, then elapsed time, then the rest.
func metrics() []Metric {
	return []Metric{
		{"step_s", "s", "time of one cycle", func(r history.Run) *float64 { return r.StepS }},
		{"elapsed_s", "s", "elapsed time", func(r history.Run) *float64 { return &r.ElapsedS }},
		{"cpu_s", "s", "CPU time", func(r history.Run) *float64 { return r.CPUS }},
		{"step_cpu_s", "s", "CPU time of one cycle", func(r history.Run) *float64 { return r.StepCPUS }},
		{"step_wait_s", "s", "waiting for CPUs in one cycle", func(r history.Run) *float64 { return r.StepWaitS }},
		{"startup_s", "s", "time of start-up", func(r history.Run) *float64 { return r.StartupS }},
		{"checkpoint_s", "s", "time of checkpoints", func(r history.Run) *float64 { return r.CheckpointS }},
		{"energy_j", "J", "energy", func(r history.Run) *float64 { return r.EnergyJ }},
	}
}

// MetricNames returns the names of all metrics as text: "a, b and c".
func MetricNames() string {
	var names []string
	for _, m := range metrics() {
		names = append(names, m.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// MetricOf returns the metric with the given name; false if there is no such metric.
func MetricOf(name string) (Metric, bool) {
	for _, m := range metrics() {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// value returns the metric of a run in its unit; NaN if it is missing, not positive, or the run did not end
// normally.
func (m Metric) value(r history.Run) float64 {
	v := m.of(r)
	if v == nil || !(*v > 0) || !r.EndedNormally() {
		return math.NaN()
	}
	return *v
}

// stepShare is the share of the runs that must have a step_s for it to be the leading metric.
const stepShare = 0.8

// leadingMetric returns the metric by which these runs are analysed: step_s if at least stepShare of the runs
// that ended normally have it, else elapsed_s.
func leadingMetric(runs []history.Run) Metric {
	m := metrics()
	step, elapsed := m[0], m[1]
	ok, have := 0, 0
	for _, r := range runs {
		if math.IsNaN(elapsed.value(r)) {
			continue
		}
		ok++
		if !math.IsNaN(step.value(r)) {
			have++
		}
	}
	if ok > 0 && float64(have) >= stepShare*float64(ok) {
		return step
	}
	return elapsed
}
