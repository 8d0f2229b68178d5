package job

import (
	"fmt"
	"slices"

	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/phase"
	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
)

// Stop says where in its structure a run that did not end in order stopped.
type Stop struct {
	Kind    phase.Stage `json:"kind"`
	Pattern Word        `json:"pattern"`
	// Iterations is the number of complete iterations that were recognized before the end, Into the completed part
	// of one more, 0 to 1. Both are null outside of loops; Into is also null if the iterations are too short for
	// it to be determined.
	Iterations *int     `json:"iterations"`
	Into       *float64 `json:"into"`
	SinceS     float64  `json:"since_s"`
	Text       string   `json:"text"`
}

// maxUnsampledPart is the largest part of a run at its end that may be without samples: the agent ends before
// the hook does.
const maxUnsampledPart = 0.02

// maxAfterEndS is how many seconds sampling may continue after the job's processes have ended: shorter parts of
// an iteration and shorter tails mean nothing.
const maxAfterEndS = 2.0

// newStop says where a failed run stopped. It returns nil for other runs, for runs without a pattern, if the samples do
// not reach the end, and if the run stopped where no period was found.
func newStop(s summary.Summary) *Stop {
	if !failed(s) || len(s.Phases) == 0 || len(s.Patterns) == 0 {
		return nil
	}
	for _, n := range s.Notes {
		if n.Code == note.AgentDied || n.Code == note.SpoolFull {
			return nil
		}
	}
	end := s.Phases[len(s.Phases)-1].EndS
	if s.ElapsedS-end > max(5, maxUnsampledPart*s.ElapsedS) {
		return nil
	}
	at, ok := phase.PhaseAtEnd(s.Phases, s.Patterns, end)
	if ok && at.Kind == phase.Tail && at.SinceS < maxAfterEndS {
		at, ok = phase.PhaseAtEnd(s.Phases, s.Patterns, end-at.SinceS)
	}
	if !ok || at.Kind == phase.Aperiodic {
		return nil
	}
	out := &Stop{Kind: at.Kind, Pattern: Word(at.Pattern), SinceS: at.SinceS}
	switch at.Kind {
	case phase.Loop:
		out.Iterations = &at.Iterations
		out.Text = fmt.Sprintf("in loop %s, after about %s", at.Pattern, quantity.Plural(at.Iterations, "cycle"))
		if q := patternOf(s, at.Pattern); at.Into >= 0.01 && q.PeriodS >= 3*maxAfterEndS {
			out.Into = &at.Into
			out.Text = fmt.Sprintf("in loop %s, %s into about cycle %s", at.Pattern, quantity.Share(at.Into),
				quantity.Count(at.Iterations+1))
		}
	case phase.Tail:
		out.Text = quantity.Duration(at.SinceS) + " after the last cycle that was recognized"
	case phase.Unfollowed:
		out.Text = "in the loop, whose cycles were not followed for the last " + quantity.Duration(at.SinceS)
	case phase.StartUp:
		out.Text = "before any cycle was recognized, after " + quantity.Duration(at.SinceS)
	default:
		out.Text = "between cycles, " + quantity.Duration(at.SinceS) + " after the last one that was recognized"
	}
	return out
}

// patternOf returns a pattern by its id, an empty one if there is no such pattern.
func patternOf(s summary.Summary, id string) pattern.Pattern {
	i := slices.IndexFunc(s.Patterns, func(q pattern.Pattern) bool { return q.ID == id })
	if i < 0 {
		return pattern.Pattern{}
	}
	return s.Patterns[i]
}

// failed reports whether a run is known to have failed: its state says so, or its exit code or signal is not 0.
func failed(s summary.Summary) bool {
	switch s.State {
	case "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "OUT_OF_MEMORY", "DEADLINE", "BOOT_FAIL", "PREEMPTED":
		return true
	}
	return s.Exit != nil && (s.Exit.Code != 0 || s.Exit.Signal != 0)
}

// endedInHead says how the run ended, for the head of the text. It leaves out where the run stopped if a
// finding below says that.
func (r Report) endedInHead() string {
	if r.inHead("failed_in_phase") {
		return r.Job.Ended
	}
	return r.ended()
}

// ended says how the run ended, and where it stopped.
func (r Report) ended() string {
	if s := r.Rhythm.Stopped; s != nil {
		return r.Job.Ended + "; it stopped " + s.Text
	}
	return r.Job.Ended
}
