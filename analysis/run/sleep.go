package run

// SleepCause is what a sleeping process waits for.
type SleepCause string

// Causes of sleep.
const (
	SleepTime    SleepCause = "time"    // a call that sleeps for a given time
	SleepNetwork SleepCause = "network" // a message or a connection of the network
	SleepEvent   SleepCause = "event"   // poll, select and the like: a message, a file, a process or a time
	SleepProcess SleepCause = "process" // another process of this node: its end, or a message, as through a pipe
	SleepLock    SleepCause = "lock"    // a lock, a barrier, or the end of another thread
	SleepFiles   SleepCause = "files"   // a file lock, or a file system in a program (FUSE)
	SleepSignal  SleepCause = "signal"  // a signal
	SleepOther   SleepCause = "other"   // something that the kernel does not name
)

// SleepCauses returns all causes.
func SleepCauses() []SleepCause {
	return []SleepCause{SleepTime, SleepNetwork, SleepEvent, SleepProcess, SleepLock, SleepFiles, SleepSignal, SleepOther}
}

// Sleep is for how long, in seconds, the main threads of all processes of a run together slept for one cause.
type Sleep struct {
	Cause SleepCause `json:"cause"`
	S     float64    `json:"s"`
}

// ThreadWork is how the CPU time of the program with the most of it divides among its threads, those of all its
// processes, on one node. Threads that lived for much less time than the busiest one are left out.
type ThreadWork struct {
	Program string `json:"program"`
	Threads int    `json:"threads"`
	// BusiestS is the CPU time of the busiest thread, TotalS that of all of them, in seconds.
	BusiestS float64 `json:"busiest_s"`
	TotalS   float64 `json:"total_s"`
}
