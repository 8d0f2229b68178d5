package change

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
	"jobgait/reports/plot"
	"jobgait/reports/text"
)

// View says how much of a history a picture shows.
type View struct {
	// Height is the height of the plot area in pixels.
	Height int
	// Tips is the number of newest runs that have a tooltip; below 0 all runs have one.
	Tips int
	// Strips is the largest number of tooltips: with more runs than that, one tooltip names several.
	Strips int
	// Machine lists the shifts of the machine, drawn in the background.
	Machine []changepoint.MachineEvent
	Options Options
}

// DefaultView returns the view with all details, of a page's width.
func DefaultView(o Options) View {
	return View{Height: 150, Tips: -1, Strips: 40, Options: o}
}

// Timeline draws a history: its runs over time, between changes the level with one standard deviation on both
// sides, changes with their size, and outliers as open dots, at the edge if they lie beyond the picture. It
// returns "" if there is nothing to draw.
func Timeline(s JudgedHistory, v View) string {
	lo, hi, ok := s.valueRange()
	if !ok {
		return ""
	}
	from, to := s.at(0), s.at(len(s.T)-1)
	if !(to > from) {
		from, to = from-0.5, to+0.5
	}
	// Room so that dots at both ends are whole, and on the left stay clear of
	// the labels.
	room, roomLeft := (to-from)/60, (to-from)/20
	f := plot.Frame{Name: "runs of " + s.Title() + " over time", Class: "history", Height: v.Height,
		X: plot.Scale{Lo: from - roomLeft, Hi: to + room}}
	f.Y, f.YTicks = plot.Between(3, []float64{lo, hi})
	if n := len(f.YTicks); n > 0 && s.Unit != "" {
		f.YTicks[n-1].Label += " " + text.Clean(s.Unit)
	}
	f.XTicks = s.Ticks(f.X, 7)
	c := plot.New(f)
	s.drawMachine(c, v, from, to)
	s.drawLevels(c, from-room, to+room)
	s.drawChanges(c, f.X)
	s.drawRuns(c)
	s.drawOutliers(c, v)
	s.drawTips(c, v, from-room, to+room)
	return c.SVG()
}

// Ticks returns about want ticks on a scale of the history's days.
func (h History) Ticks(x plot.Scale, want int) []plot.Tick {
	if h.Calendar {
		return plot.DateTicks(x.Lo, x.Hi, want)
	}
	return plot.NumberTicks(x.Lo, x.Hi, want, "day ")
}

// valueRange returns the range of the values without outliers, of all runs of the newest level, and of all levels: a
// slow last run that counts as an outlier so far is what the reader looks for. ok is false without a value.
func (s JudgedHistory) valueRange() (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	odd, newest := s.outlierSet(), 0
	if n := len(s.Result.Regimes); n > 0 {
		newest = s.Result.Regimes[n-1].First
	}
	for k, y := range s.Y {
		if !math.IsNaN(y) && !math.IsInf(y, 0) && (!odd[k] || k >= newest) {
			lo, hi = math.Min(lo, y), math.Max(hi, y)
		}
	}
	for _, g := range s.Result.Regimes {
		if g.SD >= 0 && !math.IsInf(g.Mean, 0) {
			lo, hi = math.Min(lo, g.Mean-g.SD), math.Max(hi, g.Mean+g.SD)
		}
	}
	return lo, hi, lo <= hi && !math.IsInf(hi, 0) && len(s.T) > 0
}

// outlierSet returns the set of the indexes of outliers.
func (s JudgedHistory) outlierSet() map[int]bool {
	odd := make(map[int]bool, len(s.Result.Outliers))
	for _, k := range s.Result.Outliers {
		odd[k] = true
	}
	return odd
}

// drawMachine shades the shifts of the machine. Only a history in dates can show them, because their times are
// clock times.
func (s JudgedHistory) drawMachine(c *plot.Chart, v View, from, to float64) {
	if !s.Calendar {
		return
	}
	for _, m := range v.Machine {
		start, end := m.Start/daySeconds, to
		if m.End != nil {
			end = *m.End / daySeconds
		}
		if end >= from && start <= to && end > start {
			c.Span("machine", math.Max(start, from), math.Min(end, to), "", MachineSentence(m))
		}
	}
}

// drawLevels draws mean and standard deviation between changes, each from its first run to the first of the next; of
// runs that take turns between two levels these two.
func (s JudgedHistory) drawLevels(c *plot.Chart, from, to float64) {
	var boxes, lines []plot.Box
	for i, g := range s.Result.Regimes {
		b := plot.Box{X0: s.at(g.First), X1: to, Y0: g.Mean - g.SD, Y1: g.Mean + g.SD}
		if i == 0 {
			b.X0 = from
		}
		if i+1 < len(s.Result.Regimes) {
			b.X1 = s.at(s.Result.Regimes[i+1].First)
		}
		if math.IsNaN(b.Y0 + b.Y1 + b.X0 + b.X1) {
			continue
		}
		if i+1 == len(s.Result.Regimes) && len(s.Result.Levels) > 0 {
			for _, level := range s.Result.Levels {
				lines = append(lines, plot.Box{X0: b.X0, X1: b.X1, Y0: level})
			}
			continue
		}
		boxes = append(boxes, b)
		lines = append(lines, plot.Box{X0: b.X0, X1: b.X1, Y0: g.Mean})
	}
	c.Boxes("spread", boxes)
	c.Levels("level", lines)
}

// labelRoom is the part of the picture's width that the label of a change takes.
const labelRoom = 0.085

// drawChanges draws a line at each change; its label is left out if a larger change is close by.
func (s JudgedHistory) drawChanges(c *plot.Chart, x plot.Scale) {
	type mark struct {
		day, effect float64
		tip         string
	}
	var marks []mark
	for _, e := range s.Events {
		for _, ch := range e.Changes {
			marks = append(marks, mark{ch.T, ch.EffectPct, e.Text})
			if ch.Kind == changepoint.Drift && ch.EndIndex != nil {
				c.Span("drift", ch.T, s.at(*ch.EndIndex), "", e.Text)
			}
		}
	}
	slices.SortStableFunc(marks, func(a, b mark) int { return cmp.Compare(math.Abs(b.effect), math.Abs(a.effect)) })
	var taken []float64
	for _, m := range marks {
		at := x.At(m.day)
		label := quantity.Signed(m.effect)
		if slices.ContainsFunc(taken, func(t float64) bool { return math.Abs(t-at) < labelRoom }) {
			label = ""
		} else {
			taken = append(taken, at)
		}
		c.Mark("change", m.day, label, m.tip)
	}
}

// drawRuns draws a dot for each run that is not an outlier; if there are too many runs, a band from the smallest to the
// largest value of groups of them.
func (s JudgedHistory) drawRuns(c *plot.Chart) {
	odd := s.outlierSet()
	usual := make([]float64, len(s.Y))
	for k, y := range s.Y {
		if usual[k] = y; odd[k] {
			usual[k] = math.NaN()
		}
	}
	const mostDots = 1500
	if len(usual) <= mostDots {
		c.Dots("runs", s.T, usual)
		return
	}
	const bins = 400
	lo, _, hi := series.Parts(usual, bins)
	edges := make([]float64, bins+1)
	for i := range edges {
		edges[i] = s.at(min(i*len(s.T)/bins, len(s.T)-1))
	}
	c.Bins("runs-band", edges, lo, hi)
}

// drawOutliers draws the newest 60 outliers with tooltips; not more, because each is one SVG element.
func (s JudgedHistory) drawOutliers(c *plot.Chart, v View) {
	const maxDrawn = 60
	ks := s.Result.Outliers[max(0, len(s.Result.Outliers)-maxDrawn):]
	var x, y []float64
	var class, tips []string
	for _, k := range ks {
		if k < 0 || k >= len(s.Y) {
			continue
		}
		x, y = append(x, s.T[k]), append(y, s.Y[k])
		class, tips = append(class, "dot odd"), append(tips, "outlier: "+s.tip(k, v.Options, true))
	}
	c.Points(class, x, y, tips)
}
