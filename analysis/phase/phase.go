package phase

// Phase is a stretch of a run. Phases of one run follow each other without
// gap or overlap and cover it.
type Phase struct {
	Kind    Kind    `json:"kind"`
	Pattern string  `json:"pattern,omitempty"` // id of the pattern, for Loop
	StartS  float64 `json:"start_s"`
	EndS    float64 `json:"end_s"`
	Share   float64 `json:"share"` // of the run's sampled time
}

// Kind names what a phase is.
type Kind string

const (
	StartUp   Kind = "start-up"  // before the first instance of any pattern
	Loop      Kind = "loop"      // instances of one pattern, one after the other
	Gap       Kind = "gap"       // between instances: checkpoints, other work
	Tail      Kind = "tail"      // after the last instance
	Aperiodic Kind = "aperiodic" // the whole run, when no pattern was found
	Suspended Kind = "suspended" // the job was stopped from outside; Table knows of none
)
