package phase

// Phase is a stretch of a run. Phases of one run follow each other without
// gap or overlap and cover it.
type Phase struct {
	Kind    Stage   `json:"kind"`
	Pattern string  `json:"pattern,omitempty"` // id of the pattern, for Loop
	StartS  float64 `json:"start_s"`
	EndS    float64 `json:"end_s"`
	Share   float64 `json:"share"` // of the run's sampled time
}

// Stage is the kind of a phase.
type Stage string

const (
	StartUp   Stage = "start-up"  // before the first instance of any pattern
	Loop      Stage = "loop"      // instances of one pattern, one after the other
	Gap       Stage = "gap"       // between instances: checkpoints, other work
	Tail      Stage = "tail"      // after the last instance
	Aperiodic Stage = "aperiodic" // the whole run, when no pattern was found
	// Unfollowed is beside a loop, whose code runs there without its cycles being recognized.
	Unfollowed Stage = "unfollowed"
	Suspended  Stage = "suspended" // the job was stopped from outside; Table returns none
)

// ReaderText returns the stage as text for reports. Cycles may run unrecognized before the first and after the
// last one, so that these stretches are not called the start or the end of the program.
func (s Stage) ReaderText() string {
	switch s {
	case StartUp:
		return "before cycles"
	case Tail:
		return "after cycles"
	case Gap:
		return "between cycles"
	case Unfollowed:
		return "in the loop, not followed"
	}
	return string(s)
}
