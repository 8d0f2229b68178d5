// Package job turns what is known of one run into a report. A Summary and
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
package job

import (
	"encoding/json"
	"slices"
	"time"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/finding"
	"jobgait/analysis/history"
	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/reports/text"
)

// Schema names the JSON form. Keys are added within a version, never renamed.
const Schema = "jobgait.report/" + version

// version is that of the form, in the marks of all files.
const version = "1"

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
	// Silent are the codes of findings that are not told.
	Silent []string
	// Across is what the user's other runs say of this one.
	OtherRuns OtherRuns
}

// Report is one run as it is printed. Its JSON form is schema/report.schema.json.
type Report struct {
	Schema        string   `json:"schema"`
	Generator     string   `json:"generator"`
	Created       string   `json:"created"`
	CreatedEpochS float64  `json:"created_epoch_s"`
	Job           JobFacts `json:"job"`
	// Findings are what limited the run.
	Findings  []finding.Finding `json:"findings"`
	Resources summary.Resources `json:"resources"`
	Rhythm    Rhythm            `json:"rhythm"`
	// GPUs are the run's that were read.
	GPUs []summary.GPU `json:"gpus"`
	// Programs are those with most CPU time, of the lead node; empty where code was not sampled.
	Programs []run.Program `json:"programs"`
	// Code is which code ran; null where that is not known.
	Code     *CodeShares `json:"code"`
	Nodes    Nodes       `json:"nodes"`
	Counters []Counter   `json:"counters"`
	IPC      *float64    `json:"ipc"`
	Earlier  EarlierRuns `json:"earlier_runs"`
	// Changes and Scaling are one series of jobgait.changes/1 and the series of jobgait.scaling/1; null without a
	// series.
	Changes json.RawMessage `json:"changes"`
	Scaling json.RawMessage `json:"scaling"`
	Quality Quality         `json:"quality"`
	Notes   []Note          `json:"notes"`
	Files   []Form          `json:"files"`
	// Stalled is nil for a run that was at work to its end.
	Stalled *Stalled `json:"stalled,omitempty"`
	// disturbed is whether something beside the run took CPUs from it.
	disturbed bool
	otherRuns OtherRuns
	anatomy   *anatomy.Anatomy
	ascii     bool           // of text only
	zone      *time.Location // of text and HTML
}

// New makes the report of a run. past are earlier runs of the same application
// and shape, newest first; there may be none.
func New(s summary.Summary, past []history.Run, o Options) Report {
	zone := time.UTC
	if o.Location != nil {
		zone = o.Location
	}
	s = cleanSummary(s)
	r := Report{
		Schema: Schema, Generator: "jobgait " + text.Clean(o.Version),
		Created: stamp(o.Now), CreatedEpochS: quantity.OrZero(o.Now),
		Job:       newJob(s),
		Resources: s.Resources(),
		Rhythm:    newRhythm(s),
		GPUs:      newGPUs(s),
		Programs:  newPrograms(s),
		Code:      newCode(s),
		Nodes:     newNodes(s),
		Earlier:   newEarlier(s, past),
		Quality:   newQuality(s),
		Notes:     newNotes(s),
		Files:     newFiles(s, o.Formats),
		Changes:   o.OtherRuns.Changes.Data, Scaling: o.OtherRuns.Scaling.Data,
		anatomy: s.Code, Stalled: newStalled(s), otherRuns: o.OtherRuns, ascii: o.ASCII, zone: zone,
	}
	r.Earlier.OtherArguments = o.OtherRuns.OtherArguments
	r.Counters, r.IPC = newCounters(s)
	_, notes := r.missing()
	r.Notes = append(r.Notes, notes...)
	for _, n := range r.Resources.Notes {
		r.Notes = append(r.Notes, Note{n.Code, n.Text, []string{}})
	}
	r.Findings = newFindings(r, o.Silent)
	r.disturbed = slices.ContainsFunc(newFindings(r, nil), disturbs)
	return r
}
