package summary

import (
	"fmt"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/phase"
	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// AnalysisParams holds the parameters and the additional inputs of Analyse.
type AnalysisParams struct {
	// Bins is the most bins of a timeline, Lengths the most points of the lengths of iterations over the run.
	// Records do not grow with the run.
	Bins, Lengths int
	// Periods holds the parameters of the period detector.
	Periods periodicity.Params
	// Code holds the samples of code, on the grid of the set; nil if none exists.
	Code *anatomy.Samples
	// GPUs returns the growth of columns of GPUs; nil for a node without GPUs.
	GPUs GPUGrowth
	// Windows are the windows of utilization of each GPU of the node.
	Windows [][]anatomy.Window
}

// Default returns the default parameters: 960 bins and 240 lengths.
func Default() AnalysisParams {
	return AnalysisParams{Bins: 960, Lengths: 240, Periods: periodicity.Default()}
}

// idleCPUs is the mean number of busy CPUs below which a node is idle and no periods are searched: at 0.01 a 1
// kHz sampler takes ten samples a second, too few for any shape.
const idleCPUs = 0.01

// maxRegions is the most regions of a pattern, which limits the phases of a record, so that it does not grow
// with the run.
const maxRegions = 1000

// Analyse completes the record of one node from its samples: patterns, phases,
// the decimated timeline, and notes on what could not be found. Everything that
// is not in the samples (key, job, times, quality) the caller has filled in.
func Analyse(r NodeRecord, set series.Set, p AnalysisParams) (NodeRecord, error) {
	r.Schema = RecordSchema
	r.Timeline = decimate(set, timelineColumns(set), p.Bins)
	endS := set.StartS + float64(set.Len())*set.StepS
	ran, cuts, suspended := withoutSuspensions(set, r.Suspended)
	r.addSuspensions(suspended, endS)
	if busy := r.busyCPUs(); busy != nil && *busy < idleCPUs {
		r.Notes = append(r.Notes, note.New(note.Idle,
			"the job's processes used %.3f CPUs on average: too little to detect periods", *busy))
		r.Phases = phase.Table(ran, nil, nil)
		cuts.restore(&r, nil, endS)
		return r.Normal(), nil
	}
	p.Periods.CPUWaitS = run.CPUWaitS(r.Counters)
	found, err := periodicity.Detect(ran, p.Periods)
	if err != nil {
		return r.Normal(), fmt.Errorf("find periods on node %s: %w", r.Node, err)
	}
	boundRegions(found.Periods, maxRegions)
	r.Patterns = pattern.Represent(ran, found.Periods)
	r.Phases = phase.Table(ran, r.Patterns, found.Periods)
	for i := range r.Patterns {
		r.Patterns[i].WGSS, r.Patterns[i].Low = quantity.OrZero(r.Patterns[i].WGSS), finiteLow(r.Patterns[i].Low)
	}
	r.Loops = loopsOf(ran, cuts.unbroken(found.Periods), r.Patterns, p.Lengths)
	cuts.restore(&r, found.Periods, endS)
	r.Macros = pattern.Macros(found.Macros, r.Patterns)
	r.Notes = append(r.Notes, found.Notes...)
	if len(r.Patterns) > 0 {
		r.Timeline = decimate(set, append(timelineColumns(set), r.Patterns[0].ValuesColumn), p.Bins)
	}
	r.Minute = minuteOf(set, r.Timeline, r.Patterns)
	cycles := r.cycles(found.Periods, cuts, len(r.GPUs) > 0)
	tally := r.anatomy(p.Code, cycles)
	if len(r.Patterns) == 0 && len(r.Suspended) == 0 {
		r.Course = courseOf(set, tally)
	}
	r.cyclesOfGPUs(p.GPUs, p.Windows, cycles, set.StartS, set.StepS)
	return r.Normal(), nil
}

// Normal returns the record with every list non-nil, so that JSON has [] and not null, with the node's name
// on its notes, and with clean text. It cleans the text of r's lists in place.
func (r NodeRecord) Normal() NodeRecord {
	if r.Counters == nil {
		r.Counters = []run.Counter{}
	}
	if r.Patterns == nil {
		r.Patterns = []pattern.Pattern{}
	}
	if r.Phases == nil {
		r.Phases = []phase.Phase{}
	}
	if r.Timeline.Columns == nil {
		r.Timeline.Columns = []TimelineColumn{}
	}
	if r.Minute != nil && r.Minute.Columns == nil {
		r.Minute.Columns = []TimelineColumn{}
	}
	if r.Quality.Sources == nil {
		r.Quality.Sources = []run.CounterSource{}
	}
	notes := make([]note.Note, 0, len(r.Notes))
	for _, n := range r.Notes {
		n.Node = r.Node
		notes = append(notes, n)
	}
	r.Notes = notes
	clean(&r)
	return r
}

// busyColumn is the column of the CPUs that the job kept busy, from samples of code addresses.
const busyColumn = "busy_cpus"

// timelineColumns returns the names of the columns to draw, the most useful first. CPU time from /proc is drawn
// only if nothing finer is known.
func timelineColumns(set series.Set) []string {
	var names []string
	for _, want := range []string{busyColumn, "ipc", "page_faults", "context_switches"} {
		if _, ok := set.Column(want); ok {
			names = append(names, want)
		}
	}
	if _, ok := set.Column("proc_cpu"); ok && (len(names) == 0 || names[0] != busyColumn) {
		names = append([]string{"proc_cpu"}, names...)
	}
	return names
}
