package reports

import "jobgait/analysis/quantity"

const (
	// glance is the width of the pictures at the head: with their names before and a
	// few words behind them they are a line.
	glance = 48
	// glanceRuns is how many earlier runs the head draws.
	glanceRuns = 24
)

// textGlance is one cycle, one line of the runs before, and one of the sizes: what most
// readers want of what follows.
func (r Report) textGlance(p *Page) {
	if r.Rhythm.Periodic {
		q := r.Rhythm.Patterns[0]
		v := floats(q.Shape.Mean)
		if lo, hi, ok := shapeRange(v); ok {
			p.Line("  " + padRight("CYCLE", 6) + Spark(stretch(v, glance), lo, hi, r.ascii) + "  " + q.ID + ", " + quantity.Period(q.Period.value()))
		}
	}
	if line, _, _, ok := r.runsLine(runFigure{of: Run.elapsed, now: r.Job.ElapsedS}, glanceRuns); ok && len(r.Earlier.List) > 0 {
		p.Line("  " + padRight("RUNS", 6) + line + "  elapsed time, this run behind the bar")
	}
	if f := r.across.Scaling; len(f.Text) > 0 {
		p.Text("  "+padRight("SIZES", 6), sentence(f.Text[0]))
	}
}
