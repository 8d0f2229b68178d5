package scaling

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"jobgait/analysis/quantity"
	"jobgait/analysis/scaling"
	"jobgait/reports/text"
)

const (
	tableID   = 24 // width of an id in the table, in characters
	tableLaws = 30 // width of the laws, in characters
)

// table writes a line per series.
func (r Fits) table(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "series\tsizes\tchanges\tlaw\tat 2x the largest size")
	for i, s := range r.Results {
		p := scaling.Sizes(r.Series[i].Observations)
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\n", text.Cut(nameOf(s), tableID), s.N, r.breaks(i, p),
			text.Cut(lastLaw(s), tableLaws), predictionAtTwice(s, p))
	}
	_ = t.Flush() // the writer below keeps its error
}

// nameOf returns the printed name of a series.
func nameOf(r scaling.Result) string {
	if id := text.Clean(r.ID); id != "" {
		return id
	}
	return "-"
}

// breaks lists where the laws of a series change: "32|64", or "(32|64)" if only all series together show the
// change.
func (r Fits) breaks(i int, p []float64) string {
	s := r.Results[i]
	var parts []string
	for _, c := range s.Changes {
		switch {
		case c.Common != nil:
			parts = append(parts, quantity.Exact(*c.Common))
		case c.Cut > 0 && c.Cut < len(p):
			parts = append(parts, quantity.Exact(p[c.Cut-1])+"|"+quantity.Exact(p[c.Cut]))
		}
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, " ")
	case s.Segmented:
		return "somewhere"
	case r.Common != nil && slices.Contains(r.Common.Members, i):
		return "(" + quantity.Exact(r.Common.After) + "|" + quantity.Exact(r.Common.Before) + ")"
	}
	return "-"
}

// lastLaw returns the law at the largest sizes, which predicts larger ones, or says why it is unknown.
func lastLaw(r scaling.Result) string {
	switch {
	case r.Segmented && len(r.Segments) > 0 && r.Segments[len(r.Segments)-1].Model != nil:
		return growth(*r.Segments[len(r.Segments)-1].Model, scaling.Symbol(r.Parameter))
	case r.Whole != nil && !r.Segmented:
		return growth(*r.Whole, scaling.Symbol(r.Parameter))
	case r.Segmented:
		return "unknown at the largest sizes"
	}
	return "no model: " + reason(r)
}

// predictionAtTwice prints the first prediction at 1.5 times the largest measured size or more, with its interval; "-"
// without one.
func predictionAtTwice(r scaling.Result, p []float64) string {
	for _, q := range r.Predictions {
		if len(p) > 0 && q.Extrapolated && q.P >= 1.5*p[len(p)-1] {
			return fmt.Sprintf("%s (%s)", quantity.Plain(q.Value, 3), quantity.Range(q.Lo, q.Hi))
		}
	}
	return "-"
}

// writeSummary writes what concerns all series: how many changes are expected by chance, with its range, and
// the change that they share.
func (r Fits) writeSummary(w io.Writer) {
	if len(r.Results) > 1 && !math.IsNaN(r.Expected) {
		chance := quantity.Plain(r.Expected, 2)
		if r.Expected < 0.1 {
			chance = "fewer than 0.1"
		}
		lo, hi := scaling.ChanceRange(r.Expected)
		fmt.Fprintf(w, "\n%d of %d series change their law; chance alone would give %s (%d to %d).\n", r.segmented(),
			len(r.Results), chance, lo, hi)
	}
	c := r.Common
	if c == nil {
		return
	}
	words := fmt.Sprintf("%d of %d series share a change between %s and %s (strength %s together)",
		len(c.Members), len(r.Results), quantity.Exact(c.After), quantity.Exact(c.Before), quantity.Plain(c.Strength, 3))
	if len(r.Results) > mostScreens &&
		slices.ContainsFunc(c.Members, func(i int) bool { return !r.Results[i].Segmented }) {
		words += "; in parentheses: too weak alone"
	}
	for _, l := range wrap(words+".", text.PageWidth, "") {
		fmt.Fprintln(w, l)
	}
}

// mostLaws is the largest number of laws in Lines: the last ones, which predict larger sizes.
const mostLaws = 3

// Lines returns the main points of a result in at most six lines, for reports that also contain other subjects.
func Lines(r scaling.Result, observations []scaling.Observation) []string {
	p := scaling.Sizes(observations)
	lines := []string{verdict(r, p)}
	list := laws(r, p)
	if len(list) > 1 && r.Whole != nil { // the one law that is not believed
		list = list[:len(list)-1]
	}
	for _, l := range list[max(0, len(list)-mostLaws):] {
		lines = append(lines, l.name+": "+l.text)
	}
	for i, q := range r.Predictions { // the last that is not far out
		if i+1 == len(r.Predictions) || !(len(p) > 0) || r.Predictions[i+1].P > 2.5*p[len(p)-1] {
			lines = append(lines, "expected: "+predictionText(q, p))
			break
		}
	}
	if n := len(r.Efficiency); n > 0 && len(lines) < 5 {
		e := r.Efficiency[n-1]
		lines = append(lines, fmt.Sprintf("efficiency at %s: %s", quantity.Exact(e.P), quantity.Share(e.Value)))
	}
	if len(r.Next) > 0 {
		lines = append(lines, "measure next: "+wantedText(r.Next[0]))
	}
	return lines
}
