package job

import (
	"fmt"

	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
	"jobgait/reports/text"
)

// textShapes draws one iteration of each pattern, the first three at most.
func (r Report) textShapes(p *text.Page) {
	for i, q := range r.Rhythm.Patterns {
		v := floats(q.Shape.Mean)
		lo, hi, ok := text.ShapeRange(v)
		if i >= 3 || !ok {
			break
		}
		p.Line("")
		p.Line("  " + text.PadRight("one "+q.ID, gutter-2) + text.Spark(stretch(v, strip), lo, hi, r.ascii))
		p.Line(text.Spaces(gutter) + text.PadRight("0", strip-text.Width(quantity.Period(q.Period.value()))) +
			quantity.Period(q.Period.value()))
		p.Text(text.Spaces(gutter), fmt.Sprintf("%s, %s; %s", q.Shape.Label, levelRange(lo, hi, q.Shape.Unit), q.evidence()))
	}
}

// evidence says of how many iterations a shape is the mean, and how far that is to
// be trusted.
func (q Pattern) evidence() string {
	text := "mean of " + quantity.Plural(q.Instances, "cycle")
	if q.FewInstances {
		text += ", too few for a sure shape"
	}
	return text
}

// stretch returns values at n points: means where there are more, repeated
// where there are fewer.
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
