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

// RunAssessment compares one run with stored runs: changes and scaling of its application, and changes of the
// machine that other applications show.
type RunAssessment struct {
	Histories
	Own   int // index of the run's own series; -1 if the application has no stored run
	Found changepoint.Analysis
	// Earlier lists the other runs of its shape, newest first.
	Earlier []history.Run
	// OtherArguments counts runs on the same number of nodes, tasks and CPUs that had other arguments.
	OtherArguments int
	// FewerNodes compares the time of a cycle with that on fewer nodes; nil if unknown.
	FewerNodes *finding.Scaling
	// GrowthLaws holds the application's scaling models; nil if it ran in too few sizes.
	GrowthLaws *GrowthLaws
}

// GrowthLaws holds the scaling models of an application over the parameter that varied most, such as its number
// of nodes.
type GrowthLaws struct {
	Series  []scaling.Series
	Results []scaling.Result
	// Functions lists the functions whose CPU time per cycle grows by leastGrowth or more, fastest first.
	Functions []Growth
}

// Growth is the factor By by which the CPU time of function Name is predicted to grow from the largest measured
// size to four times that size.
type Growth struct {
	Name string
	By   float64
}

// AssessRun reads the stored runs before run s, which need not be stored itself, detects changes in them and
// fits scaling models. If the application has no stored run, Own of the result is -1 and the rest is empty.
func AssessRun(ctx context.Context, db *history.DB, s summary.Summary, l ReadLimits) (RunAssessment, error) {
	out := RunAssessment{Own: -1}
	stored, err := Collect(ctx, db, s, l)
	if err != nil {
		return out, err
	}
	own := slices.IndexFunc(stored, func(h history.ApplicationRuns) bool {
		return IsOfApplication(h, s) && h.Shape == history.Shape(s)
	})
	if own < 0 || len(stored[own].Runs) == 0 {
		return out, nil
	}
	if out.Histories, err = NewHistories(stored, ""); err != nil {
		return out, err
	}
	out.Own = own
	out.OtherArguments = otherArguments(stored, s)
	for _, r := range slices.Backward(stored[own].Runs) {
		if !IsSameRun(r, s) {
			out.Earlier = append(out.Earlier, r)
		}
	}
	out.OnlyCodeOf(func(i int) bool { return i == own })
	out.Found = changepoint.Analyse(table.WithOwners(out.Inputs), changepoint.Sequential, changepoint.Default())
	out.FewerNodes = FewerNodes(stored, s)
	out.GrowthLaws, err = out.fitGrowthLaws(s)
	return out, err
}

// otherArguments counts the stored runs of the application of s that differ from s only in their arguments.
func otherArguments(stored []history.ApplicationRuns, s summary.Summary) (n int) {
	own, _ := history.LayoutOf(history.Shape(s))
	for _, h := range stored {
		l, ok := history.LayoutOf(h.Shape)
		if !ok || !IsOfApplication(h, s) || l.Arguments == own.Arguments || l.Arguments == "" || own.Arguments == "" {
			continue
		}
		if l.Arguments = own.Arguments; l == own {
			n += len(h.Runs)
		}
	}
	return n
}

// fitGrowthLaws fits scaling models to the application's own series; nil if it ran in too few sizes.
func (l RunAssessment) fitGrowthLaws(s summary.Summary) (*GrowthLaws, error) {
	own := func(i int) bool { return IsOfApplication(l.Stored[i], s) }
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
	return &GrowthLaws{Series: list, Results: r, Functions: h.growingFunctions(found)}, nil
}

// leastGrowth is the least factor of growth at which a function is listed.
const leastGrowth = 1.5

// growingFunctions returns the functions whose CPU time per cycle grows by leastGrowth or more, fastest first;
// nil if too few have names or sizes.
func (h Histories) growingFunctions(found changepoint.Analysis) []Growth {
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

// Store writes the detected changes and the scaling segments to the database, with time now in UTC epoch
// seconds. It does nothing if the run's series is not stored.
func (l RunAssessment) Store(ctx context.Context, db *history.DB, s summary.Summary, now float64) error {
	if l.Own < 0 || l.Stored[l.Own].SeriesID == 0 {
		return nil
	}
	if err := db.PutEvents(ctx, l.Stored[l.Own].SeriesID, l.Events(l.Own, l.Found.Series[l.Own]), now); err != nil ||
		l.GrowthLaws == nil {
		return err
	}
	segments := Segments(l.GrowthLaws.Series[0], l.GrowthLaws.Results[0])
	if len(segments) == 0 {
		return nil
	}
	return db.PutScaling(ctx, s, segments, now)
}
