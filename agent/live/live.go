// Package live writes and reads live.json, the state of a running job's loop for its user: the agent writes it,
// `jobgait watch` reads it. A State goes in, a validated State comes out.
//
// On a cluster the agent is root and owns the files: the user reads them by an ACL, and can neither grow nor
// lock them. Each state is a new file, made with O_EXCL and renamed over the last. Directories are root's, mode
// 0711: <dir>/<uid>/<run>/live.json. Those of runs that ended long ago are removed for all users.
//
// Programs that need each cycle at once read a socket beside it (channel.go).
//
// A reader does not trust the file: its size is limited, texts are made printable, and numbers that no job can
// have make it invalid.
package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/tracker"
)

// Schema is the name and version of the format.
const Schema = "jobgait.live/1"

// Name is the name of the file.
const Name = "live.json"

// State is the state of a run on one node at one time. Times are UTC; nil means unknown.
type State struct {
	Schema   string            `json:"schema"`
	JobID    int64             `json:"job_id"`
	Node     string            `json:"node"`
	At       time.Time         `json:"at"`
	ElapsedS float64           `json:"elapsed_s"`
	State    tracker.LoopState `json:"state"`
	// PeriodS and its 95 % interval are those of the loop that the job is or was last in.
	PeriodS        *float64   `json:"period_s"`
	CILo           *float64   `json:"ci_lo"`
	CIHi           *float64   `json:"ci_hi"`
	Cycles         int64      `json:"cycles"`
	LastBoundary   *time.Time `json:"last_boundary"`
	NextBoundary   *time.Time `json:"next_boundary"`
	BoundaryErrorS *float64   `json:"boundary_error_s"`
	// SinceBoundaryS is the time since the end of the last cycle when this was written.
	SinceBoundaryS *float64 `json:"since_boundary_s"`
	// FirstCycle is when the first counted cycle began. Cycles are counted from some time before they were
	// recognized.
	FirstCycle *time.Time `json:"first_cycle"`
	Stalled    *Stalled   `json:"stalled"`
	// RecentS are the lengths of the last cycles, in seconds, the newest last.
	RecentS []float64 `json:"recent_s"`
	// Recent are the last cycles that ended, the newest last.
	Recent []EndedCycle `json:"recent"`
	// Low are the stretches of each cycle at a low level of activity.
	Low []Low `json:"low"`
	// Pace is nil in the file: the reader, which may read the history, sets it.
	Pace *Pace `json:"pace"`
	// CheckpointS is the length of the longest checkpoint of this run, in seconds; nil where none is known yet.
	CheckpointS *float64 `json:"checkpoint_s"`
	// LastCheckpointBy is by when a checkpoint must begin to end before the time limit, as long as the longest of this
	// run; a reader of the history takes earlier runs into account too. nil where either is not known; then
	// NoLastCheckpoint says why.
	LastCheckpointBy *time.Time        `json:"last_checkpoint_by"`
	NoLastCheckpoint *CheckpointReason `json:"no_last_checkpoint"`

	Notes []note.Note `json:"notes"`
	// Agent is the process that writes this: if it has ended, the file is outdated.
	Agent job.Process `json:"agent"`
	// Command is the process that `jobgait run` watches, 0 on a cluster.
	Command int `json:"command,omitempty"`
	// Job identifies earlier runs of the same application and shape; LimitAt is when the job's time limit ends it.
	Job     Job        `json:"job"`
	LimitAt *time.Time `json:"limit_at"`
}

// Job describes the application and shape of a run, as far as they are known while it runs.
type Job struct {
	Cluster     string `json:"cluster,omitempty"`
	Name        string `json:"name,omitempty"`
	App         string `json:"app,omitempty"`
	Executable  string `json:"executable,omitempty"`
	Script      string `json:"script,omitempty"`
	Size        string `json:"size,omitempty"`
	NNodes      int    `json:"nnodes,omitempty"`
	NTasks      *int   `json:"ntasks,omitempty"`
	CPUsPerTask *int   `json:"cpus_per_task,omitempty"`
}

// DescribeJob returns the description of a run for live.json.
func DescribeJob(k run.Key, j run.Job) Job {
	return Job{Cluster: k.Cluster, Name: j.Name, App: j.App, Executable: j.Executable, Script: j.Script, Size: j.Size,
		NNodes: j.NNodes, NTasks: j.NTasks, CPUsPerTask: j.CPUsPerTask}
}

// Limits of LastCheckpointBy.
const (
	// checkpointMargin is by how much longer than the longest a checkpoint may take.
	checkpointMargin = 1.2
	// mostCheckpointS is the longest checkpoint, a year.
	mostCheckpointS = 366 * 86400
)

// CheckpointReason is why it is not known by when the last checkpoint must begin.
type CheckpointReason string

// The reasons: no time limit is known of the run, or it has none; or no checkpoint of it is known, which takes three
// breaks of its loop, or four bursts of writing of about equal size, at regular distances.
const (
	NoTimeLimit     CheckpointReason = "no_time_limit"
	NoCheckpointYet CheckpointReason = "no_checkpoint_known"
)

// SetLastCheckpoint sets by when a checkpoint must begin to end before the time limit, or why that is not known.
// longestS is the length of the longest known checkpoint in seconds, 0 for none. The time includes a margin
// (checkpointMargin). Lengths above mostCheckpointS do not count.
func (s *State) SetLastCheckpoint(longestS float64) {
	s.LastCheckpointBy, s.NoLastCheckpoint = nil, nil
	reason := NoCheckpointYet
	switch {
	case s.LimitAt == nil:
		reason = NoTimeLimit
	case longestS > 0 && longestS <= mostCheckpointS:
		margin := time.Duration(checkpointMargin * longestS * float64(time.Second))
		by := s.LimitAt.Add(-margin).Truncate(time.Millisecond)
		s.LastCheckpointBy = &by
		return
	}
	s.NoLastCheckpoint = &reason
}

// Stalled says since when the job has done nothing, and what its processes do instead.
type Stalled struct {
	Since time.Time     `json:"since"`
	Doing tracker.Doing `json:"doing"`
	// Summary says in one line in which functions the tasks of this node are; "" as long as that is not known.
	Summary string `json:"summary,omitempty"`
}

// EndedCycle is the Nth counted cycle, which ended at Boundary. Residual is its difference from its template: 0
// for equal, 1 for unrelated.
type EndedCycle struct {
	N        int64     `json:"n"`
	Boundary time.Time `json:"boundary"`
	LengthS  float64   `json:"length_s"`
	Residual float64   `json:"residual"`
}

// Low is a stretch of low activity in each cycle: its begin after that of the cycle, with standard error
// ErrorS, its duration, and the share of cycles in which it was recognized.
type Low struct {
	OffsetS       float64 `json:"offset_s"`
	DurationS     float64 `json:"duration_s"`
	ErrorS        float64 `json:"error_s"`
	Repeatability float64 `json:"repeatability"`
	// LastBegan is when its last recognized occurrence began, nil before the first.
	LastBegan *time.Time `json:"last_began"`
}

// Pace is the estimate of when the run ends if it makes as many cycles as usual.
type Pace struct {
	CyclesUsual int64 `json:"cycles_usual"`
	// Runs is the number of earlier runs that the estimate uses, 0 if the user gave the number of cycles.
	Runs   int       `json:"runs"`
	EndsAt time.Time `json:"ends_at"`
	// EndsLo and EndsHi are the interval of EndsAt, from the extremes of the earlier runs and the interval of the
	// period.
	EndsLo time.Time `json:"ends_lo"`
	EndsHi time.Time `json:"ends_hi"`
	// LimitAt is the time limit of the state, nil if unknown or unlimited; LimitFirst is whether it comes before
	// EndsAt.
	LimitAt    *time.Time `json:"limit_at"`
	LimitFirst bool       `json:"limit_first"`
}

const (
	// maxBytes is the largest file that is read; an agent's file is far smaller.
	maxBytes = 64 << 10
	// maxRecent limits the recent cycles that are read, maxList other lists.
	maxRecent, maxList = 60, 32
	// maxText limits texts, in characters; maxS is the longest valid time, ten years.
	maxText, maxS = 200, 10 * 366 * 86400
	// maxSummary is where the summary of a stall is cut.
	maxSummary = 400
)

// Read reads and validates a live.json that any account may have written. It never blocks: it returns an error
// for a file that is not regular, and for one that is under a lease instead of waiting for its release.
func Read(path string) (State, error) {
	b, _, err := job.ReadPlain(path, maxBytes)
	if err != nil {
		return State{}, fmt.Errorf("read %s: %w", path, job.Cause(err))
	}
	s, err := Decode(b)
	if err != nil {
		return State{}, fmt.Errorf("read %s: %w", path, err)
	}
	return s, nil
}

// Decode decodes and validates the bytes of a live.json. It makes texts printable, shortens lists, and sets Pace to
// nil, because only the reader sets it.
func Decode(b []byte) (State, error) {
	var s State
	switch err := json.Unmarshal(b, &s); {
	case len(b) > maxBytes:
		return State{}, fmt.Errorf("the state has more than %d bytes: no agent wrote it", maxBytes)
	case err != nil:
		return State{}, fmt.Errorf("the state is not valid JSON, so no agent wrote it: %w", err)
	case s.Schema != Schema:
		return State{}, fmt.Errorf("version %q of the state is not supported: install the same version of jobgait on all "+
			"nodes",
			note.Clean(s.Schema, 40))
	}
	if err := s.check(); err != nil {
		return State{}, err
	}
	s.clean()
	s.Pace = nil // that is the reader's to say
	return s, nil
}

// check returns an error for a duration or other number that is negative or above maxS, a time outside of the years
// 1970 to 2200, and a negative or too large count or id.
func (s *State) check() error {
	numbers := []*float64{&s.ElapsedS, s.PeriodS, s.CILo, s.CIHi, s.BoundaryErrorS, s.SinceBoundaryS, s.CheckpointS}
	for i := range s.RecentS {
		numbers = append(numbers, &s.RecentS[i])
	}
	times := []time.Time{s.At}
	for i, c := range s.Recent {
		numbers = append(numbers, &s.Recent[i].LengthS, &s.Recent[i].Residual)
		times = append(times, c.Boundary)
	}
	for i, l := range s.Low {
		numbers = append(numbers, &s.Low[i].OffsetS, &s.Low[i].DurationS, &s.Low[i].ErrorS, &s.Low[i].Repeatability)
		if l.LastBegan != nil {
			times = append(times, *l.LastBegan)
		}
	}
	for _, v := range numbers {
		if v != nil && !(*v >= 0 && *v <= maxS) {
			return fmt.Errorf("the duration %g s in the state is out of range: want 0 to %g s", *v, float64(maxS))
		}
	}
	for _, t := range []*time.Time{s.LastBoundary, s.NextBoundary, s.FirstCycle, s.LimitAt, s.LastCheckpointBy} {
		if t != nil {
			times = append(times, *t)
		}
	}
	if s.Stalled != nil {
		times = append(times, s.Stalled.Since)
	}
	for _, t := range times {
		if y := t.Year(); y < 1970 || y > 2200 {
			return fmt.Errorf("the date %s in the state is out of range: want the years 1970 to 2200",
				t.Format(time.DateOnly))
		}
	}
	if s.Cycles < 0 || s.Cycles > math.MaxInt32*1000 || s.JobID < 0 || s.Agent.PID < 0 || s.Command < 0 {
		return errors.New("a count or an id in the state is out of range: want 0 or a positive number")
	}
	return nil
}

// clean makes texts printable and truncates lists.
func (s *State) clean() {
	s.Node = note.Clean(s.Node, maxText)
	s.State = tracker.LoopState(note.Clean(string(s.State), maxText))
	if s.Stalled != nil {
		s.Stalled.Doing = tracker.Doing(note.Clean(string(s.Stalled.Doing), maxText))
		s.Stalled.Summary = note.Clean(s.Stalled.Summary, maxSummary)
	}
	for _, t := range []*string{&s.Job.Cluster, &s.Job.Name, &s.Job.App, &s.Job.Executable, &s.Job.Script, &s.Job.Size} {
		*t = note.Clean(*t, maxText)
	}
	s.RecentS = s.RecentS[max(0, len(s.RecentS)-maxRecent):]
	s.Recent = s.Recent[max(0, len(s.Recent)-maxRecent):]
	s.Low = s.Low[:min(len(s.Low), maxList)]
	s.Notes = s.Notes[:min(len(s.Notes), maxList)]
	for i, n := range s.Notes {
		s.Notes[i] = note.Note{Code: note.Code(note.Clean(string(n.Code), maxText)), Text: note.Clean(n.Text, maxText),
			Node: note.Clean(n.Node, maxText)}
	}
}

// Alive reports whether the agent that wrote the state still runs; false for a final state.
func (s State) Alive() bool { return s.State != tracker.Ended && s.Agent.PID > 0 && s.Agent.Alive() }
