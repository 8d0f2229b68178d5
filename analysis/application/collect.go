package application

import (
	"context"
	"math"
	"slices"

	"jobgait/analysis/history"
	"jobgait/analysis/summary"
)

// ReadLimits bound what is read and judged for one run.
type ReadLimits struct {
	// Runs is how many runs of each shape are looked at, Shapes how many
	// shapes of the application, those with the newest runs.
	Runs, Shapes int
	// Others is how many other series of the cluster are looked at for shifts
	// of the machine, Days how recent a run of theirs has to be.
	Others int
	Days   float64
}

// MostOthers is the number of other series that a machine is known by, in reports and in lists alike: with two
// numbers they would not name the same events. On a site where 60 others run (100 runs each, the application in
// eight shapes) a report's judgement takes 80 ms of CPU time with 12 of them, 134 ms with 24 and 223 ms with 48
// (48 against 24 in turns: 1.5 to 1.9 times). Series that scatter by 1.5 % tell the level of their machine to
// 0.3 % with 24 and to 0.2 % with 48, and changes below 2 % are not reported: the second 24 change no output.
const MostOthers = 24

// DefaultLimits are what a report of one run is made with.
func DefaultLimits() ReadLimits {
	return ReadLimits{Runs: 200, Shapes: 32, Others: MostOthers, Days: 14}
}

// Collect reads the histories of the run's application, and of others that ran
// lately on the same machine; runs that began after this one are left out.
func Collect(ctx context.Context, db *history.DB, s summary.Summary, l ReadLimits) ([]history.ApplicationRuns, error) {
	stored, err := db.Histories(ctx,
		history.HistoryQuery{Cluster: s.Key.Cluster, User: history.User(s), App: history.Application(s),
			Until: s.Start, Runs: l.Runs, Series: l.Shapes})
	if err != nil || len(stored) == 0 {
		return nil, err
	}
	stored = withRun(stored, s)
	all := len(stored) + l.Others // the application's own are among the newest
	others, err := db.Histories(ctx, history.HistoryQuery{Cluster: s.Key.Cluster, Since: s.Start - l.Days*day,
		Until: s.Start, Runs: l.Runs, Series: all})
	if err != nil {
		return nil, err
	}
	for _, o := range others {
		if !IsOf(o, s) && len(stored) < all {
			stored = append(stored, o)
		}
	}
	return stored, nil
}

// withRun is the histories of an application with a run of it as the newest of
// its shape, unless it is there.
func withRun(stored []history.ApplicationRuns, s summary.Summary) []history.ApplicationRuns {
	it := history.Unstored(s)
	own := slices.IndexFunc(stored, func(h history.ApplicationRuns) bool { return h.Shape == it.Shape })
	switch {
	case len(it.Runs) == 0:
		return stored
	case own < 0:
		return append(stored, it)
	}
	h := stored[own]
	if slices.ContainsFunc(h.Runs, func(r history.Run) bool { return IsRun(r, s) }) {
		return stored
	}
	h.Runs, h.Fields, h.Nodes, h.Code = append(h.Runs, it.Runs...), append(h.Fields, it.Fields...),
		append(h.Nodes, it.Nodes...), append(h.Code, it.Code...)
	stored = slices.Clone(stored)
	stored[own] = h
	return stored
}

// IsOf says whether a history is of the application of a run, IsRun whether a row
// is that run.
func IsOf(h history.ApplicationRuns, s summary.Summary) bool {
	return h.Cluster == s.Key.Cluster && h.User == history.User(s) && h.App == history.Application(s)
}

func IsRun(r history.Run, s summary.Summary) bool {
	return r.JobID == s.Key.JobID && r.Restart == s.Key.Restart && r.Sub == s.Key.Sub && math.Abs(r.Start-s.Start) < 1
}
