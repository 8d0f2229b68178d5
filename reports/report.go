// Package reports turns what is known of one run into a report. A Summary and
// the earlier runs of the same application come in; one Report goes out, from
// which text, JSON and HTML are drawn, so that all three print the same figures.
//
// It refuses to call a run successful because its exit code is 0 (Slurm gives 0
// to cancelled and timed-out jobs too), to call anything IPC that is not
// instructions per cycle, to print a number for what was not measured ("-" in
// text, null in JSON), to judge a run by fewer than six others, to say where a run
// stopped when the samples do not reach its end, to promise anything of a stretch
// at a low level, and to tell a node that is late from a clock that is. Text of
// users (job names, paths) is cleaned before it enters the Report.
package reports

import (
	"encoding/json"
	"time"

	"jobgait/analysis/history"
	"jobgait/analysis/summary"
)

// Schema names the JSON form. Keys are added within a version, never renamed.
const Schema = "jobgait.report/1"

// Options is what a report needs to know beside the run.
type Options struct {
	// Version of jobgait, as printed in the report.
	Version string
	// Now is the time of writing in UTC epoch seconds.
	Now float64
	// Formats are the files that stand beside each other: "txt", "json", "html".
	Formats []string
	// ASCII replaces block characters and anything else beyond ASCII in text.
	ASCII bool
	// Location is the time zone of printed times; nil is UTC. JSON is in UTC.
	Location *time.Location
	// Limits are how much is printed and what is called odd; nil is
	// DefaultLimits.
	Limits *Limits
	// Across is what the user's other runs say of this one.
	Across Across
}

// Limits are the numbers behind a report's words.
type Limits struct {
	// Verdicts is the largest number of statements in short.
	Verdicts int
	// ListNodes is the number of nodes up to which each has a line; beyond,
	// only those that are odd or missing, at most OddNodes of them.
	ListNodes, OddNodes int
	// OddPct and OddMADs: a node is odd when its busy CPUs differ from the
	// nodes' median by more than OddPct percent of it and by more than
	// OddMADs median absolute deviations. Both, because nodes that agree to
	// a millionth would make any difference many deviations.
	OddPct, OddMADs float64
	// OddPeriodPct is the difference in percent from which a node's period is
	// another one than the run's.
	OddPeriodPct float64
	// ListPhases is the number of phases up to which each has a line.
	ListPhases int
	// ListRuns is how many earlier runs have a line, DrawRuns how many are
	// drawn, NeedRuns how many it takes to say what is usual: at six the
	// range of the runs covers the median with 97 %.
	ListRuns, DrawRuns, NeedRuns int
	// ListNotes is how many notes have a line.
	ListNotes int
	// Charts is the number of columns of the timeline that are drawn.
	Charts int
}

// DefaultLimits returns the limits used unless a caller has a reason.
func DefaultLimits() Limits {
	return Limits{Verdicts: 5, ListNodes: 16, OddNodes: 12, OddPct: 5, OddMADs: 5, OddPeriodPct: 5,
		ListPhases: 10, ListRuns: 6, DrawRuns: 60, NeedRuns: 6,
		ListNotes: 20, Charts: 5}
}

// Report is one run as it is printed. Its JSON form is schema/report.schema.json.
type Report struct {
	Schema        string      `json:"schema"`
	Generator     string      `json:"generator"`
	Created       string      `json:"created"`
	CreatedEpochS float64     `json:"created_epoch_s"`
	Job           Job         `json:"job"`
	Verdicts      []Verdict   `json:"verdicts"`
	Rhythm        Rhythm      `json:"rhythm"`
	Nodes         Nodes       `json:"nodes"`
	Counters      []Counter   `json:"counters"`
	IPC           *float64    `json:"ipc"`
	Earlier       EarlierRuns `json:"earlier_runs"`
	// Changes and Scaling are one series of jobgait.changes/1 and the series of
	// jobgait.scaling/1; null where there is none.
	Changes json.RawMessage `json:"changes"`
	Scaling json.RawMessage `json:"scaling"`
	Quality Quality         `json:"quality"`
	Notes   []Note          `json:"notes"`
	Files   []File          `json:"files"`
	across  Across
	ascii   bool           // of text only
	zone    *time.Location // of text and HTML
	limits  Limits
}

// New makes the report of a run. past are earlier runs of the same application
// and shape, newest first; there may be none.
func New(s summary.Summary, past []history.Run, o Options) Report {
	limits := DefaultLimits()
	if o.Limits != nil {
		limits = *o.Limits
	}
	zone := time.UTC
	if o.Location != nil {
		zone = o.Location
	}
	s = cleanSummary(s)
	r := Report{
		Schema: Schema, Generator: "jobgait " + Clean(o.Version),
		Created: stamp(o.Now), CreatedEpochS: number(o.Now),
		Job:     newJob(s),
		Rhythm:  newRhythm(s),
		Nodes:   newNodes(s, limits),
		Earlier: newEarlier(s, past, limits),
		Quality: newQuality(s),
		Notes:   newNotes(s),
		Files:   newFiles(s, o.Formats),
		Changes: o.Across.Changes.Data, Scaling: o.Across.Scaling.Data,
		across: o.Across, ascii: o.ASCII, zone: zone, limits: limits,
	}
	r.Counters, r.IPC = newCounters(s)
	_, notes := r.missing()
	r.Notes = append(r.Notes, notes...)
	r.Verdicts = newVerdicts(r)
	return r
}
