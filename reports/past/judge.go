package past

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/history"
	"jobgait/analysis/quantity"
	"jobgait/analysis/scaling"
	"jobgait/analysis/summary"
	"jobgait/reports"
	"jobgait/reports/change"
	"jobgait/reports/scale"
)

// Limits bound what is read and judged for one run.
type Limits struct {
	// Runs is how many runs of each shape are looked at, Shapes how many
	// shapes of the application, those with the newest runs.
	Runs, Shapes int
	// Others is how many other series of the cluster are looked at for shifts
	// of the machine, Days how recent a run of theirs has to be.
	Others int
	Days   float64
	// Recent is for how many runs a change is told at the head of a report.
	Recent int
}

// MostOthers is the number of other series that a machine is known by, in
// reports and in lists alike: with two numbers they would not name the same
// events. On a site where 60 others run (100 runs each, the application in eight
// shapes) a report's judgement takes 80 ms of CPU time with 12 of them, 134 ms
// with 24 and 223 ms with 48 (48 against 24 in turns: 1.5 to 1.9 times). Series
// that scatter by 1.5 % tell the level of their machine to 0.3 % with 24 and to
// 0.2 % with 48, and nobody is told of less than 2 %: the second 24 buy nothing
// that is printed.
const MostOthers = 24

// DefaultLimits are what a report of one run is made with.
func DefaultLimits() Limits {
	return Limits{Runs: 200, Shapes: 32, Others: MostOthers, Days: 14, Recent: 20}
}

// Judgement is what the stored runs say of one of them.
type Judgement struct {
	// Runs are the earlier runs of the same shape, newest first.
	Runs     []history.Run
	Across   reports.Across
	SeriesID int64
	Events   []history.Event
	Segments []history.Segment
}

// Judge looks at a run and the stored ones before it: at those of its
// application for changes and scaling, at those of others for shifts of the
// machine. The run itself may be stored or not yet.
func Judge(ctx context.Context, db *history.DB, s summary.Summary, l Limits) (Judgement, error) {
	stored, err := collect(ctx, db, s, l)
	if err != nil {
		return Judgement{}, err
	}
	own := slices.IndexFunc(stored, func(h history.History) bool { return isOf(h, s) && h.Shape == history.Shape(s) })
	if own < 0 || len(stored[own].Runs) == 0 { // of an application that is not known
		return Judgement{}, nil
	}
	j := Judgement{SeriesID: stored[own].SeriesID}
	for _, r := range stored[own].Runs {
		if !isRun(r, s) {
			j.Runs = append(j.Runs, r)
		}
	}
	slices.Reverse(j.Runs)
	h, err := Of(stored, "")
	if err != nil {
		return j, err
	}
	o := change.Default()
	o.Acks = h.Acknowledged()
	report := change.Analyse(h.List, changepoint.Sequential, changepoint.Default(), o)
	j.Events = h.Events(own, report.Series[own].Result)
	if j.Across.Changes, err = changesFinding(report, own, l, o); err != nil {
		return j, err
	}
	j.Segments, j.Across.Scaling, err = h.scalingOf(s, report)
	return j, err
}

// collect reads the histories of the run's application, and of others that ran
// lately on the same machine; runs that began after this one are left out.
func collect(ctx context.Context, db *history.DB, s summary.Summary, l Limits) ([]history.History, error) {
	stored, err := db.Histories(ctx, history.HistoryQuery{Cluster: s.Key.Cluster, User: history.User(s), App: history.Application(s),
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
		if !isOf(o, s) && len(stored) < all {
			stored = append(stored, o)
		}
	}
	return stored, nil
}

// withRun is the histories of an application with a run of it as the newest of
// its shape, unless it is there.
func withRun(stored []history.History, s summary.Summary) []history.History {
	it := history.Unstored(s)
	own := slices.IndexFunc(stored, func(h history.History) bool { return h.Shape == it.Shape })
	switch {
	case len(it.Runs) == 0:
		return stored
	case own < 0:
		return append(stored, it)
	}
	h := stored[own]
	if slices.ContainsFunc(h.Runs, func(r history.Run) bool { return isRun(r, s) }) {
		return stored
	}
	h.Runs, h.Fields, h.Nodes = append(h.Runs, it.Runs...), append(h.Fields, it.Fields...), append(h.Nodes, it.Nodes...)
	stored = slices.Clone(stored)
	stored[own] = h
	return stored
}

func isOf(h history.History, s summary.Summary) bool {
	return h.Cluster == s.Key.Cluster && h.User == history.User(s) && h.App == history.Application(s)
}

func isRun(r history.Run, s summary.Summary) bool {
	return r.JobID == s.Key.JobID && r.Restart == s.Key.Restart && r.Sub == s.Key.Sub && math.Abs(r.Start-s.Start) < 1
}

// mostEvents is how many changes a report names; the newest.
const mostEvents = 3

// changesFinding says what the runs of this shape show.
func changesFinding(r change.Report, own int, l Limits, o change.Options) (reports.Finding, error) {
	s := r.Series[own]
	m, _ := MetricOf(s.Metric)
	f := reports.Finding{Title: "Changes of speed", Remark: fmt.Sprintf("%s, judged by %s", quantity.Plural(s.N, "run"), m.Say), Style: change.Style()}
	for i, e := range s.Events {
		if i < mostEvents {
			f.Text = append(f.Text, e.Text)
		}
		recent := e.Last().Index > s.N-1-l.Recent
		if i == 0 && recent && !e.Small && !e.Known {
			f.Verdicts = append(f.Verdicts, reports.Verdict{Level: level(e.Last().EffectPct), Text: "Runs like this one: " + e.Text})
		}
	}
	if more := len(s.Events) - mostEvents; more > 0 {
		f.Text = append(f.Text, fmt.Sprintf("%d earlier changes: `jobgait changes` lists them.", more))
	}
	if s.Watch != "" {
		f.Text = append(f.Text, s.Watch)
		text := s.Watch
		if !math.IsNaN(s.Y[len(s.Y)-1]) {
			text = s.WatchSentence("This run")
		}
		f.Verdicts = append(f.Verdicts, reports.Verdict{Level: "warning", Text: text})
	}
	if len(f.Text) == 0 {
		return f, nil
	}
	var b bytes.Buffer
	if err := change.JSON(&b, r.Keep(func(i int) bool { return i == own })); err != nil {
		return f, err
	}
	f.Data = b.Bytes()
	view := change.DefaultView(o)
	view.Machine = r.Machine
	if svg := change.Timeline(s, view); svg != "" {
		remark := "runs over time; line and band: level +- one standard deviation; open dots: outliers; dashed: change"
		if len(r.Machine) > 0 {
			remark += "; shaded: a shift of the machine, taken out"
		}
		f.Charts = append(f.Charts, reports.Chart{Title: m.Say, Remark: remark, SVG: svg})
	}
	return f, nil
}

// level is how a verdict on a change of a time is marked.
func level(effectPct float64) string {
	if effectPct > 0 {
		return "warning"
	}
	return "info"
}

// scalingOf fits the application's own series.
func (h Histories) scalingOf(s summary.Summary, found change.Report) ([]history.Segment, reports.Finding, error) {
	var f reports.Finding
	own := func(i int) bool { return isOf(h.stored[i], s) }
	var results changepoint.Report
	for i, r := range found.Series {
		if own(i) {
			results.Series = append(results.Series, r.Result)
		}
	}
	list, err := h.Keep(own).Scaling(results, ScalingOptions{})
	if err != nil || len(list) == 0 {
		return nil, f, err
	}
	r := scaling.Analyse(list, scaling.Likelihood)
	if r[0].Whole == nil && len(r[0].Segments) == 0 {
		return nil, f, nil // two or three sizes: `jobgait scaling` says how many are missing
	}
	m, _ := MetricOf(list[0].Metric)
	f = reports.Finding{Title: "Scaling", Remark: fmt.Sprintf("%s over %s, %d sizes", m.Say, list[0].Parameter, r[0].N),
		Text: scale.Lines(r[0], list[0].Observations), Style: scale.Style}
	var b bytes.Buffer
	if err := scale.JSON(&b, scale.Report{Method: scaling.Likelihood, Results: r, Series: list, Numbers: make([]bool, len(r)), Expected: math.NaN()}); err != nil {
		return nil, f, err
	}
	f.Data = b.Bytes()
	f.Charts = []reports.Chart{{Title: m.Say, Remark: "over " + list[0].Parameter, SVG: scale.Chart(r[0], list[0].Observations)}}
	return segments(list[0], r[0]), f, nil
}
