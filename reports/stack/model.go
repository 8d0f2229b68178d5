package stack

import (
	"time"

	"jobgait/analysis/note"
)

// Schema is the name and version of the JSON.
const Schema = "jobgait.stack/1"

// Merged is what the tasks of a job do at one moment.
type Merged struct {
	Schema string `json:"schema"`
	// JobID is the job's, null for processes that were named by their id.
	JobID  *int64      `json:"job_id"`
	At     time.Time   `json:"at"`
	Tasks  int         `json:"tasks"`
	Groups []TaskGroup `json:"groups"`
	Notes  []note.Note `json:"notes"`
}

// Activity is what the threads of a group do.
type Activity string

// The activities.
const (
	Running  Activity = "running"
	Sleeping Activity = "sleeping"
	Disk     Activity = "disk" // in an uninterruptible sleep
	Stopped  Activity = "stopped"
)

// TaskGroup are tasks with equal stacks: groups of main threads first, the largest first, then other threads that
// are in the program's own code.
type TaskGroup struct {
	Tasks int      `json:"tasks"`
	Ranks []int    `json:"ranks"`
	Nodes []string `json:"nodes"`
	PIDs  []int    `json:"pids"`
	// Threads is how many threads are there.
	Threads int      `json:"threads"`
	State   Activity `json:"state"`
	// WaitsIn is the system call in which most of them sleep, null if they run.
	WaitsIn *string `json:"waits_in"`
	Odd     bool    `json:"odd"`
	// Frames are innermost first. Where stacks differ within a library, they begin at the call into it.
	Frames []GroupFrame `json:"frames"`

	main  bool
	waits bool // in MPI or OpenMP
	entry int  // the frame by which the program left its own code, -1 if it has not
	own   int  // the innermost frame of the program's own, -1 without one
}

// GroupFrame is one function on the stack of a group. A function without a name is its place in the library's file.
type GroupFrame struct {
	Function string  `json:"function"`
	Library  string  `json:"library"`
	File     *string `json:"file"`
	Line     *int    `json:"line"`
}
