package stacks

import "jobgait/analysis/note"

// Activity is what the threads of a group do.
type Activity string

// The activities.
const (
	Running  Activity = "running"
	Sleeping Activity = "sleeping"
	Disk     Activity = "disk" // in an uninterruptible sleep
	Stopped  Activity = "stopped"
)

// Group are tasks with equal stacks: groups of main threads first, the largest first, then other threads that
// are in the program's own code.
type Group struct {
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
	// Others is whether these are other threads than the tasks' main ones.
	Others bool `json:"other_threads,omitempty"`
	// Key is equal for groups that are merged; it stands in records only.
	Key string `json:"key,omitempty"`
}

// unread reports whether nothing is known of what the threads do: they have no stack, and neither a signal nor the
// kernel holds them.
func (g Group) unread() bool {
	return len(g.Frames) == 0 && g.State != Stopped && g.State != Disk
}

// GroupFrame is one function on the stack of a group. A function without a name is its place in the library's file.
type GroupFrame struct {
	Function string  `json:"function"`
	Library  string  `json:"library"`
	File     *string `json:"file"`
	Line     *int    `json:"line"`
}

// Record is what the tasks of one node did at one moment.
type Record struct {
	AtS    float64     `json:"at_s"` // since the run began
	Groups []Group     `json:"groups"`
	Notes  []note.Note `json:"notes"`
}

// Tasks returns the number of tasks in the groups of main threads; groups of other threads do not count.
func Tasks(groups []Group) (n int) {
	for _, g := range groups {
		if !g.Others {
			n += g.Tasks
		}
	}
	return n
}
