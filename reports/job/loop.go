package job

import (
	"fmt"
	"math"
	"strings"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
	"jobgait/reports/text"
)

// LowStretch is a stretch of an iteration at a low level of activity.
type LowStretch struct {
	Column string `json:"column"`
	Label  string `json:"label"`
	Unit   string `json:"unit"`
	pattern.LowRegion
	// SavingMostJ is an upper limit in J of the energy that a lower clock there may save: the stretch's share of
	// the run's energy, assuming constant power. It is nil where no energy was measured.
	SavingMostJ *float64 `json:"saving_at_most_j,omitempty"`
}

// addLoop fills in what the summary says about the iterations of a pattern: the spread of their shape, significance,
// shorter periods inside, drift, examples and low stretches. Values are in readable units.
func (q *Pattern) addLoop(p pattern.Pattern, s summary.Summary, names labels) {
	q.Child, q.Low = []periodicity.ChildPeriod{}, []LowStretch{}
	q.FewInstances = p.Instances < periodicity.FewInstances
	by, _ := inReadable(p.ValuesColumn, p.ValuesUnit, s.Quality)
	if p.Aligned > 0 {
		q.WGSS = quantity.Finite(p.WGSS * by * by)
	}
	loop, ok := s.Loop(p.ID)
	if !ok {
		return
	}
	q.Significance = &loop.Significance
	q.Child, q.Drift, q.Examples = nonNil(loop.Children), newDrift(loop.Drift), newExamples(loop.Examples, by)
	a := loop.Activity
	if a == nil {
		return
	}
	by, unit := inReadable(a.Column, a.Unit, s.Quality)
	for _, l := range a.Low {
		l.Level, l.Above = l.Level*by, l.Above*by
		low := LowStretch{Column: a.Column, Label: names.long(a.Column), Unit: unit, LowRegion: l}
		if j := s.Resources().Energy.Joules; j != nil {
			saving := quantity.OrZero(l.Share * *j)
			low.SavingMostJ = &saving
		}
		q.Low = append(q.Low, low)
	}
}

// newMacros returns the cycles of several iterations, with lists that are never nil.
func newMacros(s summary.Summary) []pattern.Macro {
	out := nonNil(s.Macros)
	for i, m := range out {
		out[i].Of = nonNil(m.Of)
	}
	return out
}

// nested returns a sentence on the shorter cycles inside the patterns and on the longer ones that consist of them, at
// most maxNested; "" without any. They do not contradict the patterns.
func (r Rhythm) nested() string {
	var parts []string
	for _, q := range r.Patterns {
		for _, c := range q.Child {
			count := ""
			if q.Instances > 0 && c.Count > q.Instances {
				count = "about " + quantity.Count(int(math.Round(float64(c.Count)/float64(q.Instances)))) + " "
			}
			parts = append(parts, fmt.Sprintf("inside each %s: %sshorter cycles of %s (confidence %s)", q.ID, count,
				quantity.Period(c.PeriodS), quantity.Hundredths(c.Confidence)))
		}
	}
	for _, m := range r.Macro {
		parts = append(parts, fmt.Sprintf("%s in cycles of %s, %s times", strings.Join(m.Of, " and "),
			quantity.Period(m.PeriodS), quantity.Count(m.Count)))
	}
	if len(parts) == 0 {
		return ""
	}
	return text.Sentence(strings.Join(parts[:min(len(parts), maxNested)], "; "))
}

const (
	// maxNested is the largest number of periods inside and around the patterns that are printed, maxLow that of
	// low stretches.
	maxNested, maxLow = 4, 3
	// leastLow is the smallest share of the run for which a low stretch gets a line.
	leastLow = 0.01
	// clearlyLow is the largest ratio of the level in a stretch to the level elsewhere at which the stretch counts
	// as low: above a half, more CPUs work on than rest. On a shared machine other jobs cause steps of a tenth
	// (0.552 CPUs against 0.617 were measured).
	clearlyLow = 0.5
)

// lowTexts returns a line on each of the first maxLow stretches that are clearly low and take at least the
// share leastLow of the run. It returns none for a run that lost CPUs to something else, which may have caused
// the low level.
func (r Report) lowTexts() []string {
	var out []string
	if r.disturbed {
		return out
	}
	for _, q := range r.Rhythm.Patterns {
		for _, l := range q.Low {
			if l.Share < leastLow || l.Level > clearlyLow*l.Above || len(out) == maxLow {
				continue
			}
			from := quantity.Duration(l.OffsetS) + " on"
			if edge := q.Period.value() / 50; l.OffsetS < edge || l.OffsetS > q.Period.value()-edge {
				from = "the beginning"
			}
			saving := ""
			if l.SavingMostJ != nil {
				saving = fmt.Sprintf(" A lower clock there saves less than %s, %s of the energy that was measured.",
					quantity.Amount(*l.SavingMostJ, "J"), quantity.Share(l.Share))
			}
			out = append(out, fmt.Sprintf(
				"%s: %s at %s instead of %s, from %s for %s +- %s (%s of a cycle), in %s of them; %s of each hour.%s",
				q.ID, l.Label, quantity.Plain(l.Level, 3), quantity.Plain(l.Above, 3), from, quantity.Duration(l.DurationS),
				quantity.Duration(l.DurationSDS),
				quantity.Share(l.DurationS/q.Period.value()), quantity.Share(l.Repeatability), quantity.Duration(l.SecondsPerHour),
				saving))
		}
	}
	return out
}

// lowRemark says what the low stretches are good for, and what is unknown.
const lowRemark = "a lower clock may cost little here; that was not measured"
