package finish

import (
	"math"
	"slices"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// maxHookDelayS is the longest time, in seconds, between the scheduler's start or end of a run and its Prolog
// or Epilog if the clocks agree.
const maxHookDelayS = 60

// clockToleranceS is by how many seconds a node's clock may be behind the scheduler's without a note: the
// scheduler's times are whole seconds.
const clockToleranceS = 5

// sameRun reports whether the scheduler's details describe this run and not a later run of the same job, which
// starts after this Prolog. If the node's clock is behind, this run seems to start later too; then restart
// count and duration decide.
func sameRun(d job.Details, r job.Run, s summary.Summary) bool {
	if d.Restarts != nil && *d.Restarts > r.Key.Restart {
		return false
	}
	if d.Start == nil || float64(*d.Start) <= r.StartReal+maxHookDelayS {
		return true
	}
	if d.Restarts == nil || d.End == nil {
		return false
	}
	return math.Abs(float64(*d.End-*d.Start)-s.ElapsedS) <= maxHookDelayS
}

// clockSkew returns by how many seconds the clocks of the nodes are ahead of the scheduler's, less than 0 if they are
// behind. It is the smaller of the delays with which the Prolog and the last Epilog seem to follow the scheduler's
// times of start and end. It returns 0 if these times are unknown, or if agreeing clocks explain the delay.
func clockSkew(d job.Details, r job.Run, s summary.Summary) float64 {
	if d.Start == nil || d.End == nil {
		return 0
	}
	skew := min(r.StartReal-float64(*d.Start), s.End-float64(*d.End))
	if skew < -clockToleranceS || skew > maxHookDelayS {
		return skew
	}
	return 0
}

// withClockSkew adds a note if the node's and the scheduler's clocks differ. The times of day in the summary
// remain the node's.
func withClockSkew(s summary.Summary, d job.Details, r job.Run) summary.Summary {
	skew := clockSkew(d, r, s)
	if skew == 0 {
		return s
	}
	side := "ahead of"
	if skew < 0 {
		side = "behind"
	}
	s.Notes = append(s.Notes, note.New(note.ClockSkew,
		"the clock of %s was about %.0f s %s the scheduler's: times of day are the node's", r.Node, math.Abs(skew), side))
	return s
}

// isLaterRun reports whether the scheduler's details describe a later run of the job, which a requeue has
// started.
func isLaterRun(d job.Details, r job.Run, s summary.Summary) bool {
	return slices.ContainsFunc(s.Notes, func(n note.Note) bool { return n.Code == note.Requeued }) || !sameRun(d, r, s)
}
