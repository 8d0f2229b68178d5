package calendar

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"

	"gonum.org/v1/gonum/stat/distuv"
)

// RemoveFrom subtracts the weekday pattern from other logarithms x of the same runs.
func (w *Week) RemoveFrom(x []float64) {
	if w == nil {
		return
	}
	for k := range x {
		x[k] -= w.removed[k]
	}
}

// Notes returns a note about the pattern that is subtracted from the newest runs, nil if none exists. dated says that
// days count from the first of 1970, so that weekdays can be named.
func (w *Week) Notes(dated bool) []note.Note {
	if w == nil || w.found.form == noWeek {
		return nil
	}
	what := w.found.pairText(dated)
	if w.found.form == eachDays {
		what = w.found.eachText(dated)
	}
	return []note.Note{note.New(note.Weekly, "%s: subtracted before the search for changes; no run is left out", what)}
}

// pairText describes two weekdays that differ from the rest, with the interval in percent.
func (f *pattern) pairText(dated bool) string {
	t := distuv.StudentsT{Sigma: 1, Nu: f.df}.Quantile(.975)
	lo, hi := math.Abs(f.difference)-t*f.se, math.Abs(f.difference)+t*f.se
	how, a, b := "higher", quantity.PercentOfLogs(lo), quantity.PercentOfLogs(hi)
	mid := quantity.PercentOfLogs(math.Abs(f.difference))
	if f.difference < 0 {
		how, a, b, mid = "lower", -quantity.PercentOfLogs(-lo), -quantity.PercentOfLogs(-hi),
			-quantity.PercentOfLogs(f.difference)
	}
	days := fmt.Sprintf("of days %d and %d of 7", f.first, (f.first+1)%7)
	if dated {
		days = fmt.Sprintf("on %ss and %ss", weekdayName(f.first), weekdayName((f.first+1)%7))
	}
	return fmt.Sprintf("the values of runs %s are %s %s than those of other runs (%s)", days, quantity.Percent(mid), how,
		quantity.PercentTo(a, b))
}

// eachText describes by how many percent runs of every weekday differ from those of the median day.
func (f *pattern) eachText(dated bool) string {
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
		parts = append(parts, fmt.Sprintf("%s %+.1f", name, quantity.PercentOfLogs(f.effect[d])))
	}
	return fmt.Sprintf("the values of runs differ by weekday, in %% of a middle day: %s (each +-%.1f)",
		strings.Join(parts, ", "), 100*t*f.se/math.Sqrt(fewest))
}

// thursday is the weekday of day 0, the first of 1970.
const thursday = int(time.Thursday)

// weekdayName returns the English name of the weekday of day d, counted from the first of 1970.
func weekdayName(d int) string { return time.Weekday((d + thursday) % 7).String() }

// weekFromMonday returns the position of day d in a week from Monday to Sunday if days are dated, else d.
func weekFromMonday(d int, dated bool) int {
	if !dated {
		return d
	}
	return (d + thursday + 6) % 7
}
