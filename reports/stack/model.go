package stack

import (
	"time"

	"jobgait/analysis/note"
	"jobgait/analysis/stacks"
)

// Schema is the name and version of the JSON.
const Schema = "jobgait.stack/1"

// Merged is the state of a job's tasks at one moment.
type Merged struct {
	Schema string `json:"schema"`
	// JobID is the job's id, null for processes that were given by their process id.
	JobID  *int64         `json:"job_id"`
	At     time.Time      `json:"at"`
	Tasks  int            `json:"tasks"`
	Groups []stacks.Group `json:"groups"`
	Notes  []note.Note    `json:"notes"`
}
