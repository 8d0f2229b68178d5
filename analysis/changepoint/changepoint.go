package changepoint

import (
	"sync/atomic"

	"jobgait/analysis/changepoint/functions"
	"jobgait/analysis/changepoint/machine"
	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/changepoint/slownode"
	"jobgait/analysis/note"
)

// Series is the input of one history: runs with one value each. All lists that are not nil have the length of
// Y.
type Series struct {
	ID string
	// T is the time of each run in days; floor(T) is its day. A change begins at any
	// run whose time differs from that of the run before it.
	T []float64
	// Dated reports that T counts days from the beginning of 1970, UTC.
	Dated bool
	// Y is the metric, NaN where it is missing.
	Y []float64
	// Start is when each run began, in UTC epoch seconds; by it runs of different series on one machine are
	// compared.
	Start []float64
	// Also holds further metrics of the same runs by name ("cpu_s", "step_s").
	Also map[string][]float64
	// Meta holds the recorded fields of the runs by name; "" means unknown.
	Meta map[string][]string
	// Nodes are the nodes of each run.
	Nodes [][]string
	// Array is the job array that each run is a task of, "" for none. The tasks of one
	// array are one observation, their median, at the time of the first of them.
	Array []string
	// Code lists functions of the program with their CPU time per cycle of each run, in seconds; CodeS is the
	// total of each run. NaN means that the run does not list the function, or that nothing is known.
	Code  []functions.Part
	CodeS []float64
	// Machine is the machine that the runs share with other series, "" for one
	// unnamed machine; User owns the series.
	Machine, User string
}

// Method is an algorithm that detects changes.
type Method string

const (
	Sequential Method = "sequential"
	Paper      Method = "paper" // Albany Land-Ice, algorithms 1 to 3
)

// Kind is the shape of a change over time.
type Kind string

const (
	Step      Kind = "step"
	Drift     Kind = "drift"
	Excursion Kind = "excursion"
)

// Cause is a recorded field that changed at the place of a change of level; that it caused the change is not
// proven. P is the exact chance that a random date meets such a flip.
type Cause struct {
	Field string  `json:"field"`
	From  string  `json:"from"`
	To    string  `json:"to"`
	P     float64 `json:"p"`
	// Function is the contribution to the change of a cause that is a function, else nil.
	Function *FunctionShift `json:"function,omitempty"`
}

// Change is one committed event. Nothing of it but the effect and its interval
// is altered by later runs; where runs are not in the order in which they began,
// any change may be (package comment).
type Change struct {
	Index         int      `json:"index"` // first run of the new level
	T             float64  `json:"t"`
	DetectedIndex int      `json:"detected_index"`
	EffectPct     float64  `json:"effect_pct"`
	LoPct         *float64 `json:"ci_lo_pct"`
	HiPct         *float64 `json:"ci_hi_pct"`
	Level         float64  `json:"level"`
	// FirstIndex and LastIndex are the first and the last run at which the change may lie.
	FirstIndex int `json:"index_lo"`
	LastIndex  int `json:"index_hi"`
	// FalsePer1000 is the number of events of this strength in 1000 runs without a change; nil if the noise is of
	// no calibrated kind.
	FalsePer1000 *float64 `json:"false_alarms_per_1000"`
	// ExcessNats is by how many nats the evidence exceeds that of the lowest measured rate, below which
	// FalsePer1000 does not go.
	ExcessNats float64 `json:"-"`
	Kind       Kind    `json:"kind"`
	// Group is shared by the two ends of an excursion.
	Group    *int    `json:"group"`
	EndIndex *int    `json:"end_index"`
	Causes   []Cause `json:"causes"`
	// Metrics are the shifts of the other metrics of the same runs; Phase is the
	// phase of the run ("startup", "step", "checkpoint") that carries the change,
	// "" where none does or phases are not known.
	Metrics []MetricShift `json:"metrics"`
	Phase   string        `json:"phase"`
	// Contention reports that waiting for CPUs explains the change.
	Contention bool `json:"contention"`
}

// MetricShift is the change, in percent with its interval, of another metric of the same runs across a change.
type MetricShift struct {
	Metric    string   `json:"metric"`
	EffectPct float64  `json:"effect_pct"`
	LoPct     *float64 `json:"ci_lo_pct"`
	HiPct     *float64 `json:"ci_hi_pct"`
}

// Regime is the runs between two changes, with their level in the unit of the input. Mean, Median and SD leave
// outliers out.
type Regime struct {
	First  int     `json:"first"`
	Last   int     `json:"last"`
	N      int     `json:"n"`
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	SD     float64 `json:"sd"`
}

// SlowNode is a node on which runs take longer.
type SlowNode = slownode.NamedNode

// MachineEvent is a common change of the speed of unrelated applications on one machine.
type MachineEvent = machine.MachineEvent

// SeriesResult is the result for one series. Lists are never nil.
type SeriesResult struct {
	ID        string      `json:"id"`
	N         int         `json:"n"`
	Changes   []Change    `json:"changes"`
	Regimes   []Regime    `json:"regimes"`
	Outliers  []int       `json:"outliers"`
	SlowNodes []SlowNode  `json:"slow_nodes"`
	Notes     []note.Note `json:"notes"`
	// Creep is the slow movement of which some of Changes are parts; nil if none exists.
	Creep *Creep `json:"creep"`
	// DetectablePct is the least change in percent, present from the next run on, that is reported after five more
	// runs in 9 of 10 cases; nil if no change by a factor of four or less is, or if the method has no such figure.
	DetectablePct *float64 `json:"detectable_pct"`
	// RunsForTenPct is the number of runs that the newest level needs before a change of 10 % is detectable in
	// this sense; nil if it has them, or if the runs scatter too much.
	RunsForTenPct *int `json:"runs_for_10_pct"`
	// Functions lists changes of single functions that Changes does not show.
	Functions []FunctionChange `json:"functions"`
	// Levels are the two levels between which the runs of the newest regime take turns (note two_levels), ascending;
	// empty where they do not.
	Levels []float64 `json:"-"`
	// Adjusted holds the values with shifts of the machine, slow nodes and weekdays removed; NaN for runs that are
	// not analysed.
	Adjusted []float64 `json:"-"`
}

// Params sets the evidence required for a change, in nats. Most parameters of the method are constants beside
// their use; these differ between scans of different purpose.
type Params struct {
	// Threshold is the evidence that commits a change when the noise is known and independent, and that is left
	// under the lag-1 correlation that explains most. A lower threshold finds weaker changes and reports more
	// false ones.
	Threshold float64
	// EpisodeRuns is the longest episode, in runs, whose two ends are tested as one claim; 0 disables episodes.
	EpisodeRuns int
	// Outliers is the prior of runs far from their level. A ratio of two series needs its own: its outliers are as
	// often low as high.
	Outliers scatter.Outliers
	// NoFunctions skips the analysis of single functions, each as a series of its own, which takes a third of the
	// time where runs are recorded with functions.
	NoFunctions bool
	// Steps, if set, counts the steps of Analyse, StepsPerSeries for each series, while it
	// works: for a line of progress.
	Steps *atomic.Int64
}

// StepsPerSeries is the number of scans of a series: one without and one with the votes of the owner's other
// series.
const StepsPerSeries = 2

// step adds one to the progress counter, if there is one.
func (p *Params) step() {
	if p.Steps != nil {
		p.Steps.Add(1)
	}
}

// Default returns the settings with which the figures of MEASURED.md were measured.
func Default() Params {
	return Params{Threshold: 8.5, EpisodeRuns: 8, Outliers: scatter.RunTimeOutliers()}
}
