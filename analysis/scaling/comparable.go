package scaling

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

// HistoryRun is one run of an application in its history.
type HistoryRun struct {
	P     float64 // the parameter that should vary
	Value float64 // the metric; NaN is a missing one
	When  float64 // start, UTC epoch seconds
	// Else names all that should not vary: the rest of the shape, the input.
	Else string
	// Regime counts the changes of speed found in the history of this P before
	// this run; runs of one regime are of one speed.
	Regime     int
	Iterations float64 // of the main loop; 0 is not known
	Group      string  // day or node, as in Observation
	NodeHours  float64
}

const (
	// sameTime: runs at most a week apart, in seconds, are assumed to have used the same machine and software. A
	// scaling campaign takes days, and its sizes never overlap to the second.
	sameTime = 7 * 86400
	// iterationSlack is how much iteration counts may differ between sizes for
	// times of whole runs to be compared.
	iterationSlack = 0.02
)

// Comparable chooses, of the runs of an application, those that make one scaling series, and says in notes of
// the series what it left out or changed. header gives ID, Parameter, Metric and Mode. wholeRun says that the
// metric grows with the number of iterations, as elapsed time and energy do and the time of one iteration does
// not; then a series whose numbers of iterations differ between sizes is returned without observations.
//
// Where sizes were measured at different times, a difference between them may
// be one of the calendar: then the series is marked Uncut.
func Comparable(header Series, runs []HistoryRun, wholeRun bool) Series {
	c := runSelection{series: header}
	c.series.Observations = []Observation{}
	c.runs = slices.Clone(runs)
	slices.SortStableFunc(c.runs, func(a, b HistoryRun) int { return cmp.Compare(a.When, b.When) })
	c.dropWithoutValue()
	c.keepMainSettings()
	c.keepNewestRegimes()
	c.adjustToNewest()
	if wholeRun && c.iterationsDiffer() {
		return c.series
	}
	for _, r := range c.runs {
		c.series.Observations = append(c.series.Observations,
			Observation{P: r.P, Value: r.Value, Group: r.Group, NodeHours: r.NodeHours})
	}
	slices.SortStableFunc(c.series.Observations, func(a, b Observation) int { return cmp.Compare(a.P, b.P) })
	return c.series
}

// runSelection holds the selected runs, in time order, and the series that is made of them.
type runSelection struct {
	series Series
	runs   []HistoryRun
	older  []HistoryRun // of regimes that ended
}

// note appends a note to the series.
func (c *runSelection) note(code note.Code, format string, args ...any) {
	c.series.Notes = append(c.series.Notes, note.New(code, format, args...))
}

// dropWithoutValue removes runs without a value, such as those that did not complete: they must not affect the choice
// of the parameter or the size of a change of speed.
func (c *runSelection) dropWithoutValue() {
	kept := slices.DeleteFunc(slices.Clone(c.runs), func(r HistoryRun) bool { return math.IsNaN(r.Value) })
	if len(kept) < len(c.runs) {
		c.note(note.MissingRuns, "%d of %d runs have no value and are left out: they did not complete, or were not measured",
			len(c.runs)-len(kept),
			len(c.runs))
	}
	c.runs = kept
}

// keepMainSettings keeps the runs with the fixed settings (Else) that were measured at the most sizes, of equal
// ones those last used, and sets Fixed.
func (c *runSelection) keepMainSettings() {
	sizes := map[string]map[float64]bool{}
	last := map[string]int{}
	for i, r := range c.runs {
		if sizes[r.Else] == nil {
			sizes[r.Else] = map[float64]bool{}
		}
		sizes[r.Else][r.P] = true
		last[r.Else] = i
	}
	if len(c.runs) == 0 {
		return
	}
	best := c.runs[len(c.runs)-1].Else
	for e, s := range sizes {
		if d := len(s) - len(sizes[best]); d > 0 || d == 0 && last[e] > last[best] {
			best = e
		}
	}
	c.series.Fixed = best
	if len(sizes) < 2 {
		return
	}
	kept := slices.DeleteFunc(slices.Clone(c.runs), func(r HistoryRun) bool { return r.Else != best })
	c.note(note.OtherParameters, "%s left out: more than %s differs from the other runs",
		quantity.Plural(len(c.runs)-len(kept), "run"), parameterName(c.series))
	c.runs = kept
}

// keepNewestRegimes removes, for each size, the runs before its last change of speed.
func (c *runSelection) keepNewestRegimes() {
	newest := map[float64]int{}
	for _, r := range c.runs {
		newest[r.P] = max(newest[r.P], r.Regime)
	}
	var kept []HistoryRun
	for _, r := range c.runs {
		if r.Regime < newest[r.P] {
			c.older = append(c.older, r)
		} else {
			kept = append(kept, r)
		}
	}
	if len(c.older) > 0 {
		c.note(note.OtherRegime, "%s left out: a change of speed followed at the same size",
			quantity.Plural(len(c.older), "run"))
	}
	c.runs = kept
}

// event is a change of speed at one time, with its factor at the sizes that ran before and after it.
type event struct {
	at     float64
	factor map[float64]float64 // by size; 1 where nothing changed
}

// events returns the changes of speed in the order of time. Changes of several
// sizes within a week are one event.
func (c *runSelection) events() []event {
	type change struct{ p, at, factor float64 }
	spans := c.regimes()
	var changes []change
	for k, s := range spans {
		after, ok := spans[regime{k.p, k.n + 1}]
		a, b := robust.Median(s.values), robust.Median(after.values)
		if ok && a > 0 && b > 0 {
			changes = append(changes, change{k.p, (s.last + after.first) / 2, b / a})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.p, b.p)) })
	var out []event
	for _, ch := range changes {
		if n := len(out); n == 0 || ch.at-out[n-1].at > sameTime {
			out = append(out, event{ch.at, map[float64]float64{}})
		}
		out[len(out)-1].factor[ch.p] = ch.factor
	}
	for p, ran := range c.periods() {
		for _, e := range out {
			if _, saw := e.factor[p]; !saw && ran.from < e.at && ran.to > e.at {
				e.factor[p] = 1
			}
		}
	}
	return out
}

// regime is the runs of one size between two changes of speed.
type regime struct {
	p float64
	n int
}

// span is the values and times of some runs.
type span struct {
	values      []float64
	first, last float64
}

// regimes returns, for each size and regime, the values of its runs and the times of the first and of the
// last.
func (c *runSelection) regimes() map[regime]span {
	out := map[regime]span{}
	for _, r := range c.all() {
		s, ok := out[regime{r.P, r.Regime}]
		if !ok {
			s.first = r.When
		}
		s.last, s.values = r.When, append(s.values, r.Value)
		out[regime{r.P, r.Regime}] = s
	}
	return out
}

// all returns the runs of all regimes in time order.
func (c *runSelection) all() []HistoryRun {
	all := slices.Concat(c.older, c.runs)
	slices.SortStableFunc(all, func(a, b HistoryRun) int { return cmp.Compare(a.When, b.When) })
	return all
}

// period is the time of the first and the last run of a size, in UTC epoch seconds.
type period struct{ from, to float64 }

// periods returns, for each size, the times of its first and of its last run.
func (c *runSelection) periods() map[float64]period {
	out := map[float64]period{}
	for _, r := range c.all() {
		if p, ok := out[r.P]; ok {
			out[r.P] = period{p.from, r.When}
		} else {
			out[r.P] = period{r.When, r.When}
		}
	}
	return out
}

// adjustToNewest corrects the values of sizes that were not run since a change of speed by its factor at other
// sizes, and marks the series as Uncut if size and date cannot be separated.
func (c *runSelection) adjustToNewest() {
	if len(c.runs) == 0 {
		return
	}
	adjusted := map[float64]bool{}
	ran := c.periods()
	for _, e := range c.events() {
		var factors []float64
		for _, f := range e.factor {
			factors = append(factors, f)
		}
		f := robust.Median(factors)
		for i := range c.runs {
			r := &c.runs[i]
			// A size that was run since has shown what the change did to it.
			if ran[r.P].to < e.at && f != 1 {
				r.Value *= f
				adjusted[r.P] = true
			}
		}
	}
	if len(adjusted) > 0 {
		c.note(note.AdjustedForChange,
			"%s not run since a change of speed that other sizes show: the values are scaled by the change of those sizes",
			quantity.Plural(len(adjusted), "size"))
	}
	if c.datesDiffer(ran) {
		c.series.Uncut = true
		c.note(note.ConfoundedWithTime,
			"sizes were run more than a week apart: a difference between them may be one of date, so no change of law over %s "+
				"is searched for",
			parameterName(c.series))
	}
}

// datesDiffer reports whether there is a pause longer than sameTime such that all runs before it are of other
// sizes than all runs after it.
func (c *runSelection) datesDiffer(ran map[float64]period) bool {
	all := c.all()
	bridged := all[0].When
	for i, r := range all {
		if i > 0 && r.When-all[i-1].When > sameTime && bridged < r.When {
			return true
		}
		bridged = max(bridged, ran[r.P].to)
	}
	return false
}

// iterationsDiffer reports, and adds a note, if the numbers of iterations differ between sizes by more than
// iterationSlack.
func (c *runSelection) iterationsDiffer() bool {
	counts := map[float64][]float64{}
	for _, r := range c.runs {
		if r.Iterations > 0 {
			counts[r.P] = append(counts[r.P], r.Iterations)
		}
	}
	var medians []float64
	for _, n := range counts {
		medians = append(medians, robust.Median(n))
	}
	if len(medians) < 2 {
		return false
	}
	lo, hi := slices.Min(medians), slices.Max(medians)
	if hi <= lo*(1+iterationSlack) {
		return false
	}
	c.note(note.IterationsDiffer, "runs made from %.0f to %.0f cycles, depending on %s: their %s is not compared: "+
		"compare the time of one cycle (--metric step_s)",
		lo, hi, parameterName(c.series), cmp.Or(c.series.Metric, "value"))
	return true
}
