package pattern

import (
	"fmt"
	"math"

	"jobgait/analysis/note"
	"jobgait/analysis/series"
)

// Reference is the main loop of an application, with which the patterns of its runs are compared. The time of
// that loop in a run is its step_s.
type Reference struct {
	Column       string        `json:"column"`
	ValuesColumn string        `json:"values_column"`
	PeriodS      float64       `json:"period_s"`
	Values       series.Values `json:"values"`
}

// NewReference makes a run's main pattern the reference.
func NewReference(p Pattern) Reference {
	return Reference{Column: p.Column, ValuesColumn: p.ValuesColumn, PeriodS: p.PeriodS, Values: p.Values}
}

// Requirements for a pattern to match the reference.
const (
	// maxFold is the largest multiple or fraction of the reference that counts as a match.
	maxFold = 8
	// minAlike is the smallest correlation of the shapes, after the best rotation;
	// minAlikeFold that of a multiple or fraction, which a chance resemblance fits
	// more easily.
	minAlike, minAlikeFold = 0.7, 0.8
	// maxSameSpeed is the relative difference of the step up to which a match by a harmonic is no change of speed.
	maxSameSpeed = 0.05
	// maxRatio is the largest ratio, either way, of a run's step to the reference's.
	maxRatio = 4
)

// Step is the time of one iteration of the reference's loop in a run, in seconds.
type Step struct {
	StepS float64
	// Pattern is the id of the one that gave it; StepS is its period times
	// Num over Den.
	Pattern  string
	Num, Den int
	// Alike is the correlation of the shapes; 0 if only the column and the period agree.
	Alike float64
}

// Step returns the time of one iteration of the reference's loop in a run of the same shape of job, from the best match
// among the run's patterns (see isBetter). ok is false, with a note, if none of them matches: the time of another
// pattern is never returned.
func (r Reference) Step(patterns []Pattern) (step Step, ok bool, notes []note.Note) {
	for _, s := range r.candidates(patterns) {
		if !ok || r.isBetter(s, step) {
			step, ok = s, true
		}
	}
	if !ok {
		text := "the run has no pattern, so no step_s (time of one cycle)"
		if len(patterns) > 0 {
			unmatched := fmt.Sprintf("none of its %d patterns (the first %.4g s) is", len(patterns), patterns[0].PeriodS)
			if len(patterns) == 1 {
				unmatched = fmt.Sprintf("its pattern of %.4g s is not", patterns[0].PeriodS)
			}
			text = fmt.Sprintf("the run has no step_s (time of one cycle): %s the loop of %.4g s of earlier runs", unmatched,
				r.PeriodS)
		}
		return Step{}, false, []note.Note{note.New(note.PatternChanged, "%s", text)}
	}
	return step, true, nil
}

// isBetter reports whether match a is better than b. A match at the reference's own speed is better than a
// change of speed; otherwise the smaller penalty decides.
func (r Reference) isBetter(a, b Step) bool {
	if x, y := r.isNear(a), r.isNear(b); x != y {
		return x
	}
	return r.penalty(a) < r.penalty(b)
}

// isNear reports whether a match is at the reference's own speed, within maxSameSpeed.
func (r Reference) isNear(s Step) bool {
	return math.Abs(s.StepS/r.PeriodS-1) <= maxSameSpeed
}

// penalty returns a number that grows with the difference of the shapes, with the fold, and with the change of
// speed that the match implies.
func (r Reference) penalty(s Step) float64 {
	return 1 - s.Alike + 0.02*float64(s.Num*s.Den-1) + 0.1*math.Abs(math.Log(s.StepS/r.PeriodS))
}

// candidates returns the matches of the patterns with the reference. A pattern of the same column and values column
// matches if its shape is like a multiple or fraction of the reference's; one of another page of the same group, if its
// shape is like the reference's; one of another column, if its period equals the reference's within maxSameSpeed.
func (r Reference) candidates(patterns []Pattern) []Step {
	ref, shaped := newCycle(r.Values)
	if !(r.PeriodS > 0) {
		return nil
	}
	var out []Step
	for _, p := range patterns {
		if !(p.PeriodS > 0) {
			continue
		}
		if s := stepOf(p, 1, 1); (p.Column != r.Column || p.ValuesColumn != r.ValuesColumn) && r.isNear(s) {
			// Another column has another shape. With the same period it is
			// the same loop.
			out = append(out, s)
		}
		shape, ok := newCycle(p.Values)
		if !ok || !shaped || p.Column != r.Column {
			continue
		}
		if p.ValuesColumn == r.ValuesColumn {
			out = append(out, r.folds(ref, shape, p)...)
			continue
		}
		// Another page of the same group: after a new build the same code has
		// another key. What runs twice in an iteration has half its period, so
		// folds say nothing here.
		if s := stepOf(p, 1, 1); r.isPlausible(s) {
			if s.Alike, _ = shape.bestCorrelation(ref); s.Alike >= minAlikeFold {
				out = append(out, s)
			}
		}
	}
	return out
}

// folds returns the matches of a pattern that holds k periods of the reference, or of which k fit into the reference's
// period, for k up to maxFold: those at a plausible speed whose shapes have at least the required correlation.
func (r Reference) folds(ref, shape cycle, p Pattern) []Step {
	var out []Step
	for k := 1; k <= maxFold; k++ {
		threshold := minAlikeFold
		if k == 1 {
			threshold = minAlike
		}
		// The pattern holds k periods of the reference.
		if s := stepOf(p, 1, k); r.isPlausible(s) {
			if s.Alike, _ = shape.bestCorrelation(ref.repeated(k)); s.Alike >= threshold {
				out = append(out, s)
			}
		}
		if k == 1 {
			continue
		}
		// The reference holds k periods of the pattern.
		if s := stepOf(p, k, 1); r.isPlausible(s) {
			if s.Alike, _ = ref.bestCorrelation(shape.repeated(k)); s.Alike >= threshold {
				out = append(out, s)
			}
		}
	}
	return out
}

// isPlausible reports whether the step of a match is within a factor maxRatio of the reference's.
func (r Reference) isPlausible(s Step) bool {
	q := s.StepS / r.PeriodS
	return q <= maxRatio && q >= 1.0/maxRatio
}

// stepOf returns the match of pattern p with num/den of its period as the step.
func stepOf(p Pattern, num, den int) Step {
	f := float64(num) / float64(den)
	return Step{StepS: p.PeriodS * f, Pattern: p.ID, Num: num, Den: den}
}

// minMain is the least coverage at which a pattern is the main loop of a run of another size.
const minMain = 0.5

// StepAcross returns the time of one iteration of the reference's loop in a run of another size (nodes, tasks or
// input), where period and shape may both differ. It chooses the pattern of the same column with the highest
// correlation, of at least minAlikeFold, whatever its period. Without one it takes the only pattern that covers half of
// the run. Otherwise ok is false, with a note.
func (r Reference) StepAcross(patterns []Pattern) (step Step, ok bool, notes []note.Note) {
	ref, shaped := newCycle(r.Values)
	var main []Pattern
	for _, p := range patterns {
		if p.PeriodS > 0 && p.Coverage >= minMain {
			main = append(main, p)
		}
		if p.Column != r.Column || !shaped || !(p.PeriodS > 0) {
			continue
		}
		if shape, good := newCycle(p.Values); good {
			s := stepOf(p, 1, 1)
			s.Alike, _ = shape.bestCorrelation(ref)
			if s.Alike >= minAlikeFold && (!ok || s.Alike > step.Alike) {
				step, ok = s, true
			}
		}
	}
	if !ok && len(main) == 1 {
		step, ok = stepOf(main[0], 1, 1), true
	}
	if !ok {
		_, _, notes = r.Step(nil)
		if len(patterns) > 0 {
			notes = []note.Note{note.New(note.PatternChanged,
				"the run has no step_s (time of one cycle): none of its %d patterns resembles the loop of the reference run, "+
					"which has another size, or alone covers half of the run",
				len(patterns))}
		}
	}
	return step, ok, notes
}
