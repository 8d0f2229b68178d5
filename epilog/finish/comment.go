package finish

import (
	"context"
	"math"

	"jobgait/agent/job"
	"jobgait/analysis/history"
	"jobgait/analysis/quantity"
	jobreport "jobgait/reports/job"
)

// storeComments writes a digest of each run with a known end into the job's comment in the scheduler's
// accounting, if the settings request that. It only logs errors, because the history holds all of it.
func (f Finisher) storeComments(ctx context.Context, db *history.DB, runs []history.RunWithoutState,
	ended []history.RunEnd) {
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
			f.Log("job %d: the admin comment is not written: %v", r.JobID, err)
			continue
		}
		list = append(list, job.Comment{JobID: r.JobID, DisplayID: s.DisplayID(), Text: text, Lower: small})
	}
	n, err := accounting.SetComments(ctx, list, jobreport.CommentMark)
	if err != nil {
		f.Log("%v; the digests are in the history", err)
	}
	if n.Kept > 0 {
		f.Log("%s of other tools left unchanged; the digests of these jobs are in the history",
			quantity.Plural(n.Kept, "admin comment"))
	}
}
