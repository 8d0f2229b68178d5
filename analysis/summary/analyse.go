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

// AnalysisParams are the choices of Analyse.
type AnalysisParams struct {
	// Bins is the largest number of bins of a timeline, Lengths that of points of
	// the lengths of iterations over the run. Records do not grow with the run.
	Bins, Lengths int
	// Periods are the detector's own.
	Periods periodicity.Params
	// Code are the samples of code, on the grid of the set; nil for none.
	Code *anatomy.Samples
	// GPUs says how columns of GPUs grew; nil for a node without.
	GPUs GPUGrowth
	// Windows are the windows of utilization of each GPU of the node.
	Windows [][]anatomy.Window
}

// Default returns the parameters used unless a caller has a reason.
func Default() AnalysisParams {
	return AnalysisParams{Bins: 960, Lengths: 240, Periods: periodicity.Default()}
}

// idleCPUs is the mean number of busy CPUs below which a node is called idle and
// nothing is made of its rhythm: at 0.01 a 1 kHz sampler sees ten samples a second,
// too few for any shape.
const idleCPUs = 0.01

// maxRegions bounds the regions of a pattern, and with them the phases of a record,
// which does not grow with the run.
const maxRegions = 1000

// Analyse completes the record of one node from its samples: patterns, phases,
// the decimated timeline, and notes on what could not be found. Everything that
// is not in the samples (key, job, times, quality) the caller has filled in.
func Analyse(r NodeRecord, set series.Set, p AnalysisParams) (NodeRecord, error) {
	r.Schema = RecordSchema
	r.Timeline = decimate(set, timelineColumns(set), p.Bins)
	endS := set.StartS + float64(set.Len())*set.StepS
	ran, cuts, suspended := withoutSuspensions(set, r.Suspended)
	r.suspend(suspended, endS)
	if busy := r.busyCPUs(); busy != nil && *busy < idleCPUs {
		r.Notes = append(r.Notes, note.New(note.Idle,
			"the job's processes used %.3f CPUs on average: too little to show a rhythm", *busy))
		r.Phases = phase.Table(ran, nil, nil)
		cuts.restore(&r, nil, endS)
		return r.Normal(), nil
	}
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
	r.anatomy(p.Code, cycles)
	r.cyclesOfGPUs(p.GPUs, p.Windows, cycles, set.StartS, set.StepS)
	return r.Normal(), nil
}

// Normal makes every list non-nil, so that JSON has [] and not null, puts the
// node's name on its notes, and cleans all text.
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

// busyColumn is the job's use of CPUs as the code addresses show it.
const busyColumn = "busy_cpus"

// timelineColumns names the columns worth drawing, in the order of their worth.
// CPU time from /proc is drawn only where nothing finer is known.
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
