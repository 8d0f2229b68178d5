package job

import (
	"fmt"

	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
	"jobgait/reports/text"
)

// textShapes prints one iteration of each of the first three patterns.
func (r Report) textShapes(p *text.Page) {
	for i, q := range r.Rhythm.Patterns {
		v := floats(q.Shape.Mean)
		lo, hi, ok := text.ShapeRange(v)
		if i >= 3 || !ok {
			break
		}
		p.Line("")
		p.Line("  " + text.PadRight("one "+q.ID, gutterWidth-2) + text.Spark(stretch(v, stripWidth), lo, hi, r.ascii))
		p.Line(text.Spaces(gutterWidth) + text.PadRight("0", stripWidth-text.Width(quantity.Period(q.Period.value()))) +
			quantity.Period(q.Period.value()))
		p.Text(text.Spaces(gutterWidth),
			fmt.Sprintf("%s, %s; %s", q.Shape.Label, levelRange(lo, hi, q.Shape.Unit), q.evidence()))
	}
}

// evidence says how many iterations the shape is the mean of, and whether they are too few for a sure shape.
func (q Pattern) evidence() string {
	text := "mean of " + quantity.Plural(q.Instances, "cycle")
	if q.FewInstances {
		text += ", too few for a sure shape"
	}
	return text
}

// stretch resamples values to n points: it averages where there are more and repeats where there are fewer.
func stretch(values []float64, n int) []float64 {
	if len(values) >= n || len(values) == 0 {
		_, means, _ := series.Parts(values, n)
		return means
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = values[i*len(values)/n]
	}
	return out
}
