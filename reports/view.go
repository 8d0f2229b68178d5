package reports

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"strings"

	"jobgait/reports/plot"
)

// view is what page.html prints: the report in words, rows and pictures, made by
// the same functions that make the text.
type view struct {
	R             Report
	CSS           template.CSS
	JS            template.JS
	Policy        string
	Title         string
	Over, Heading string
	Span          string
	Failed        bool
	Figures       []keyFigure
	Why           []string
	RhythmRemark  string
	Timeline      []picture
	BandKey       string
	Samples       string
	Patterns      []row
	FoundIn       string
	Shapes        []picture
	Phases        []row
	NodesRemark   string
	NodesText     string
	NodeBars      *picture
	Nodes         []row
	Counters      []row
	IPC           string
	EarlierRemark string
	History       []picture
	Usual         string
	Runs          []row
	Facts         []fact
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
		R: r, CSS: template.CSS(pageCSS), JS: template.JS(pageJS), Policy: policy(),
		Title: j.label() + " " + string(j.Name), Heading: string(j.Name), Span: r.span(), Failed: len(endVerdict(j)) > 0,
		Figures: r.keyFigures(), RhythmRemark: r.Rhythm.remark(), FoundIn: r.Rhythm.foundIn(),
		Timeline: r.timelineCharts(), Shapes: r.shapeCharts(),
		NodesRemark: r.Nodes.remark(), Facts: r.facts(), EarlierRemark: r.Earlier.remark(),
	}
	v.Over = strings.Join(append([]string{j.label()}, r.whoWhere()...), " · ")
	if v.Heading == "" {
		v.Heading = j.label()
	}
	for _, n := range r.Rhythm.Why {
		v.Why = append(v.Why, sentence(noteText(n.Node, n.Text)))
	}
	v.BandKey = "band: smallest to largest sample; line: mean" + r.smoothed()
	v.Samples = r.samples()
	if r.Rhythm.Periodic {
		v.Patterns = r.Rhythm.patternRows()
	}
	if len(r.Rhythm.Phases) > 0 {
		v.Phases = r.phaseRows()
	}
	v.Nodes = r.nodeRows()
	if r.Nodes.Total > 1 && r.Nodes.BusyCPUs != nil {
		v.Nodes = r.withMeters(v.Nodes)
	}
	if r.Nodes.Total > r.limits.ListNodes {
		v.NodesText, v.NodeBars = r.Nodes.summary(), r.nodeChart()
	}
	if len(r.Counters) > 0 {
		v.Counters = r.counterRows()
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
	out := []keyFigure{{"Elapsed", duration(r.Job.ElapsedS), r.Job.size()}}
	if r.Rhythm.Periodic {
		p := r.Rhythm.Patterns[0]
		out = append(out, keyFigure{"One iteration", period(p.Period.value()), "+- " + percent(p.PeriodCV) + "; pattern " + p.ID},
			keyFigure{"Iterations", count(int64(p.Instances)), "confidence " + fmt.Sprintf("%.2f", p.Confidence)})
	} else {
		out = append(out, keyFigure{"One iteration", unknown, "no period found"})
	}
	if s := r.Rhythm.PeriodicShare; s != nil {
		out = append(out, keyFigure{"Periodic", percent(*s), "of the run"})
	}
	remark := "mean over the run"
	if r.Nodes.Total > 1 {
		remark = "median of the nodes"
	}
	return append(out, keyFigure{"Busy CPUs", optional(r.Nodes.BusyCPUs, busyCPUs), remark})
}

// smoothed says when the line of the timeline is not the plain mean.
func (r Report) smoothed() string {
	if r.Rhythm.Periodic && r.stepS() >= r.Rhythm.period()/4 {
		return ", in loops over whole iterations"
	}
	return ""
}

// stepS is the time between the points of the timeline's line.
func (r Report) stepS() float64 { return r.Rhythm.Timeline.StepS }

// samples is what the page's script reads values from, as JSON.
func (r Report) samples() string {
	type column struct {
		Label string     `json:"label"`
		Min   []*float64 `json:"min"`
		Mean  []*float64 `json:"mean"`
		Max   []*float64 `json:"max"`
	}
	t := r.Rhythm.Timeline
	out := struct {
		Start   float64  `json:"start"`
		Step    float64  `json:"step"`
		Phases  [][3]any `json:"phases"`
		Columns []column `json:"columns"`
	}{Start: t.StartS, Step: t.StepS, Phases: [][3]any{}, Columns: []column{}}
	for _, p := range r.Rhythm.Phases {
		out.Phases = append(out.Phases, [3]any{p.StartS, p.EndS, p.name()})
	}
	for _, c := range r.Rhythm.drawn(r.limits.Charts) {
		out.Columns = append(out.Columns, column{c.short, rounded(floats(c.Min)), rounded(r.line(c)), rounded(floats(c.Max))})
	}
	b, err := json.Marshal(out)
	if err != nil { // finite numbers and clean strings only
		return "{}"
	}
	return string(b)
}

// line returns the levels of a column, one for each bin.
func (r Report) line(c Column) []float64 {
	t := r.Rhythm.Timeline
	return r.Rhythm.levels(c, t.StartS, t.StartS+float64(len(c.Mean))*t.StepS, len(c.Mean))
}

// rounded keeps three figures, what a reader can use; missing is nil.
func rounded(values []float64) []*float64 {
	out := make([]*float64, len(values))
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		if v != 0 {
			scale := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(v))))
			if !math.IsInf(scale, 0) && scale > 0 {
				v = math.Round(v*scale) / scale
			}
		}
		out[i] = &v
	}
	return out
}

// nodeChart draws the busy CPUs of many nodes side by side.
func (r Report) nodeChart() *picture {
	values := make([]float64, r.Nodes.Total)
	class, tips := make([]string, r.Nodes.Total), make([]string, r.Nodes.Total)
	for i, m := range r.Nodes.List {
		values[i], class[i], tips[i] = math.NaN(), "value", m.Name+": "+optional(m.BusyCPUs, busyCPUs)+" busy CPUs"
		if m.BusyCPUs != nil {
			values[i] = *m.BusyCPUs
		}
		if len(m.Odd) > 0 {
			class[i] = "value odd"
		}
	}
	y, ticks := plot.FromZero(3, values)
	c := plot.New(plot.Frame{Name: "busy CPUs by node", Class: "bars", Height: 110,
		X: plot.Scale{Lo: -0.05 * float64(len(values)), Hi: float64(len(values))}, Y: y, YTicks: ticks})
	c.Bars(class, values, tips)
	first, last := r.Nodes.List[0].Name, r.Nodes.List[len(values)-1].Name
	return &picture{Remark: "busy CPUs, nodes " + cut(first, 40) + " to " + cut(last, 40) + "; odd ones in the other colour, no bar: no data",
		SVG: template.HTML(c.SVG())}
}
