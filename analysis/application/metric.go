package application

import (
	"math"
	"strings"

	"jobgait/analysis/history"
	"jobgait/analysis/run"
)

// Metric is a quantity of a run that histories and scaling series are made of.
type Metric struct {
	Name string // as in the history: step_s, elapsed_s, ...
	Unit string
	Say  string // for people
	of   func(history.Run) *float64
}

// metrics are all metrics, those that say most first.
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

// MetricNames lists the metrics for people: "a, b and c".
func MetricNames() string {
	var names []string
	for _, m := range metrics() {
		names = append(names, m.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// MetricOf returns the metric of a name.
func MetricOf(name string) (Metric, bool) {
	for _, m := range metrics() {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// value returns the metric of a run, NaN if it is missing or the run did not end in order.
func (m Metric) value(r history.Run) float64 {
	v := m.of(r)
	if v == nil || !(*v > 0) || !ended(r.Exit, r.State) {
		return math.NaN()
	}
	return *v
}

// ended is whether a run came to its own end: nothing speaks against it.
func ended(exit *run.Exit, state string) bool {
	if exit != nil && (exit.Code != 0 || exit.Signal != 0) {
		return false
	}
	return state == "" || state == "COMPLETED"
}

// stepShare is the share of the runs that must have a step_s for it to lead.
const stepShare = 0.8

// lead returns the metric that judges these runs.
func lead(runs []history.Run) Metric {
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
