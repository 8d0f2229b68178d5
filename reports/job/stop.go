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
	// Iterations is the number of whole iterations that were recognised before
	// the end, Into the part of one more; both null outside of loops, Into also
	// where the iterations are too short to tell.
	Iterations *int     `json:"iterations"`
	Into       *float64 `json:"into"`
	SinceS     float64  `json:"since_s"`
	Text       string   `json:"text"`
}

// unsampled is the part of a run at its end that may be without samples: the
// agent and the hook take their leave one after the other.
const unsampled = 0.02

// afterwards is how many seconds sampling may go on after the job's processes are
// gone: shorter parts of an iteration, and shorter tails, say nothing.
const afterwards = 2.0

// newStop returns where a run stopped that failed; nil for others, and where the
// samples do not reach the end.
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
	if s.ElapsedS-end > max(5, unsampled*s.ElapsedS) {
		return nil
	}
	at, ok := phase.StoppedIn(s.Phases, s.Patterns, end)
	if ok && at.Kind == phase.Tail && at.SinceS < afterwards {
		at, ok = phase.StoppedIn(s.Phases, s.Patterns, end-at.SinceS)
	}
	if !ok || at.Kind == phase.Aperiodic {
		return nil
	}
	out := &Stop{Kind: at.Kind, Pattern: Word(at.Pattern), SinceS: at.SinceS}
	switch at.Kind {
	case phase.Loop:
		out.Iterations = &at.Iterations
		out.Text = fmt.Sprintf("in loop %s, after about %s", at.Pattern, quantity.Plural(at.Iterations, "cycle"))
		if q := patternOf(s, at.Pattern); at.Into >= 0.01 && q.PeriodS >= 3*afterwards {
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

// failed is whether a run is known not to have ended in order.
func failed(s summary.Summary) bool {
	switch s.State {
	case "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "OUT_OF_MEMORY", "DEADLINE", "BOOT_FAIL", "PREEMPTED":
		return true
	}
	return s.Exit != nil && (s.Exit.Code != 0 || s.Exit.Signal != 0)
}

// endedOnce is how the run ended for the head of the text, where the findings below say
// where it stopped.
func (r Report) endedOnce() string {
	if r.inHead("failed_in_phase") {
		return r.Job.Ended
	}
	return r.ended()
}

// ended is how the run ended, and where it stopped.
func (r Report) ended() string {
	if s := r.Rhythm.Stopped; s != nil {
		return r.Job.Ended + "; it stopped " + s.Text
	}
	return r.Job.Ended
}
