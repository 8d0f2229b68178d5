package watch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"jobgait/agent/live"
	q "jobgait/analysis/quantity"
	"jobgait/analysis/tracker"
	"jobgait/reports/text"
)

// Dead is the state of a run whose agent is gone without having reported the end of the run.
const Dead tracker.LoopState = "dead"

// Text returns a few lines on the state of a run at the time now; alive says whether its agent is running.
func Text(s live.State, alive bool, now time.Time) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	later := 0.0
	if alive {
		later = max(0, now.Sub(s.At).Seconds())
	}
	line("job %d on %s, %s after its start", s.JobID, text.Clean(s.Node), q.Duration(s.ElapsedS+later))
	line("%s", stateWords(s, alive, now))
	if alive && s.State == tracker.Stalled && s.Stalled != nil && s.Stalled.Summary != "" {
		line("%s", text.Clean(s.Stalled.Summary))
	}
	if s.PeriodS != nil && *s.PeriodS > 0 {
		line("a cycle takes %s; %s so far", q.Period(*s.PeriodS), q.Plural(s.Cycles, "cycle"))
	}
	if n := len(s.RecentS); n >= 2 {
		line("the last %d: %s %s to %s", n, sparkOf(s.RecentS), q.Period(slices.Min(s.RecentS)),
			q.Period(slices.Max(s.RecentS)))
	}
	for _, l := range s.Low {
		line("little is done in it from %s on, for %s, in %s of the cycles", q.Duration(l.OffsetS), q.Duration(l.DurationS),
			q.Share(l.Repeatability))
	}
	if s.Pace != nil && alive {
		line("%s", paceWords(*s.Pace, now))
	}
	if by := s.LastCheckpointBy; by != nil && alive {
		if by.Before(now) {
			line("no checkpoint fits before its time limit any more: the last had to begin by %s",
				by.In(now.Location()).Format("2006-01-02 15:04:05"))
		} else {
			line("the last checkpoint that fits must begin by %s", by.In(now.Location()).Format("2006-01-02 15:04:05"))
		}
	}
	if why := s.NoLastCheckpoint; why != nil && *why == live.NoCheckpointYet && s.Cycles > 0 && alive {
		line("no last checkpoint is known yet: it takes three breaks of the loop, or four files of equal size, at regular " +
			"distances")
	}
	for _, n := range s.Notes {
		line("note: %s", text.Clean(n.Text))
	}
	return b.String()
}

// paceWords says when a run is expected to end, in the time zone of now.
func paceWords(p live.Pace, now time.Time) string {
	layout := "15:04:05"
	if p.EndsHi.Sub(now) > 12*time.Hour {
		layout = "2006-01-02 15:04"
	}
	at := func(t time.Time) string { return t.In(now.Location()).Format(layout) }
	why := q.Plural(p.CyclesUsual, "cycle") + ", as you say"
	if p.Runs > 0 {
		why = q.Plural(p.CyclesUsual, "cycle") + ", as your last " + q.Plural(int64(p.Runs), "run") + " did"
	}
	line := fmt.Sprintf("it ends at %s (%s to %s) if it makes %s", at(p.EndsAt), at(p.EndsLo), at(p.EndsHi), why)
	switch {
	case p.LimitAt == nil:
	case p.LimitFirst:
		line += fmt.Sprintf("\nITS TIME LIMIT COMES FIRST, at %s", at(*p.LimitAt))
	case p.LimitAt.Before(p.EndsHi):
		line += fmt.Sprintf("\nits time limit may come first, at %s", at(*p.LimitAt))
	}
	return line
}

// stateWords describes the state of the run: that it has ended, how old the state is if no agent watches it any longer,
// else where it is with respect to its loop, or that it is stalled or suspended.
func stateWords(s live.State, alive bool, now time.Time) string {
	if !alive {
		if s.State == tracker.Ended {
			return "it has ended"
		}
		return "no agent watches it any longer; the following was known " +
			q.Duration(max(0, now.Sub(s.At).Seconds())) + " ago"
	}
	switch s.State {
	case tracker.Starting:
		return "it has just begun: its rhythm is not known yet"
	case tracker.None:
		return "nothing repeats so far"
	case tracker.InCycle:
		return "in its loop"
	case tracker.LeftLoop:
		return "busy, but not in its loop any more"
	case tracker.Stalled:
		if s.Stalled != nil {
			return "STALLED" + onThisNode(s) + ": " + stalledWords(s, now)
		}
	case tracker.IsSuspended:
		return "suspended"
	}
	return "state " + text.Clean(string(s.State))
}

// onThisNode returns " on this node" for a job of several nodes, of whose state an agent sees only its own node's.
func onThisNode(s live.State) string {
	if s.Job.NNodes > 1 {
		return " on this node"
	}
	return ""
}

// stalledWords says what has not happened, and since when.
func stalledWords(s live.State, now time.Time) string {
	missing := "no cycle"
	if s.Cycles == 0 {
		missing = "none of its own code has run"
	}
	return fmt.Sprintf("%s for %s, its processes are %s", missing,
		q.Duration(max(0, now.Sub(s.Stalled.Since).Seconds())), text.Clean(string(s.Stalled.Doing)))
}

// sparkOf draws lengths as a spark line over their range.
func sparkOf(lengths []float64) string {
	return text.Spark(lengths, slices.Min(lengths), slices.Max(lengths), false)
}
