package stack

import (
	"time"

	"jobgait/agent/stack"
	"jobgait/analysis/note"
	"jobgait/analysis/stacks"
)

// Schema is the name and version of the JSON.
const Schema = "jobgait.stack/1"

// MergedStacks is the state of a job's tasks at one moment.
type MergedStacks struct {
	Schema string `json:"schema"`
	// JobID is the job's id, null for processes that were given by their process id.
	JobID  *int64         `json:"job_id"`
	At     time.Time      `json:"at"`
	Tasks  int            `json:"tasks"`
	Groups []stacks.Group `json:"groups"`
	Notes  []note.Note    `json:"notes"`
}

// Merge groups the tasks of a job by their stacks. jobID is nil for processes without a job.
func Merge(jobID *int64, at time.Time, tasks []stack.Task, notes []note.Note) MergedStacks {
	r, n := stack.GroupTasks(tasks), 0
	for _, t := range tasks {
		if !t.Helper {
			n++
		}
	}
	return MergedStacks{Schema: Schema, JobID: jobID, At: at.UTC(), Tasks: n, Groups: stacks.Merge(r),
		Notes: append(append([]note.Note{}, notes...), r.Notes...)}
}
