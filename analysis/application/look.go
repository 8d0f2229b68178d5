package application

import (
	"cmp"
	"context"
	"slices"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/finding"
	"jobgait/analysis/history"
	"jobgait/analysis/scaling"
	"jobgait/analysis/summary"
	"jobgait/analysis/table"
)

// Look is what stored runs show beside one of them: its application's changes and
// scaling, and shifts of the machine by what others did there.
type Look struct {
	Histories
	Own   int // place of the run's own series; -1 where its application is not known
	Found changepoint.Analysis
	// Earlier are the other runs of its shape, newest first.
	Earlier []history.Run
	// OtherArguments is how many runs on as many nodes, tasks and CPUs had other arguments.
	OtherArguments int
	// Fewer is what a cycle takes on fewer nodes, nil where that is not known.
	Fewer *finding.Scaling
	// Laws are how the application grows, nil where it ran in too few sizes.
	Laws *Laws
}

// Laws are how an application grows with what varied most.
type Laws struct {
	Series  []scaling.Series
	Results []scaling.Result
	// Functions are those whose CPU time in a cycle grows worst, worst first.
	Functions []Growth
}

// Growth is by how many times something grows from the largest size to four times it.
type Growth struct {
	Name string
	By   float64
}

// LookAt looks at a run, stored or not yet, and the stored ones before it.
func LookAt(ctx context.Context, db *history.DB, s summary.Summary, l ReadLimits) (Look, error) {
	out := Look{Own: -1}
	stored, err := Collect(ctx, db, s, l)
	if err != nil {
		return out, err
	}
	own := slices.IndexFunc(stored, func(h history.ApplicationRuns) bool {
		return IsOf(h, s) && h.Shape == history.Shape(s)
	})
	if own < 0 || len(stored[own].Runs) == 0 {
		return out, nil
	}
	if out.Histories, err = Of(stored, ""); err != nil {
		return out, err
	}
	out.Own = own
	out.OtherArguments = otherArguments(stored, s)
	for _, r := range slices.Backward(stored[own].Runs) {
		if !IsRun(r, s) {
			out.Earlier = append(out.Earlier, r)
		}
	}
	out.OnlyCodeOf(func(i int) bool { return i == own })
	out.Found = changepoint.Analyse(table.Owned(out.Inputs), changepoint.Sequential, changepoint.Default())
	out.Fewer = FewerNodes(stored, s)
	out.Laws, err = out.laws(s)
	return out, err
}

// otherArguments counts runs of the application that differ from s by their arguments.
func otherArguments(stored []history.ApplicationRuns, s summary.Summary) (n int) {
	own, _ := history.LayoutOf(history.Shape(s))
	for _, h := range stored {
		l, ok := history.LayoutOf(h.Shape)
		if !ok || !IsOf(h, s) || l.Arguments == own.Arguments || l.Arguments == "" || own.Arguments == "" {
			continue
		}
		if l.Arguments = own.Arguments; l == own {
			n += len(h.Runs)
		}
	}
	return n
}

// laws fits the application's own series.
func (l Look) laws(s summary.Summary) (*Laws, error) {
	own := func(i int) bool { return IsOf(l.Stored[i], s) }
	var found changepoint.Analysis
	for i, r := range l.Found.Series {
		if own(i) {
			found.Series = append(found.Series, r)
		}
	}
	h := l.Keep(own)
	list, err := h.Scaling(found, ScalingOptions{})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	r := scaling.Analyse(list, scaling.Likelihood)
	if r[0].Whole == nil && len(r[0].Segments) == 0 {
		return nil, nil // two or three sizes: `jobgait scaling` says how many are missing
	}
	return &Laws{Series: list, Results: r, Functions: h.growing(found)}, nil
}

// leastGrowth is from which factor on a function grows.
const leastGrowth = 1.5

// growing are the functions that grow; none where names or sizes are too few.
func (h Histories) growing(found changepoint.Analysis) []Growth {
	list := h.ScalingBy(ByFunction, found, ScalingOptions{})
	var worst []Growth
	for i, r := range scaling.Analyse(list, scaling.Likelihood) {
		sizes := scaling.Sizes(list[i].Observations)
		if by := r.Growth(sizes[len(sizes)-1]); by >= leastGrowth {
			worst = append(worst, Growth{r.ID, by})
		}
	}
	slices.SortStableFunc(worst, func(a, b Growth) int { return cmp.Compare(b.By, a.By) })
	return worst
}

// Store puts what was found into the history that has the run, at UTC epoch seconds now.
func (l Look) Store(ctx context.Context, db *history.DB, s summary.Summary, now float64) error {
	if l.Own < 0 || l.Stored[l.Own].SeriesID == 0 {
		return nil
	}
	if err := db.PutEvents(ctx, l.Stored[l.Own].SeriesID, l.Events(l.Own, l.Found.Series[l.Own]), now); err != nil ||
		l.Laws == nil {
		return err
	}
	segments := Segments(l.Laws.Series[0], l.Laws.Results[0])
	if len(segments) == 0 {
		return nil
	}
	return db.PutScaling(ctx, s, segments, now)
}
