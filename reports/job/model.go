// Package job makes the report of one run. New takes a Summary and the earlier runs of the same application and
// returns a Report, from which Text, JSON and HTML are written, so that all three print the same figures.
//
// The report never calls a run successful because its exit code is 0 (Slurm gives 0 to cancelled and timed-out
// jobs too), never calls anything IPC but instructions per cycle, never prints a number for a quantity that was
// not measured ("-" in text, null in JSON), never judges a run by fewer than six others, never says where a run
// stopped if the samples do not reach its end, never promises a saving from a stretch at a low level, and never
// distinguishes a late node from a node whose clock is late. Text of users (job names, paths) is cleaned before
// it enters the Report.
package job

import (
	"cmp"
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

// version is the version of the forms, which the marks of all files contain.
const version = "1"

// Options are the inputs of a report beside the run.
type Options struct {
	// Version of jobgait, as printed in the report.
	Version string
	// Now is the time of writing in UTC epoch seconds.
	Now float64
	// Formats lists the files that are written beside each other: "txt", "json", "html".
	Formats []string
	// ASCII replaces block characters and anything else beyond ASCII in text.
	ASCII bool
	// Location is the time zone of printed times; nil is UTC. JSON is in UTC.
	Location *time.Location
	// Silent lists the codes of findings that are not reported.
	Silent []string
	// OtherRuns is the comparison with the user's other runs.
	OtherRuns OtherRuns
}

// Report is one run as it is printed. Its JSON form is schema/report.schema.json.
type Report struct {
	Schema        string   `json:"schema"`
	Generator     string   `json:"generator"`
	Created       string   `json:"created"`
	CreatedEpochS float64  `json:"created_epoch_s"`
	Job           JobFacts `json:"job"`
	// Findings lists what limited the run, Next the one thing to do about it; "" where there is nothing to advise.
	Findings  []finding.Finding `json:"findings"`
	Next      Word              `json:"next_step"`
	Resources summary.Resources `json:"resources"`
	// Course lists the parts of a run without cycles that differ; one part where it looks alike throughout, absent
	// where that is unknown.
	Course []summary.Stretch `json:"course,omitempty"`
	Rhythm Rhythm            `json:"rhythm"`
	// GPUs lists the run's GPUs that were read.
	GPUs []summary.GPU `json:"gpus"`
	// Programs are those with most CPU time, of the lead node; empty where code was not sampled.
	Programs []run.Program `json:"programs"`
	// Code says which code ran; null where that is unknown.
	Code     *CodeShares `json:"code"`
	Nodes    Nodes       `json:"nodes"`
	Counters []Counter   `json:"counters"`
	IPC      *float64    `json:"ipc"`
	Earlier  EarlierRuns `json:"earlier_runs"`
	// Changes is one series of jobgait.changes/1, Scaling the series of jobgait.scaling/1; each is null without a
	// series.
	Changes json.RawMessage `json:"changes"`
	Scaling json.RawMessage `json:"scaling"`
	Quality Quality         `json:"quality"`
	Notes   []Note          `json:"notes"`
	Files   []Form          `json:"files"`
	// Stalled is nil for a run that was at work to its end.
	Stalled *Stalled `json:"stalled,omitempty"`
	// disturbed reports whether something outside the run took CPUs from it.
	disturbed bool
	otherRuns OtherRuns
	anatomy   *anatomy.Anatomy
	// threadWork is how CPU time divides among the threads of the main program, nil if that is unknown.
	threadWork *run.ThreadWork
	ascii      bool           // of text only
	zone       *time.Location // of text and HTML
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
		Course:    courseWithin(s.Course, s.ElapsedS),
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
		anatomy: s.Code, threadWork: s.ThreadWork, Stalled: newStalled(s), otherRuns: o.OtherRuns, ascii: o.ASCII, zone: zone,
	}
	r.Earlier.OtherArguments = o.OtherRuns.OtherArguments
	r.Counters, r.IPC = newCounters(s)
	_, notes := r.missing()
	r.Notes = append(r.Notes, notes...)
	for _, n := range r.Resources.Notes {
		r.Notes = append(r.Notes, Note{n.Code, n.Text, []string{}})
	}
	facts := r.runFacts()
	r.Findings = finding.Of(facts, o.Silent)
	r.disturbed = slices.ContainsFunc(finding.Of(facts, nil), isDisturbance)
	r.Next = Word(cmp.Or(finding.NextStep(r.Findings), r.nextWithoutFinding()))
	return r
}
