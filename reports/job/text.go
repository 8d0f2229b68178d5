package job

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/quantity"
	"jobgait/reports/plot"
	"jobgait/reports/text"
)

// Text writes the report for a terminal, a mail or a job's output: 80 columns,
// UTF-8 block characters (or ASCII), no tabs, no escape sequences.
func Text(w io.Writer, r Report) error {
	p := &text.Page{ASCII: r.ascii}
	r.textHead(p)
	r.textShort(p)
	p.Text("  "+text.PadRight("NEXT", 6), string(r.Next))
	p.Text("  "+text.PadRight("TIME", 6), r.timeDivision())
	p.Text("  "+text.PadRight("CODE", 6), r.codeBrief())
	p.Text("  "+text.PadRight("PROGS", 6), r.programsBrief())
	p.Text("  "+text.PadRight("PARTS", 6), r.courseLine())
	r.textResources(p)
	r.textGlance(p)
	r.textRhythm(p)
	r.textPrograms(p)
	r.textCode(p)
	r.textGPUs(p)
	r.textDrift(p)
	r.textLow(p)
	r.textNodes(p)
	r.textCounters(p)
	r.textEarlier(p)
	r.textOtherRuns(p)
	r.textQuality(p)
	r.textFiles(p)
	if err := p.Print(w); err != nil {
		return fmt.Errorf("write the text report of job %s: %w", r.Job.ID, err)
	}
	return nil
}

// textHead prints the job between two rules: name and size, who and where, start and end, and how it ended. The
// first rule contains the mark.
func (r Report) textHead(p *text.Page) {
	head := textMark + "(format " + version + ") "
	tail := " " + text.Cut(r.Generator, 40) + " ==="
	p.Line(head + strings.Repeat("=", text.PageWidth-text.Width(head)-text.Width(tail)) + tail)
	j := r.Job
	p.Ends(" "+strings.TrimSpace(j.label()+"  "+string(j.Name)), j.size())
	p.Ends(" "+strings.Join(r.whoWhere(), "  "), j.elapsed())
	p.Ends(" "+r.span(), "")
	p.Text(" ", r.endedInHead())
	p.Line(strings.Repeat("=", text.PageWidth))
}

// whoWhere lists what is known of user, application, partition and nodes.
func (r Report) whoWhere() []string {
	var parts []string
	for _, w := range []struct {
		name string
		text Word
	}{{"", r.Job.User}, {"", r.Job.Executable}, {"", r.Job.script()}, {"partition ", r.Job.Partition},
		{"on ", r.Job.NodeList}} {
		if w.text != "" {
			parts = append(parts, w.name+text.Cut(string(w.text), 30))
		}
	}
	return parts
}

// script returns the script that the executable interprets, "" where the job has the same name.
func (j JobFacts) script() Word {
	if j.Script == j.Name {
		return ""
	}
	return j.Script
}

// span prints start and end in the report's time zone, with the date of the end only if it differs.
func (r Report) span() string {
	start, end := moment(r.Job.StartEpochS).In(r.zone), moment(r.Job.EndEpochS).In(r.zone)
	layout := "15:04:05 MST"
	if start.Format("2006-01-02") != end.Format("2006-01-02") {
		layout = "2006-01-02 15:04:05 MST"
	}
	return start.Format("2006-01-02 15:04:05") + " -> " + end.Format(layout)
}

// textShort prints the statements at the head of the report.
func (r Report) textShort(p *text.Page) {
	p.Line(" IN SHORT")
	for _, v := range r.headStatements() {
		mark := "  [" + v.Mark() + "] "
		p.Text(mark, v.Text)
		if v.Action != "" { // on a line of its own, because users type or copy it
			p.Text(text.Spaces(text.Width(mark))+"-> ", v.Action)
		}
	}
}

// stripWidth is the width in columns of the lines of block characters.
const stripWidth = 64

// leastCPUs is the smallest upper end of a scale of busy CPUs if their number is unknown, so that an idle run
// does not look busy.
const leastCPUs = 0.1

// allocatedOnANode returns the allocated CPUs per node, the full height of pictures of busy CPUs; leastCPUs if their
// number is unknown.
func (r Report) allocatedOnANode() float64 {
	if a := r.Resources.CPU.Allocated; a != nil && *a > 0 {
		return *a / float64(max(1, r.Job.NNodes))
	}
	return leastCPUs
}

// textColumns returns the columns that the text draws, at most three. Where the CPUs in use are drawn it leaves out
// code pages whose function is unknown. It returns folded columns only if there are no others.
func (r Report) textColumns() []Curve {
	all := r.Rhythm.drawn(drawnColumns)
	if slices.ContainsFunc(all, func(c Curve) bool { return c.Name == busyColumn }) {
		all = slices.DeleteFunc(all, func(c Curve) bool { return isPage(c.Name) && !strings.Contains(c.Label, " = ") })
	}
	if needed := slices.DeleteFunc(slices.Clone(all), Curve.isFolded); len(needed) > 0 {
		all = needed
	}
	return all[:min(len(all), 3)]
}

// busyColumn is the column of CPUs in use, by samples of code.
const busyColumn = "busy_cpus"

// gutterWidth is the width in columns of the names before the strips.
const gutterWidth = 12

// textRhythm prints the section on the rhythm.
func (r Report) textRhythm(p *text.Page) {
	why := r.whyLines()
	if len(r.textColumns()) == 0 && len(why) == 0 && !r.Rhythm.Periodic {
		return // the head says that there are no samples
	}
	p.Section("RHYTHM", r.Rhythm.remark())
	for _, text := range why {
		p.Text("  ", text)
	}
	r.textTimeline(p)
	if r.Rhythm.Periodic {
		p.Line("")
		p.Table(r.Rhythm.patternRows())
		p.Text("  ", r.Rhythm.foundIn())
		p.Text("  ", r.Rhythm.nested())
		r.textShapes(p)
	}
	if rows := r.phaseRows(); len(rows) > 0 {
		p.Line("")
		p.Table(rows)
	}
}

// textLow prints the section on low stretches, if there are any.
func (r Report) textLow(p *text.Page) {
	lines := r.lowTexts()
	if len(lines) == 0 {
		return
	}
	p.Section("LOW STRETCHES", lowRemark)
	for _, l := range lines {
		p.Text("  ", l)
	}
}

// remark says how much of the run lies in cycles.
func (r Rhythm) remark() string {
	if !r.Periodic || r.PeriodicShare == nil {
		return ""
	}
	return "cycles were recognized in " + quantity.Share(*r.PeriodicShare) + " of the run"
}

// textTimeline prints up to three columns over the run, the phases and the time axis.
func (r Report) textTimeline(p *text.Page) {
	t := r.Rhythm.Timeline
	cols := r.textColumns()
	end := t.end(r.Job.ElapsedS)
	if len(cols) == 0 || end <= 0 {
		return
	}
	var legend []string
	for _, c := range cols {
		v := cappedValues(r.maxOfUnit(c.Unit), r.Rhythm.bins().Levels(c.Mean, 0, end, stripWidth))
		lo, hi, ok := text.FromZero(v)
		if !ok {
			continue
		}
		if c.Unit == "CPUs" {
			hi = math.Max(hi, r.allocatedOnANode())
		}
		if peak := r.Resources.Memory.PeakBytes; peak != nil && r.ownMemory(c) { // the line draws means
			hi = math.Max(hi, *peak)
		}
		p.Line("  " + text.PadRight(c.short, gutterWidth-2) + text.Spark(v, lo, hi, r.ascii))
		what := strings.Replace(c.Label, "code "+c.short+" = ", "", 1) // "page #1 = busy CPUs in f", not "page #1" twice
		legend = append(legend, fmt.Sprintf("%s = %s, %s", c.short, what, levelRange(lo, hi, c.Unit)))
	}
	if letters := r.phaseStrip(end); strings.Trim(letters, " ") != "" && len(r.phaseRows()) > 0 {
		p.Line("  " + text.PadRight("phase", gutterWidth-2) + letters)
	}
	p.Line(text.Spaces(gutterWidth) + axis(end))
	for _, l := range legend {
		p.Text("  ", l)
	}
}

// phaseStrip returns one letter per column of the strip: that of the phase at its middle.
func (r Report) phaseStrip(end float64) string {
	line, bins := make([]byte, stripWidth), r.Rhythm.bins()
	for i := range line {
		line[i] = ' '
		if p, ok := bins.PhaseAt((float64(i) + 0.5) * end / stripWidth); ok {
			line[i] = RunPhase{Kind: p.Kind, Pattern: Word(p.Pattern)}.letter()
		}
	}
	return string(line)
}

// axis returns the time labels under a strip.
func axis(end float64) string {
	line := []byte(text.Spaces(stripWidth + 8))
	free := 0
	for _, t := range plot.TimeTicks(0, end, 6) {
		at := int(t.Value / end * stripWidth)
		if at < free || at+len(t.Label) > stripWidth+2 {
			continue
		}
		copy(line[at:], t.Label)
		free = at + len(t.Label) + 2
	}
	return string(line)
}

const (
	// glanceWidth is the width in columns of the pictures at the head, which leaves room in the line for a name
	// before and a few words after them.
	glanceWidth = 48
	// glanceRuns is the largest number of earlier runs that the head draws.
	glanceRuns = 24
)

// inBrief returns the pattern, its period and the label of its curve, or a shorter label if that would exceed w
// columns.
func (q Pattern) inBrief(w int) string {
	named := q.ID + ", " + quantity.Period(q.Period.value()) + ", "
	if text.Width(named+q.Shape.Label) <= w {
		return named + q.Shape.Label
	}
	if _, function, known := strings.Cut(q.Shape.Label, " = "); known {
		return named + shortName(function, w-text.Width(named))
	}
	if strings.HasPrefix(q.Shape.short, "page #") {
		return named + "a code page" // its number means nothing here
	}
	return named + q.Shape.short
}

// textGlance prints the parts of the report that most readers want: one cycle, a line on earlier runs, and a
// line on other sizes.
func (r Report) textGlance(p *text.Page) {
	if r.Rhythm.Periodic {
		q := r.Rhythm.Patterns[0]
		v := floats(q.Shape.Mean)
		if lo, hi, ok := text.ShapeRange(v); ok {
			head := "  " + text.PadRight("CYCLE", 6) + text.Spark(stretch(v, glanceWidth), lo, hi, r.ascii) + "  "
			p.Line(head + q.inBrief(text.PageWidth-text.Width(head)))
		}
	}
	if line, _, _, ok := r.runsLine(runFigure{of: EarlierRun.elapsed, now: r.Job.ElapsedS}, glanceRuns); ok &&
		len(r.Earlier.List) > 0 {
		p.Line("  " + text.PadRight("RUNS", 6) + line + "  elapsed time, this run behind the bar")
	}
	if f := r.otherRuns.Scaling; len(f.Text) > 0 {
		p.Text("  "+text.PadRight("SIZES", 6), text.Sentence(f.Text[0]))
	}
}
