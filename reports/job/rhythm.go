package job

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/phase"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
	"jobgait/reports/text"
)

// Rhythm is the run in time: its patterns, phases and timeline.
type Rhythm struct {
	Periodic bool `json:"periodic"`
	// PeriodicShare is the share of the run inside loops, 0 to 1.
	PeriodicShare *float64 `json:"periodic_share"`
	// Why gives the reasons why there is no pattern; empty when there is one.
	Why      []Note    `json:"why"`
	LeadNode Word      `json:"lead_node"` // the node whose timeline and patterns these are
	Patterns []Pattern `json:"patterns"`
	// Macro lists cycles of several iterations; they do not contradict the patterns.
	Macro  []pattern.Macro `json:"macro"`
	Phases []RunPhase      `json:"phases"`
	// Totals are the phases by kind, with gaps that recur at regular distances
	// as checkpoints.
	Totals []PhaseTotal `json:"totals"`
	// Stopped says where a run that failed stopped; else null.
	Stopped  *Stop    `json:"stopped"`
	Timeline Timeline `json:"timeline"`
	// Minute is a typical minute at full resolution; null where the timeline shows as much detail.
	Minute *Timeline `json:"minute"`
}

// Pattern is one recurring shape: a cycle.
type Pattern struct {
	ID     string `json:"id"`
	Column string `json:"column"`
	Label  string `json:"label"`
	// Kind is "marks" where the length of cycles varies by nature. Axis is the time in which the pattern was seen:
	// wall time, CPU time or both; null where that is unknown.
	Kind   periodicity.Kind `json:"kind"`
	Axis   *series.Axis     `json:"axis"`
	Period Estimate         `json:"period_s"`
	// MeanS, P10S and P90S are the mean and percentiles of the lengths of its cycles in s, CPUS the CPU time of
	// one cycle in s; null where unknown.
	MeanS         *float64             `json:"period_mean_s"`
	P10S          *float64             `json:"period_p10_s"`
	P90S          *float64             `json:"period_p90_s"`
	CPUS          *float64             `json:"step_cpu_s"`
	PeriodSamples float64              `json:"period_samples"`
	PeriodCV      float64              `json:"period_cv"`
	Confidence    float64              `json:"confidence"`
	Coverage      float64              `json:"coverage"`
	Instances     int                  `json:"instances"`
	Shape         Shape                `json:"shape"`
	Regions       []periodicity.Region `json:"regions"`
	// WGSS is the within-group sum of squares of the shape over all instances, in the square of the shape's unit.
	WGSS *float64 `json:"wgss"`
	// Significance is the number of standard deviations by which the period lies above the result of the same
	// search in permutations of the profile.
	Significance *float64 `json:"significance"`
	// FewInstances reports whether there are fewer instances than a mean shape needs.
	FewInstances bool `json:"few_instances"`
	// Child lists shorter periods inside the instances.
	Child []periodicity.ChildPeriod `json:"child"`
	// Low lists stretches at a low level of activity, where a lower clock may cost little.
	Low   []LowStretch `json:"low"`
	Drift *CycleDrift  `json:"drift"`
	// Examples are cycles as they were sampled; only the main pattern has them.
	Examples []summary.Example `json:"examples,omitempty"`
}

// Shape is the mean iteration over all instances, with percentiles.
type Shape struct {
	Column string        `json:"column"`
	Label  string        `json:"label"`
	Unit   string        `json:"unit"`
	Mean   series.Values `json:"mean"`
	P10    series.Values `json:"p10"`
	P90    series.Values `json:"p90"`
	short  string        // a label of at most 9 columns
}

// RunPhase is one stretch of the run.
type RunPhase struct {
	Kind    phase.Stage `json:"kind"`
	Pattern Word        `json:"pattern"`
	StartS  float64     `json:"start_s"`
	EndS    float64     `json:"end_s"`
	Share   float64     `json:"share"`
}

// PhaseTotal is the time in phases of one kind.
type PhaseTotal struct {
	Kind    phase.Stage `json:"kind"`
	Pattern Word        `json:"pattern"`
	Count   int         `json:"count"`
	S       float64     `json:"s"`
	Share   float64     `json:"share"`
}

// length returns the length of the phase in s.
func (p RunPhase) length() float64 { return math.Max(0, p.EndS-p.StartS) }

// name returns the phase's name in a table: "before cycles", "loop A". The time before the first recognized
// cycle is not always the start of the program.
func (p RunPhase) name() string {
	if p.Pattern != "" {
		return string(p.Kind) + " " + string(p.Pattern)
	}
	return p.Kind.ReaderText()
}

// letter returns the phase's sign in the strip under the timeline: the first letter of a loop's pattern ("*" without
// one), "-" for a gap or a checkpoint, "~" for phase.Unfollowed, and "." for all others.
func (p RunPhase) letter() byte {
	switch {
	case p.Kind == phase.Loop && p.Pattern != "" && p.Pattern[0] < utf8.RuneSelf:
		return p.Pattern[0]
	case p.Kind == phase.Loop:
		return '*'
	case p.Kind == phase.Gap || p.Kind == phase.Checkpoint:
		return '-'
	case p.Kind == phase.Unfollowed:
		return '~'
	}
	return '.'
}

// newRhythm returns the patterns, phases and timeline of a run.
func newRhythm(s summary.Summary) Rhythm {
	names := newLabels(s)
	r := Rhythm{
		Periodic: len(s.Patterns) > 0, Why: []Note{}, LeadNode: Word(s.LeadNode),
		Patterns: make([]Pattern, 0, len(s.Patterns)), Phases: make([]RunPhase, 0, len(s.Phases)),
		Timeline: newTimeline(s.Timeline, s.Quality, names),
	}
	for _, p := range s.Patterns {
		q := newPattern(p, names, s.Quality)
		q.addLoop(p, s, names)
		r.Patterns = append(r.Patterns, q)
	}
	if s.Minute != nil {
		m := newTimeline(*s.Minute, s.Quality, names)
		r.Minute = &m
	}
	r.Macro, r.Stopped, r.Totals = newMacros(s), newStop(s), phaseTotals(s.Phases)
	share, seen := 0.0, false
	for _, p := range s.Phases {
		q := RunPhase{p.Kind, Word(p.Pattern), p.StartS, p.EndS, p.Share}
		r.Phases = append(r.Phases, q)
		seen = true
		if q.Kind == phase.Loop {
			share += q.Share
		}
	}
	if seen {
		r.PeriodicShare = &share
	}
	if !r.Periodic {
		r.Why = noPeriodNotes(newNotes(s))
	}
	return r
}

// phaseTotals sums the phases by kind.
func phaseTotals(table []phase.Phase) []PhaseTotal {
	out := []PhaseTotal{}
	for _, t := range phase.Totals(table) {
		out = append(out, PhaseTotal{t.Kind, Word(t.Pattern), t.Count, t.S, t.Share})
	}
	return out
}

// newPattern returns a pattern with labels and readable units.
func newPattern(p pattern.Pattern, names labels, quality run.Quality) Pattern {
	by, unit := inReadable(p.ValuesColumn, p.ValuesUnit, quality)
	q := Pattern{
		ID: p.ID, Column: p.Column, Label: names.long(p.Column),
		Kind: periodicity.Equal, MeanS: positive(p.MeanS), P10S: positive(p.P10S), P90S: positive(p.P90S),
		CPUS:          positive(p.CPUS),
		Period:        newEstimate(p.PeriodS, p.PeriodLoS, p.PeriodHiS, p.Instances, "lengths of the instances"),
		PeriodSamples: p.PeriodSamples, PeriodCV: p.PeriodCV,
		Confidence: p.Confidence, Coverage: p.Coverage, Instances: p.Instances,
		Shape: Shape{p.ValuesColumn, names.long(p.ValuesColumn), unit,
			scaled(p.Values, by), scaled(p.P10, by), scaled(p.P90, by), names.short(p.ValuesColumn)},
		Regions: nonNil(p.Regions),
	}
	if p.Kind == periodicity.Unequal {
		q.Kind = p.Kind
	}
	if slices.Contains([]series.Axis{series.Wall, series.CPU, periodicity.Both}, p.Axis) {
		q.Axis = &p.Axis
	}
	return q
}

// noPeriodNotes returns the notes that say why there is no pattern, most telling first.
func noPeriodNotes(notes []Note) []Note {
	out := []Note{}
	for _, want := range note.NoPeriodReasons() {
		for _, n := range notes {
			if n.Code == want.Code {
				out = append(out, n)
				break
			}
		}
	}
	return out
}

// whyClause returns the most telling reason in one clause, for the head of a report.
func (r Rhythm) whyClause() string {
	for _, w := range note.NoPeriodReasons() {
		if len(r.Why) > 0 && w.Code == r.Why[0].Code {
			return w.Clause + candidate(r.Why[0].Text)
		}
	}
	return r.whyText()
}

// candidate returns the rejected candidate that a note names, as the end of a clause: " (best candidate: 312 ms, 12
// times)"; "" where it names none.
func candidate(why string) string {
	for _, before := range []string{"the best candidate was a cycle of ", "the best candidate, a cycle of "} {
		_, rest, named := strings.Cut(why, before)
		if !named {
			continue
		}
		rest, _, counted := strings.Cut(rest, " times")
		period, times, seen := strings.Cut(rest, " seen ")
		if !seen {
			period, times, seen = strings.Cut(rest, ", ")
		}
		if !counted || !seen {
			return ""
		}
		return fmt.Sprintf(" (best candidate: %s, %s times)", period, times)
	}
	return ""
}

// whyText returns the words for the most telling reason, with the best candidate where there is one.
func (r Rhythm) whyText() string {
	if len(r.Why) == 0 {
		return "no reason is recorded"
	}
	for _, w := range note.NoPeriodReasons() {
		if w.Code == r.Why[0].Code && !w.HasCandidate {
			return w.Clause
		}
	}
	why := strings.TrimPrefix(r.Why[0].Text, "no period: ")
	if whole := strings.LastIndex(why, "; "); strings.HasSuffix(why, "...") && whole > 0 {
		why = why[:whole] // of a text that was cut, its whole clauses
	}
	for _, c := range r.Timeline.Columns {
		why = strings.ReplaceAll(why, " in "+c.Name+" ", " in "+c.Label+" ")
	}
	return why
}

// whyLines returns the reason for no period for the rhythm section, unless the head says as much. The text prints
// one reason; the JSON form has all.
func (r Report) whyLines() []string {
	said := r.inHead("no_period") && r.Rhythm.whyClause() == r.Rhythm.whyText()
	if len(r.Rhythm.Why) == 0 || said || !r.Quality.sampled() {
		return nil
	}
	return []string{text.Sentence("no period found: " + r.Rhythm.whyText())}
}
