package changepoint

import (
	"sync/atomic"

	"jobgait/analysis/changepoint/functions"
	"jobgait/analysis/changepoint/machine"
	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/changepoint/slownode"
	"jobgait/analysis/note"
)

// Series is one history: runs in time order, one value each. All lists that are
// not nil have the length of Y.
type Series struct {
	ID string
	// T is the time of each run in days; floor(T) is its day. A change begins at any
	// run whose time differs from that of the run before it.
	T []float64
	// Dated says that T counts from the beginning of 1970, UTC.
	Dated bool
	// Y is the metric, NaN where it is missing.
	Y []float64
	// Start is when each run began, UTC epoch seconds: it joins series of one
	// machine.
	Start []float64
	// Also are further metrics of the same runs ("cpu_s", "step_s").
	Also map[string][]float64
	// Meta are recorded fields; "" is not known.
	Meta map[string][]string
	// Nodes are the nodes of each run.
	Nodes [][]string
	// Array is the job array that each run is a task of, "" for none. The tasks of one
	// array are one observation, their median, at the time of the first of them.
	Array []string
	// Code are functions of the program with their CPU time in a cycle of each run,
	// CodeS all of it; NaN where a run does not list one, or nothing is known.
	Code  []functions.Part
	CodeS []float64
	// Machine is the machine that the runs share with other series, "" for one
	// unnamed machine; User owns the series.
	Machine, User string
}

// Method is a way to find changes.
type Method string

const (
	Sequential Method = "sequential"
	Paper      Method = "paper" // Albany Land-Ice, algorithms 1 to 3
)

// Kind is what a change looks like.
type Kind string

const (
	Step      Kind = "step"
	Drift     Kind = "drift"
	Excursion Kind = "excursion"
)

// Cause is a recorded field that changed where the level did. It is never more
// than that. P is the exact chance that a random date meets such a flip.
type Cause struct {
	Field string  `json:"field"`
	From  string  `json:"from"`
	To    string  `json:"to"`
	P     float64 `json:"p"`
	// Function is what a cause that is a function adds to the change, else nil.
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
	// FirstIndex and LastIndex bound the place of the change.
	FirstIndex int `json:"index_lo"`
	LastIndex  int `json:"index_hi"`
	// FalsePer1000 is how many events of this strength 1000 runs without a
	// change give; nil where the noise is of no kind that was calibrated.
	FalsePer1000 *float64 `json:"false_alarms_per_1000"`
	// Beyond is by how many nats the evidence exceeds that of the smallest rate
	// that was ever counted, which FalsePer1000 stops at.
	Beyond float64 `json:"-"`
	Kind   Kind    `json:"kind"`
	// Group is shared by the two ends of an excursion.
	Group    *int    `json:"group"`
	EndIndex *int    `json:"end_index"`
	Causes   []Cause `json:"causes"`
	// Metrics are the shifts of the other metrics of the same runs; Phase is the
	// phase of the run ("startup", "step", "checkpoint") that carries the change,
	// "" where none does or phases are not known.
	Metrics []MetricShift `json:"metrics"`
	Phase   string        `json:"phase"`
	// Contention says that waiting for CPUs explains the change.
	Contention bool `json:"contention"`
}

// MetricShift is how another metric of the same runs differs across a change.
type MetricShift struct {
	Metric    string   `json:"metric"`
	EffectPct float64  `json:"effect_pct"`
	LoPct     *float64 `json:"ci_lo_pct"`
	HiPct     *float64 `json:"ci_hi_pct"`
}

// Regime is the runs between two changes. Mean, Median and SD leave outliers out.
type Regime struct {
	First  int     `json:"first"`
	Last   int     `json:"last"`
	N      int     `json:"n"`
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	SD     float64 `json:"sd"`
}

// SlowNode is a node with which runs take longer.
type SlowNode = slownode.NamedNode

// MachineEvent is a shift of the machine.
type MachineEvent = machine.MachineEvent

// SeriesResult is what is said of one series. Lists are never nil.
type SeriesResult struct {
	ID        string      `json:"id"`
	N         int         `json:"n"`
	Changes   []Change    `json:"changes"`
	Regimes   []Regime    `json:"regimes"`
	Outliers  []int       `json:"outliers"`
	SlowNodes []SlowNode  `json:"slow_nodes"`
	Notes     []note.Note `json:"notes"`
	// Creep is what some of Changes are together; nil: nothing creeps.
	Creep *Creep `json:"creep"`
	// DetectablePct is the least change in percent, present from the next run on, that is
	// reported after five more runs in 9 of 10 cases; nil: none of a factor of four or
	// less is, or the method does not tell.
	DetectablePct *float64 `json:"detectable_pct"`
	// RunsForTenPct is how many runs of its newest level the series needs for a change of
	// 10 % to be such a change; nil where it has them, or where its runs scatter too much.
	RunsForTenPct *int `json:"runs_for_10_pct"`
	// Functions are changes of single functions that Changes do not show.
	Functions []FunctionChange `json:"functions"`
	// Levels are the two levels between which the runs of the newest regime take turns (note two_levels), ascending;
	// empty where they do not.
	Levels []float64 `json:"-"`
	// Adjusted are the values without what is known beside the series: shifts of
	// the machine, slow nodes, weekdays. NaN where a run is not judged.
	Adjusted []float64 `json:"-"`
}

// Params sets the evidence required for a change, in nats. Most parameters of the method are constants beside
// their use; these differ between scans of different purpose.
type Params struct {
	// Threshold is the evidence that commits a change when the noise is known and independent, and that is left
	// under the lag-1 correlation that explains most. A lower threshold finds weaker changes and reports more
	// false ones.
	Threshold float64
	// EpisodeRuns is the longest episode whose two ends are judged as one claim, 0
	// for none.
	EpisodeRuns int
	// Outliers are what is believed of runs far off their level: those of a ratio of
	// two series are as often far below.
	Outliers scatter.Outliers
	// NoFunctions leaves out the changes of single functions, each of which is judged as
	// a series of its own: a third of the time where runs are recorded with them.
	NoFunctions bool
	// Steps, if set, counts the steps of Analyse, StepsPerSeries for each series, while it
	// works: for a line of progress.
	Steps *atomic.Int64
}

// StepsPerSeries are the two scans of a series, without and with those beside it.
const StepsPerSeries = 2

// step counts a step.
func (p *Params) step() {
	if p.Steps != nil {
		p.Steps.Add(1)
	}
}

// Default returns the settings that the figures of MEASURED.md hold for.
func Default() Params {
	return Params{Threshold: 8.5, EpisodeRuns: 8, Outliers: scatter.Usual()}
}
