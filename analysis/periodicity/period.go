package periodicity

import (
	"jobgait/analysis/note"
	"jobgait/analysis/series"
)

// Both is the axis of a period that was seen in wall time and in CPU time.
const Both series.Axis = "both"

// Instance is one occurrence of a period: its first sample and its length in
// samples.
type Instance struct {
	First  int
	Length int
}

// Region is a run of consecutive instances.
type Region struct {
	StartS float64 `json:"start_s"`
	EndS   float64 `json:"end_s"`
	Count  int     `json:"count"`
}

// Timing is the length of the cycles of a period, with its uncertainty. Its JSON is part of node records, of reports
// and of `jobgait periods --json`: keys are added, never renamed.
type Timing struct {
	// PeriodS is the typical length of one instance in seconds (the median over groups of up to 16), with its 95 %
	// confidence interval.
	PeriodS   float64 `json:"period_s"`
	PeriodLoS float64 `json:"period_ci_lo_s"`
	PeriodHiS float64 `json:"period_ci_hi_s"`
	// MeanS, P10S and P90S are the mean and the tails of the instances' lengths; 0 where they are not known.
	MeanS         float64 `json:"period_mean_s"`
	P10S          float64 `json:"period_p10_s"`
	P90S          float64 `json:"period_p90_s"`
	PeriodSamples float64 `json:"period_samples"` // PeriodS in samples
	// PeriodCV is the coefficient of variation of the instances' lengths.
	PeriodCV float64 `json:"period_cv"`
	// Confidence is the product of a period's Parts.
	Confidence float64 `json:"confidence"`
	// Coverage is the share of the profile's samples that lie in an instance.
	Coverage float64 `json:"coverage"`
}

// WithMean returns the timing with the interval widened to contain the mean, because readers take it for that of the
// mean.
func (t Timing) WithMean() Timing {
	if t.MeanS > 0 {
		t.PeriodLoS, t.PeriodHiS = min(t.PeriodLoS, t.MeanS), max(t.PeriodHiS, t.MeanS)
	}
	return t
}

// Period is one recurring length of time in a profile (Phase-TA III-A).
type Period struct {
	// Column is the name of the column, or of the group of columns, that
	// carried the period.
	Column string
	Timing
	// CPUS is the CPU time of one instance on average, in seconds; 0 where it is not known.
	CPUS float64
	// Kind says whether the instances have equal lengths.
	Kind Kind
	// Axis is the axis on which it was found: series.Wall, series.CPU, or Both.
	Axis series.Axis
	// Parts are the factors of the confidence.
	Parts Parts
	// Instances are in time order and do not overlap; Regions join those
	// that follow each other.
	Instances []Instance
	Regions   []Region
	// LengthsS are the lengths of the instances in seconds, measured to fractions of a sample, and LengthErrorS is
	// the standard error of one; nil and 0 where lengths are known to whole samples only.
	LengthsS     []float64
	LengthErrorS float64
	// Children are shorter periods inside the instances: the iterations of a
	// solver within a time step.
	Children []ChildPeriod
	// Significance is how far the score of the period lies above what the
	// same search finds in permutations of the profile, in their standard
	// deviations.
	Significance float64
}

// Parts are the factors of a confidence, each 0 to 1: the share of the instances that the template explains
// (Explained), the regularity of their lengths (Regular), their number and coverage (Support), the share of the
// votes of columns and grids that agree (Agreed, 1 with one column), and how well the recording resolves a
// period in CPU time (Resolved).
type Parts struct {
	Explained float64 `json:"explained"`
	Regular   float64 `json:"regular"`
	Support   float64 `json:"support"`
	Agreed    float64 `json:"agreed"`
	Resolved  float64 `json:"resolved"`
}

// product returns the confidence: the product of the parts.
func (p Parts) product() float64 {
	return p.Explained * p.Regular * p.Support * p.Agreed * p.Resolved
}

// ChildPeriod is a period that recurs inside the instances of another.
type ChildPeriod struct {
	PeriodS    float64 `json:"period_s"`
	Count      int     `json:"count"` // of all instances together
	Confidence float64 `json:"confidence"`
}

// Macro is a longer cycle that consists of periods: a number of iterations, then a checkpoint.
type Macro struct {
	PeriodS float64
	Of      []int // indexes of the periods that lie in it
	Count   int
}

// Result is what was found: Periods with the main one first, and in Notes how reliable that is, what was left out or,
// without periods, why.
type Result struct {
	Periods []Period
	Macros  []Macro
	Notes   []note.Note
}
