package reports

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"jobgait/analysis/quantity"
	"jobgait/reports/plot"
)

// view is what page.html prints: the report in words, rows and pictures, made by
// the same functions that make the text.
type view struct {
	R              Report
	Words          []Explained
	CSS            template.CSS
	JS             template.JS
	Policy         string
	Title          string
	Over, Heading  string
	Span           string
	Ended          string
	Failed         bool
	Short          []Verdict
	Figures        []keyFigure
	Why            []string
	RhythmRemark   string
	Timeline       []picture
	Gauges         []pageGauge
	Minute         []picture
	BandKey        string
	Samples        string
	Patterns       []row
	FoundIn        string
	Shapes         []picture
	Examples       []picture
	ExamplesOf     string
	Phases         []row
	Nested         string
	CodeRemark     string
	CodeChart      *picture
	CodeKey        []row
	CodeRows       []row
	CodeNoise      string
	GPUs           []row
	GPUsRemark     string
	GPUsText       []string
	DriftRemark    string
	DriftText      []string
	DriftChart     *picture
	Slow           []row
	Low            []string
	LowRemark      string
	NodesRemark    string
	NodesText      string
	NodeBars       *picture
	NodeLanes      *picture
	Agreement      []string
	Nodes          []row
	Counters       []row
	CountersZero   string
	CountersRemark string
	IPC            string
	EarlierRemark  string
	History        []picture
	Usual          string
	Runs           []row
	Findings       []section
	Facts          []fact
	Notes          []Note
	MoreNotes      string
}

// keyFigure is one of the large figures at the head of the page.
type keyFigure struct{ Name, Value, Remark string }

// picture is a chart with its words.
type picture struct {
	Title, Remark string
	SVG           template.HTML
}

func (r Report) view() view {
	j := r.Job
	v := view{
		R: r, Words: Words(), CSS: template.CSS(r.across.style()), JS: template.JS(pageJS), Policy: policy(r.across.style()),
		Title: j.label() + " " + string(j.Name), Heading: string(j.Name), Span: r.span(), Ended: r.ended(), Failed: len(endVerdict(r)) > 0, Short: r.short(),
		Figures: r.keyFigures(), RhythmRemark: r.Rhythm.remark(), FoundIn: r.Rhythm.foundIn(),
		Timeline: r.timelineCharts(), Minute: r.minuteCharts(), Gauges: r.pageGauges(), Shapes: r.shapeCharts(), Examples: r.exampleCharts(),
		NodesRemark: r.Nodes.remark(), Facts: r.facts(), EarlierRemark: r.earlierRemark(),
	}
	v.Over = strings.Join(append([]string{j.label()}, r.whoWhere()...), " · ")
	if v.Heading == "" {
		v.Heading = j.label()
	}
	v.Notes, v.MoreNotes = r.listedNotes()
	v.Findings = r.findings()
	v.Why = r.whyLines()
	v.BandKey = "band: smallest to largest sample; line: mean" + r.smoothed()
	v.Samples = r.samples()
	if r.Rhythm.Periodic {
		v.Patterns = r.Rhythm.patternRows()
	}
	if len(v.Examples) > 0 {
		v.ExamplesOf = r.Rhythm.Patterns[0].Shape.Label
	}
	v.Phases = r.phaseRows()
	if c := r.Code; c != nil {
		v.CodeRemark, v.CodeChart, v.CodeKey, v.CodeRows, v.CodeNoise = r.codeRemark(), r.codeChart(), c.key(), r.codeRows(), c.noise()
	}
	v.GPUs, v.GPUsRemark, v.GPUsText = r.gpuRows(), unproven, r.gpuTexts()
	v.Nested, v.Low, v.LowRemark = r.Rhythm.nested(), r.lowTexts(), lowRemark
	if r.Rhythm.drift() != nil {
		v.DriftRemark, v.DriftChart = r.driftRemark(), r.driftChart()
		if r.Rhythm.drift().says(r.Job.ElapsedS) {
			v.DriftText, v.Slow = r.driftTexts(), r.slowRows()
		}
	}
	v.Agreement = r.Nodes.Agreement.texts()
	v.Nodes = r.nodeRows()
	if r.Nodes.Total > 1 && r.Nodes.BusyCPUs != nil {
		v.Nodes = r.withMeters(v.Nodes)
	}
	v.NodeLanes = r.nodeLaneChart()
	if r.Nodes.Total > listedNodes {
		v.NodesText, v.NodeBars = r.Nodes.summary(), r.nodeChart()
	}
	if len(r.listedCounters()) > 0 {
		v.Counters, v.CountersZero, v.CountersRemark = r.counterRows(), r.zeroText(), countersRemark
	}
	if r.IPC != nil {
		v.IPC = r.ipcText()
	}
	if r.Earlier.N > 0 {
		v.History, v.Usual, v.Runs = r.historyCharts(), r.Earlier.usual(), r.runRows()
	}
	return v
}

// keyFigures are those that a reader looks for first.
func (r Report) keyFigures() []keyFigure {
	out := []keyFigure{{"Elapsed", r.Job.elapsed(), r.Job.size()}}
	if r.Rhythm.Periodic {
		p := r.Rhythm.Patterns[0]
		out = append(out, keyFigure{"One cycle", quantity.Period(p.Period.value()), "+- " + quantity.Share(p.PeriodCV) + "; pattern " + p.ID},
			keyFigure{"Cycles", quantity.Count(p.Instances), "confidence " + quantity.Hundredths(p.Confidence)})
	} else {
		out = append(out, keyFigure{"One cycle", quantity.Missing, "no period found"})
	}
	if s := r.Rhythm.PeriodicShare; s != nil {
		out = append(out, keyFigure{"Periodic", quantity.Share(*s), "of the run"})
	}
	remark := "mean over the run"
	if r.Nodes.Total > 1 {
		remark = "median of the nodes"
	}
	return append(out, keyFigure{"Busy CPUs", quantity.Optional(r.Nodes.BusyCPUs, quantity.Hundredths), remark})
}

// smoothed says when the line of the timeline is not the plain mean.
func (r Report) smoothed() string {
	if r.Rhythm.Periodic && r.Rhythm.Timeline.StepS >= r.Rhythm.period()/4 {
		return ", in loops over whole cycles"
	}
	return ""
}

// maxBars is the number of nodes up to which each has a bar; beyond, a bar
// stands for several and reaches to the busiest of them.
const maxBars = 240

// nodeChart draws the busy CPUs of many nodes side by side.
func (r Report) nodeChart() *picture {
	per := (r.Nodes.Total + maxBars - 1) / maxBars
	n := (r.Nodes.Total + per - 1) / per
	values, class, tips := make([]float64, n), make([]string, n), make([]string, n)
	for i := range values {
		values[i], class[i] = math.NaN(), "value"
		group := r.Nodes.List[i*per : min((i+1)*per, r.Nodes.Total)]
		for _, m := range group {
			if m.BusyCPUs != nil && !(values[i] >= *m.BusyCPUs) {
				values[i] = *m.BusyCPUs
			}
			if len(m.Odd) > 0 {
				class[i] = "value odd"
			}
		}
		tips[i] = cut(group[0].Name, 40)
		if per > 1 {
			tips[i] += " .. " + cut(group[len(group)-1].Name, 40)
		}
		if !math.IsNaN(values[i]) {
			tips[i] += ": " + quantity.Hundredths(values[i]) + " busy CPUs"
		}
	}
	y, ticks := plot.FromZero(3, values)
	c := plot.New(plot.Frame{Name: "busy CPUs by node", Class: "bars", Height: 110,
		X: plot.Scale{Lo: -0.05 * float64(n), Hi: float64(n)}, Y: y, YTicks: ticks})
	c.Bars(class, values, tips)
	remark := "busy CPUs by node, in the order of the job's node list; odd ones in the other colour, no bar: no data"
	if per > 1 {
		remark += fmt.Sprintf("; a bar is the busiest of %d nodes", per)
	}
	return &picture{Remark: remark, SVG: template.HTML(c.SVG())}
}
