package finish

import (
	"context"
	"math"

	"jobgait/agent/job"
	"jobgait/analysis/history"
	jobreport "jobgait/reports/job"
)

// comment writes the digests of runs whose end the accounting knows into its comments of them, where the settings
// want that. What keeps it from that is a line of the log: the history has all of it.
func (f Finisher) comment(ctx context.Context, db *history.DB, runs []history.Stateless, ended []history.Ended) {
	accounting, ok := f.Scheduler.(job.Commenter)
	if !ok || !accounting.WantsComments() {
		return
	}
	known := map[int64]bool{}
	for _, e := range ended {
		known[e.RunID] = true
	}
	var list []job.Comment
	for _, r := range runs {
		if !known[r.RunID] {
			continue
		}
		s, _, err := db.Lookup(ctx, history.Ref{ID: r.JobID.String(), Cluster: r.Cluster})
		if err != nil || s.Key.JobID != r.JobID || math.Abs(s.End-r.End) > 2 {
			continue // a later run of the job, which has its own turn
		}
		text, small, err := jobreport.New(s, nil, f.options()).Digest().Comment()
		if err != nil {
			f.Log("job %d: %v", r.JobID, err)
			continue
		}
		list = append(list, job.Comment{JobID: r.JobID, Text: text, Lower: small})
	}
	if _, err := accounting.SetComments(ctx, list, jobreport.CommentMark); err != nil {
		f.Log("%v", err)
	}
}
