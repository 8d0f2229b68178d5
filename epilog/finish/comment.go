package finish

import (
	"context"
	"math"

	"jobgait/agent/job"
	"jobgait/analysis/history"
	"jobgait/analysis/quantity"
	jobreport "jobgait/reports/job"
	"jobgait/reports/text"
)

// wantsComments reports whether the settings request comments in the scheduler's accounting.
func (f Finisher) wantsComments() bool {
	accounting, ok := f.Scheduler.(job.Commenter)
	return ok && accounting.WantsComments()
}

// storeComments writes a digest of each of these runs, which have ended, into the job's comment in the scheduler's
// accounting, if the settings request that, and records in the history that it is done. It only logs what the
// accounting refused: the runs, and those whose comment the accounting does not show, are tried again with the next
// query, and the history has the digests.
func (f Finisher) storeComments(ctx context.Context, db *history.DB, ended []history.UnsettledRun) error {
	if !f.wantsComments() || len(ended) == 0 {
		return nil
	}
	var list []job.Comment
	var ids, done []int64 // the runs of list, and those whose comment is settled
	for _, r := range ended {
		s, dir, err := db.Lookup(ctx, history.Ref{ID: r.JobID.String(), Cluster: r.Cluster})
		if err != nil {
			f.Log("job %d: the admin comment is not written: %v: the next sweep tries it again", r.JobID, err)
			continue
		}
		if s.Key.JobID != r.JobID || math.Abs(s.End-r.End) > 2 {
			done = append(done, r.RunID) // a later run of the job has its own turn
			continue
		}
		d := jobreport.New(s, nil, f.options()).Digest()
		if d.Report = text.Clean(dir); dir == "" {
			d.Report = "jobgait show " + s.DisplayID()
		}
		body, small, err := d.Comment()
		if err != nil {
			f.Log("job %d: the admin comment is not written: %v: the next sweep tries it again", r.JobID, err)
			continue
		}
		ids = append(ids, r.RunID)
		list = append(list, job.Comment{JobID: r.JobID, DisplayID: s.DisplayID(), Text: body, Lower: small})
	}
	n, err := f.Scheduler.(job.Commenter).SetComments(ctx, list, jobreport.CommentMark)
	if n.Kept > 0 && f.Info != nil {
		f.Info("%s of other tools left unchanged: the digests of these jobs are in the history only",
			quantity.Plural(n.Kept, "admin comment"))
	}
	if err != nil {
		f.Log("%v: the next sweep tries it again; the digests are in the history", err)
		return nil
	}
	for i, c := range list {
		if !c.Missing {
			done = append(done, ids[i])
		}
	}
	return db.SetCommented(ctx, done)
}
