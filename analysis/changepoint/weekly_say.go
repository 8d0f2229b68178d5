package changepoint

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/note"

	"gonum.org/v1/gonum/stat/distuv"
)

// measured puts the figures of regimes back to what was measured: a pattern of
// weekdays is taken out to find changes, not of what runs took. Outliers are left out.
func (w *weekly) measured(out outcome) {
	if w == nil || !slices.ContainsFunc(w.out, func(v float64) bool { return v != 0 }) {
		return
	}
	far := make(map[int]bool, len(out.outliers))
	for _, k := range out.outliers {
		far[k] = true
	}
	for q := range out.regimes {
		g := &out.regimes[q]
		var y []float64
		for k := g.First; k <= g.Last; k++ {
			if !far[k] {
				y = append(y, math.Exp(w.x[k]+w.out[k]))
			}
		}
		if len(y) > 0 {
			g.Mean, g.SD = robust.Mean(y)
			g.Median = robust.Median(y)
		}
	}
}

// takeOut takes the pattern out of logarithms of the same runs.
func (w *weekly) takeOut(x []float64) {
	if w == nil {
		return
	}
	for k := range x {
		x[k] -= w.out[k]
	}
}

// notes says what is taken out of the newest runs.
func (w *weekly) notes(r *ready) []note.Note {
	if w == nil || w.found.form == noWeek {
		return nil
	}
	what := w.found.pairText(r.Dated)
	if w.found.form == eachDays {
		what = w.found.eachText(r.Dated)
	}
	return []note.Note{note.New(note.Weekly, "%s; taken out before changes are looked for", what)}
}

// pairText tells of two days that differ from the rest.
func (f *week) pairText(dated bool) string {
	t := distuv.StudentsT{Sigma: 1, Nu: f.df}.Quantile(.975)
	lo, hi := math.Abs(f.apart)-t*f.se, math.Abs(f.apart)+t*f.se
	how, a, b := "more", percent(lo), percent(hi)
	mid := percent(math.Abs(f.apart))
	if f.apart < 0 {
		how, a, b, mid = "less", -percent(-lo), -percent(-hi), -percent(f.apart)
	}
	days := fmt.Sprintf("of days %d and %d of 7", f.first, (f.first+1)%7)
	if dated {
		days = "on " + weekdayName(f.first) + "s and " + weekdayName((f.first+1)%7) + "s"
	}
	return fmt.Sprintf("runs %s take %.1f %% %s than others (%.1f to %.1f %%)", days, mid, how, a, b)
}

// eachText tells how runs of every weekday differ from those of the day in the middle.
func (f *week) eachText(dated bool) string {
	order := []int{0, 1, 2, 3, 4, 5, 6}
	slices.SortStableFunc(order, func(a, b int) int { // Monday first where days have names
		return weekFromMonday(a, dated) - weekFromMonday(b, dated)
	})
	t := distuv.StudentsT{Sigma: 1, Nu: f.df}.Quantile(.975)
	var parts []string
	fewest := math.Inf(1)
	for _, d := range order {
		if f.days[d] == 0 {
			continue
		}
		name := fmt.Sprintf("day %d", d)
		if dated {
			name = weekdayName(d)
		}
		fewest = math.Min(fewest, f.days[d])
		parts = append(parts, fmt.Sprintf("%s %+.1f", name, percent(f.effect[d])))
	}
	return fmt.Sprintf("what runs take differs by weekday, in %% of a middle day: %s (each +-%.1f)", strings.Join(parts, ", "), 100*t*f.se/math.Sqrt(fewest))
}

// thursday is the weekday of day 0, the first of 1970.
const thursday = int(time.Thursday)

func weekdayName(d int) string { return time.Weekday((d + thursday) % 7).String() }

// weekFromMonday orders days from Monday to Sunday where they have names.
func weekFromMonday(d int, dated bool) int {
	if !dated {
		return d
	}
	return (d + thursday + 6) % 7
}
