package application

import (
	"context"
	"math"
	"slices"

	"jobgait/analysis/history"
	"jobgait/analysis/summary"
)

// ReadLimits bounds how many stored runs are read to assess one run.
type ReadLimits struct {
	// Runs is the most runs read of each shape, the newest first. Shapes is the most shapes read of the
	// application, those with the newest runs.
	Runs, Shapes int
	// Others is the most series of other applications on the cluster that are read to detect changes of the
	// machine. Each of them needs a run in the last Days days.
	Others int
	Days   float64
}

// MostOthers is the number of series of other applications from which changes of the machine are detected.
// Reports and lists use the same number, so that they name the same events. On a site where 60 others run (100
// runs each, the application in eight shapes) a report's judgement takes 80 ms of CPU time with 12 of them, 134
// ms with 24 and 223 ms with 48 (48 against 24 in turns: 1.5 to 1.9 times). Series that scatter by 1.5 %
// determine the shift of their machine to 0.3 % with 24 and to 0.2 % with 48, and changes below 2 % are not
// reported: the second 24 change no output.
const MostOthers = 24

// DefaultLimits returns the limits for the report of one run: 200 runs of each of 32 shapes, and MostOthers
// other series with runs in the last 14 days.
func DefaultLimits() ReadLimits {
	return ReadLimits{Runs: 200, Shapes: 32, Others: MostOthers, Days: 14}
}

// Collect reads the stored runs of the application of run s, one entry per series, and at most l.Others
// series of other applications that ran on the same cluster in the l.Days before s. It leaves out runs that
// began after s and adds s itself if it is not stored. It returns nil if the application has no stored run.
func Collect(ctx context.Context, db *history.DB, s summary.Summary, l ReadLimits) ([]history.ApplicationRuns, error) {
	stored, err := db.Histories(ctx,
		history.HistoryQuery{Cluster: s.Key.Cluster, User: history.User(s), App: history.Application(s),
			Until: s.Start, Runs: l.Runs, Series: l.Shapes})
	if err != nil || len(stored) == 0 {
		return nil, err
	}
	stored = withCurrentRun(stored, s)
	all := len(stored) + l.Others // the application's own are among the newest
	others, err := db.Histories(ctx, history.HistoryQuery{Cluster: s.Key.Cluster, Since: s.Start - l.Days*day,
		Until: s.Start, Runs: l.Runs, Series: all})
	if err != nil {
		return nil, err
	}
	for _, o := range others {
		if !IsOfApplication(o, s) && len(stored) < all {
			stored = append(stored, o)
		}
	}
	return stored, nil
}

// withCurrentRun returns the stored series of an application with run s added as the newest run of its shape, unless s
// is already stored or its application is unknown.
func withCurrentRun(stored []history.ApplicationRuns, s summary.Summary) []history.ApplicationRuns {
	it := history.HistoryOfUnstoredRun(s)
	own := slices.IndexFunc(stored, func(h history.ApplicationRuns) bool { return h.Shape == it.Shape })
	switch {
	case len(it.Runs) == 0:
		return stored
	case own < 0:
		return append(stored, it)
	}
	h := stored[own]
	if slices.ContainsFunc(h.Runs, func(r history.Run) bool { return IsSameRun(r, s) }) {
		return stored
	}
	h.Runs, h.Fields, h.Nodes, h.Code = append(h.Runs, it.Runs...), append(h.Fields, it.Fields...),
		append(h.Nodes, it.Nodes...), append(h.Code, it.Code...)
	stored = slices.Clone(stored)
	stored[own] = h
	return stored
}

// IsOfApplication reports whether series h has the cluster, user and application of run s.
func IsOfApplication(h history.ApplicationRuns, s summary.Summary) bool {
	return h.Cluster == s.Key.Cluster && h.User == history.User(s) && h.App == history.Application(s)
}

// IsSameRun reports whether row r is run s: same job, restart and part, and a start within one second.
func IsSameRun(r history.Run, s summary.Summary) bool {
	return r.JobID == s.Key.JobID && r.Restart == s.Key.Restart && r.Sub == s.Key.Sub && math.Abs(r.Start-s.Start) < 1
}
