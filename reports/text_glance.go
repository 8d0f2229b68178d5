package reports

import (
	"strings"

	"jobgait/analysis/quantity"
)

const (
	// glance is the width of the pictures at the head: with their names before and a
	// few words behind them they are a line.
	glance = 48
	// glanceRuns is how many earlier runs the head draws.
	glanceRuns = 24
)

// textGlance is one cycle, one line of the runs before, and one of the sizes: what most
// readers want of what follows.
func (r Report) textGlance(p *page) {
	if r.Rhythm.Periodic {
		q := r.Rhythm.Patterns[0]
		v := floats(q.Shape.Mean)
		if lo, hi, ok := shapeRange(v); ok {
			p.line("  " + padRight("CYCLE", 6) + spark(stretch(v, glance), lo, hi, r.ascii) + "  " + q.ID + ", " + quantity.Period(q.Period.value()))
		}
	}
	if line := r.runsLine(); line != "" {
		p.line("  " + padRight("RUNS", 6) + line)
	}
	if f := r.across.Scaling; len(f.Text) > 0 {
		p.text("  "+padRight("SIZES", 6), sentence(strings.TrimSuffix(f.Text[0], ".")))
	}
}

// runsLine draws the elapsed time of earlier runs and this one, "" without any.
func (r Report) runsLine() string {
	runs := r.Earlier.inOrder()
	values := []float64{}
	for _, x := range runs[max(0, len(runs)-glanceRuns):] {
		values = append(values, x.ElapsedS)
	}
	lo, hi, ok := historyRange(append(values, r.Job.ElapsedS))
	if len(values) == 0 || !ok {
		return ""
	}
	return spark(values, lo, hi, r.ascii) + "|" + spark([]float64{r.Job.ElapsedS}, lo, hi, r.ascii) + "  elapsed time, this run behind the bar"
}
