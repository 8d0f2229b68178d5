package finish

import (
	"math"
	"slices"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// laterS is how long after the scheduler's start and end of a run its Prolog and Epilog come at the latest, in seconds,
// where the clocks are the same.
const laterS = 60

// behindS is how far a node's clock may be behind the scheduler's without a note: the scheduler's times have whole
// seconds.
const behindS = 5

// sameRun says whether the scheduler speaks of this run and not of a later one of the job, which would begin after the
// Prolog. It also seems to do that where the node's clock is behind: then the number of restarts and the duration,
// which the node has by its monotonic clock, are those of this run.
func sameRun(d job.Details, r job.Run, s summary.Summary) bool {
	if d.Restarts != nil && *d.Restarts > r.Key.Restart {
		return false
	}
	if d.Start == nil || float64(*d.Start) <= r.StartReal+laterS {
		return true
	}
	if d.Restarts == nil || d.End == nil {
		return false
	}
	return math.Abs(float64(*d.End-*d.Start)-s.ElapsedS) <= laterS
}

// clockSkew returns by how many seconds the clocks of the nodes are ahead of the scheduler's, less than 0 if they are
// behind; 0 if that is not known or no more than hooks are late. Both hooks come after the scheduler's times.
func clockSkew(d job.Details, r job.Run, s summary.Summary) float64 {
	if d.Start == nil || d.End == nil {
		return 0
	}
	least := min(r.StartReal-float64(*d.Start), s.End-float64(*d.End))
	if least < -behindS || least > laterS {
		return least
	}
	return 0
}

// withClockSkew names a difference of the clocks: the times of day of the run are the node's.
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

// ofLaterRun says whether the scheduler speaks of a later run of the job: a requeue has given it a new start.
func ofLaterRun(d job.Details, r job.Run, s summary.Summary) bool {
	return slices.ContainsFunc(s.Notes, func(n note.Note) bool { return n.Code == note.Requeued }) || !sameRun(d, r, s)
}
