package scaling

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"jobgait/analysis/quantity"
	"jobgait/analysis/scaling"
	"jobgait/reports/text"
)

// mostScreens is the largest number of series at which each has a screen; more are printed as a table.
const mostScreens = 3

// Text writes the report as text: a screen per series, or a table of many.
func Text(w io.Writer, r Fits) error {
	b := bufio.NewWriter(w)
	if len(r.Results) > mostScreens {
		r.table(b)
	} else {
		for i := range r.Results {
			if i > 0 {
				fmt.Fprintln(b)
			}
			writeScreen(b, r.title(i), r.Results[i], r.Series[i].Observations)
		}
	}
	r.writeSummary(b)
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write the scaling results as text: %w", err)
	}
	return nil
}

// writeScreen writes the screen of one series.
func writeScreen(w io.Writer, title string, r scaling.Result, observations []scaling.Observation) {
	p := scaling.Sizes(observations)
	for _, l := range wrap(title+verdict(r, p), text.PageWidth, "  ") {
		fmt.Fprintln(w, l)
	}
	fmt.Fprintln(w)
	row(w, "measured", measuredText(r, p, observations))
	for _, l := range laws(r, p) {
		row(w, l.name, l.text)
	}
	for _, c := range r.Changes {
		if d := doubt(c, p); d != "" {
			row(w, "change", "may be "+d)
		}
	}
	writePredictions(w, r.Predictions, p)
	if len(r.Efficiency) > 0 {
		row(w, "efficiency", efficiencies(r))
	}
	rows(w, "measure next", wanted(r.Next))
	rows(w, "notes", remarks(r))
}

// remarks returns the notes except the one that the verdict contains.
func remarks(r scaling.Result) []string {
	var out []string
	for _, n := range r.Notes {
		if text := text.Clean(n.Text); noModel(r) != text {
			out = append(out, text)
		}
	}
	return out
}

// mostRows is the largest number of rows of one kind on a screen.
const mostRows = 5

// rows writes texts one below the other, with the name before the first. Of more than mostRows it writes the first and
// how many more there are.
func rows(w io.Writer, name string, texts []string) {
	left := len(texts) - mostRows
	for i, t := range texts {
		if i == mostRows-1 && left > 0 {
			row(w, name, fmt.Sprintf("and %d more (--json has all)", left+1))
			return
		}
		row(w, name, t)
		name = ""
	}
}

// title returns the beginning of a line on series i: its name, else the file's for a lone series, else "series", then
// its metric in parentheses unless that is the default or part of the name, then ": ".
func (r Fits) title(i int) string {
	id, metric := text.Clean(r.Results[i].ID), text.Clean(r.Results[i].Metric)
	if len(r.Results) == 1 && id == "0" && r.Name != "" {
		id = text.Clean(r.Name)
	}
	switch {
	case metric == "" || metric == "value" || metric == id || metric == "<default>" || strings.HasSuffix(id, "|"+metric):
		metric = ""
	default:
		metric = " (" + metric + ")"
	}
	if id == "" {
		id = "series"
	}
	return id + metric + ": "
}

const nameWidth = 17

// row writes a name and a text, which is wrapped.
func row(w io.Writer, name, words string) {
	for _, l := range wrap(words, text.PageWidth-nameWidth-2, "") {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %-*s%s", nameWidth, name, l), " "))
		name = ""
	}
}

// measuredText says how many sizes were measured, which are the smallest and the largest, and how many usable runs
// there were if a size has several.
func measuredText(r scaling.Result, p []float64, observations []scaling.Observation) string {
	n := 0
	for _, o := range observations {
		if o.Usable() {
			n++
		}
	}
	s := quantity.Plural(len(p), "size")
	switch len(p) {
	case 0:
	case 1:
		s += fmt.Sprintf(" of %s, %s", scaling.Symbol(r.Parameter), quantity.Exact(p[0]))
	default:
		s += fmt.Sprintf(" of %s, %s .. %s", scaling.Symbol(r.Parameter), quantity.Exact(p[0]), quantity.Exact(p[len(p)-1]))
	}
	if n > len(p) {
		s += ", " + quantity.Plural(n, "run")
	}
	return s
}

// law is the line about one model.
type law struct{ name, text string }

// laws returns the lines about the model of each segment, and of the whole.
func laws(r scaling.Result, p []float64) []law {
	var out []law
	if r.Segmented && len(r.Segments) > 1 {
		for i, g := range r.Segments {
			if !liesWithin(g, p) {
				continue
			}
			name := quantity.Exact(p[g.First]) + " .. " + quantity.Exact(p[g.Last])
			if len(name) > nameWidth-1 {
				name = "part " + fmt.Sprint(i+1)
			}
			out = append(out, law{name, segmentLaw(g, scaling.Symbol(r.Parameter))})
		}
	}
	if r.Whole != nil {
		name := "law"
		if r.Segmented && len(r.Segments) > 1 {
			name = "as one law"
		}
		out = append(out, law{name, modelLaw(*r.Whole, scaling.Symbol(r.Parameter))})
	}
	return out
}

// segmentLaw describes the model of a segment, and how many more points it needs, if it has too few. p is the symbol of
// the parameter.
func segmentLaw(g scaling.Segment, p string) string {
	n := quantity.Plural(g.Last-g.First+1, "point")
	s, only := "no model of "+n, ""
	if g.Model != nil {
		s, only = modelLaw(*g.Model, p), "only "+n+", "
	}
	if !g.Enough && g.MissingPoints > 0 {
		s += fmt.Sprintf("; %s%d more wanted", only, g.MissingPoints)
	}
	return s
}

// modelLaw describes a model with its mean error. p is the symbol of the parameter.
func modelLaw(m scaling.Model, p string) string {
	s := formula(m, p)
	switch {
	case m.SMAPE < 1e-9:
		s += "  (exact)"
	case !math.IsNaN(m.SMAPE):
		s += "  (off by " + quantity.Percent(m.SMAPE) + " on average)"
	}
	return s
}

// writePredictions writes predictions with their intervals, and how far beyond the measured sizes they lie.
func writePredictions(w io.Writer, list []scaling.Prediction, p []float64) {
	cells := make([][4]string, len(list))
	var wide [4]int
	for i, q := range list {
		cells[i] = [4]string{"at " + quantity.Exact(q.P), quantity.Plain(q.Value, 3), "", ""}
		if !math.IsNaN(q.Lo) && !math.IsNaN(q.Hi) {
			cells[i][2] = quantity.Range(q.Lo, q.Hi)
		}
		if q.Extrapolated && len(p) > 0 {
			cells[i][3] = timesBeyond(q.P, p[len(p)-1]) + " the largest"
		}
		for k, c := range cells[i] {
			wide[k] = max(wide[k], len(c))
		}
	}
	for i, c := range cells {
		name := ""
		if i == 0 {
			name = "expected"
			if !math.IsNaN(list[0].Level) && list[0].Level > 0 {
				name += " " + quantity.Chosen(100*list[0].Level)
			}
		}
		line := fmt.Sprintf("  %-*s%-*s  %*s  %-*s  %s", nameWidth, name, wide[0], c[0], wide[1], c[1], wide[2], c[2], c[3])
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// predictionText returns a prediction in one line.
func predictionText(q scaling.Prediction, p []float64) string {
	s := fmt.Sprintf("%s at %s", quantity.Plain(q.Value, 3), quantity.Exact(q.P))
	if !math.IsNaN(q.Lo) && !math.IsNaN(q.Hi) {
		s = fmt.Sprintf("%s (%s: %s)", s, quantity.Chosen(100*q.Level), quantity.Range(q.Lo, q.Hi))
	}
	if q.Extrapolated && len(p) > 0 {
		s += ", " + timesBeyond(q.P, p[len(p)-1]) + " the largest"
	}
	return s
}

// mostEfficiencies is the largest number of sizes whose efficiency is printed.
const mostEfficiencies = 12

// efficiencies lists sizes with their parallel efficiency; of many sizes only some.
func efficiencies(r scaling.Result) string {
	var parts []string
	for _, i := range spread(len(r.Efficiency), mostEfficiencies) {
		e := r.Efficiency[i]
		parts = append(parts, quantity.Exact(e.P)+": "+quantity.Share(e.Value))
	}
	s := strings.Join(parts, ", ")
	if r.Mode != nil {
		s += " (" + string(*r.Mode) + " scaling)"
	}
	return s
}

// spread returns at most limit of n indexes, evenly spaced, including both ends.
func spread(n, limit int) []int {
	if n <= limit {
		limit = n
	}
	out := make([]int, limit)
	for i := range out {
		out[i] = i
		if limit > 1 {
			out[i] = i * (n - 1) / (limit - 1)
		}
	}
	return out
}

// wantedText says which measurement is wanted, why, and what it costs.
func wantedText(n scaling.NextMeasurement) string {
	s := quantity.Exact(n.P) + ": " + text.Clean(n.Why)
	if n.NodeHours != nil && !math.IsNaN(*n.NodeHours) {
		s += " (about " + quantity.Plain(*n.NodeHours, 2) + " node-hours)"
	}
	return s
}

// wanted lists the wanted measurements; those that differ only by their size share one line.
func wanted(list []scaling.NextMeasurement) []string {
	var out []string
	for i := 0; i < len(list); {
		sizes := []string{quantity.Exact(list[i].P)}
		k := i + 1
		for list[i].NodeHours == nil && k < len(list) && list[k].NodeHours == nil && list[k].Why == list[i].Why {
			sizes = append(sizes, quantity.Exact(list[k].P))
			k++
		}
		text := wantedText(list[k-1])
		if len(sizes) > 1 {
			text = strings.Join(sizes[:len(sizes)-1], ", ") + ", " + text
		}
		out = append(out, text)
		i = k
	}
	return out
}

// wrap breaks text into lines of at most w columns; later lines begin with
// indent.
func wrap(s string, w int, indent string) []string {
	lines := text.Wrap(s, w-len(indent))
	for i := range lines {
		if i > 0 {
			lines[i] = indent + lines[i]
		}
	}
	return lines
}
