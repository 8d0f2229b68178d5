package earlier

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/application"
	"jobgait/analysis/changepoint"
	"jobgait/analysis/finding"
	"jobgait/analysis/history"
	"jobgait/analysis/quantity"
	"jobgait/analysis/scaling"
	"jobgait/analysis/summary"
	"jobgait/reports/change"
	"jobgait/reports/html"
	"jobgait/reports/job"
	scalingreport "jobgait/reports/scaling"
)

// Judgement is the comparison of one run with the stored runs.
type Judgement struct {
	// Runs are the earlier runs of the same shape, newest first.
	Runs   []history.Run
	Across job.OtherRuns
}

// Judge returns the judgement of a run from the results of the analysis of the stored runs before it. If the
// run itself is in none of them, the judgement has only the number of earlier runs.
func Judge(l application.RunAssessment) (Judgement, error) {
	j := Judgement{Runs: l.Earlier}
	if l.Own < 0 {
		return j, nil
	}
	o := change.Default()
	o.Acks = Acknowledged(l.Histories)
	report := change.New(NamedHistories(l.Histories, true), changepoint.Sequential, l.Found, o)
	j.Across.Fewer, j.Across.OtherArguments = l.FewerNodes, l.OtherArguments
	var err error
	if j.Across.Changes, err = changesFinding(report, l.Own, l.Stored[l.Own].Runs, o); err != nil || l.GrowthLaws == nil {
		return j, err
	}
	j.Across.Scaling, err = scalingFinding(*l.GrowthLaws)
	return j, err
}

// CompareWithStored compares a run that is not in the history with the stored runs, and sets the run's step_s. It
// stores nothing, so it works for users who may only read.
func CompareWithStored(ctx context.Context, db *history.DB, run summary.Summary) (summary.Summary, Judgement, error) {
	s, err := application.WithStep(ctx, db, run)
	if err != nil {
		return run, Judgement{}, err
	}
	l, err := application.AssessRun(ctx, db, s, application.DefaultLimits())
	if err != nil {
		return run, Judgement{}, err
	}
	j, err := Judge(l)
	if err != nil {
		return run, Judgement{}, err
	}
	return s, j, nil
}

const (
	// mostEvents is the largest number of changes that a report names; they are the newest.
	mostEvents = 3
	// recentRuns is the number of runs after a change in whose reports the change is at the head.
	recentRuns = 20
)

// changesFinding returns the section on changes of speed among the runs of this shape. Its Others are the newest
// change, if it is recent, not small and not acknowledged, and the unconfirmed deviation. own is the index of this
// run's series in r; runs are its stored runs in the order of the history. The error is that of the section's JSON.
func changesFinding(r change.Report, own int, runs []history.Run, o change.Options) (job.Section, error) {
	s := r.Series[own]
	m, _ := application.MetricOf(s.Metric)
	f := job.Section{Title: "Changes of speed",
		Remark: fmt.Sprintf("%s, judged by %s", quantity.Plural(s.Result.N, "run"), m.Description), Style: change.Style()}
	for i, e := range s.Events {
		if i < mostEvents {
			f.Text = append(f.Text, e.Text)
		}
		recent := lastOf(e) > s.Result.N-1-recentRuns
		if i == 0 && recent && !e.Small && !e.Known {
			v := finding.Comparison{Text: "Runs like this one: " + e.Brief, EffectPct: e.Last().EffectPct,
				Creeps: e.Creep != nil}
			v.Shift = application.ShiftOf(s.Runs, runs, s.Result, e.Event)
			if v.Shift != nil {
				v.Command = compareCommand(v.Shift.LastJob, v.Shift.FirstJob)
			}
			began := e.First().Index
			if first, n, pct := changepoint.JoinSameDirection(unacknowledged(s.Events)); n > 1 {
				v.Text = fmt.Sprintf("Runs like this one: %s %s in %d changes since %s. The newest: %s",
					quantity.Percent(math.Abs(pct)),
					map[bool]string{true: "slower", false: "faster"}[pct > 0], n, s.Date(first, o), e.Brief)
				v.EffectPct, v.Command = pct, compareCommandAt(s.Y, runs, first)
				began = first
			}
			v.UsualCPUWait, v.SlowerCPUWait = cpuWaits(runs, began)
			f.Others = append(f.Others, v)
		}
	}
	if more := len(s.Events) - mostEvents; more > 0 {
		f.Text = append(f.Text, fmt.Sprintf("%d earlier changes: `jobgait changes` lists them.", more))
	}
	f.Text = append(f.Text, s.FunctionTexts(o)...)
	if s.Watch != "" {
		f.Text = append(f.Text, s.Watch)
		text := s.Watch
		if !math.IsNaN(s.Y[len(s.Y)-1]) {
			text = s.WatchSentence("This run")
		}
		v := finding.Comparison{Text: text, EffectPct: s.Unconfirmed.Pct}
		if first := newestKnown(s.Y, s.Unconfirmed.Runs); first >= 0 {
			v.Command = compareCommandAt(s.Y, runs, first)
			v.UsualCPUWait, v.SlowerCPUWait = cpuWaits(runs, first)
		}
		f.Others = append(f.Others, v)
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
			remark += "; shaded: a shift of the machine, removed"
		}
		f.Charts = append(f.Charts, html.Figure{Title: m.Description, Remark: remark, SVG: template.HTML(svg)})
	}
	return f, nil
}

// cpuWaits returns the usual wait for CPUs of the runs before a change, and of those since.
func cpuWaits(runs []history.Run, began int) (before, since *float64) {
	began = min(len(runs), began)
	return application.UsualCPUWait(runs[:began]), application.UsualCPUWait(runs[began:])
}

// lastOf returns the run at which the last change of an event began, or at which its creep ends.
func lastOf(e change.ShownEvent) int {
	if e.Creep != nil {
		return e.Creep.LastIndex
	}
	return e.Last().Index
}

// unacknowledged returns the events before the first acknowledged one, without it; the newest event comes first.
func unacknowledged(events []change.ShownEvent) []changepoint.Event {
	var out []changepoint.Event
	for _, e := range events {
		if e.Known {
			break
		}
		out = append(out, e.Event)
	}
	return out
}

// compareCommandAt returns the command that compares the newest run before a change with the first run after
// it, runs[first]; "" without an earlier run.
func compareCommandAt(y []float64, runs []history.Run, first int) string {
	if first < 0 || first >= len(runs) {
		return ""
	}
	return compareCommand(application.LastJobWithValue(y, runs, first), runs[first].DisplayID)
}

// newestKnown returns the index of the n-th newest known value, -1 if there are fewer.
func newestKnown(y []float64, n int) int {
	for i, v := range slices.Backward(y) {
		if math.IsNaN(v) {
			continue
		}
		if n--; n == 0 {
			return i
		}
	}
	return -1
}

// compareCommand returns the command that compares two jobs, "" where one is unknown.
func compareCommand(a, b string) string {
	if a == "" || b == "" || a == b {
		return ""
	}
	return "jobgait compare " + a + " " + b
}

// scalingFinding returns the section on how the application scales: its first law, and the functions that grow fastest
// with the size. The error is that of the section's JSON.
func scalingFinding(l application.GrowthLaws) (job.Section, error) {
	list, r := l.Series, l.Results
	m, _ := application.MetricOf(list[0].Metric)
	f := job.Section{Title: "Scaling", Style: scalingreport.Style,
		Remark: fmt.Sprintf("%s over %s, %s", m.Description, list[0].Parameter, quantity.Plural(r[0].N, "size")),
		Text:   append(scalingreport.Lines(r[0], list[0].Observations), growingText(l.Functions)...)}
	var b bytes.Buffer
	if err := scalingreport.JSON(&b,
		scalingreport.Fits{Method: scaling.Likelihood, Results: r, Series: list, Numbers: make([]bool, len(r)),
			Expected: math.NaN()}); err != nil {
		return f, err
	}
	f.Data = b.Bytes()
	f.Charts = []html.Figure{{Title: m.Description, Remark: "over " + list[0].Parameter,
		SVG: template.HTML(scalingreport.Chart(r[0], list[0].Observations))}}
	return f, nil
}

// mostGrowing is the largest number of growing functions that are reported.
const mostGrowing = 3

// growingText returns a sentence on the first mostGrowing functions, those that grow worst with the size; nil without
// any.
func growingText(functions []application.Growth) []string {
	if len(functions) == 0 {
		return nil
	}
	var said []string
	for _, g := range functions[:min(len(functions), mostGrowing)] {
		said = append(said, fmt.Sprintf("%s %s times", g.Name, quantity.Plain(g.By, 2)))
	}
	return []string{fmt.Sprintf("CPU time in a cycle on one node, from the largest size to four times it, by its law: "+
		"%s (jobgait scaling --by function).", strings.Join(said, ", "))}
}
