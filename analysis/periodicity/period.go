package periodicity

import "jobgait/analysis/note"

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

// Period is one recurring length of time in a profile (Phase-TA III-A).
type Period struct {
	// Column is the name of the column, or of the group of columns, that
	// carried the period.
	Column string
	// PeriodS is the length of one instance in seconds, with its 95 %
	// confidence interval, and in samples.
	PeriodS, LoS, HiS float64
	PeriodSamples     float64
	// PeriodCV is the coefficient of variation of the instances' lengths.
	PeriodCV float64
	// Coverage is the share of the profile's samples that lie in an instance.
	Coverage float64
	// Confidence is explained * regular * support, each in 0..1.
	Confidence float64
	// Instances are in time order and do not overlap; Regions join those
	// that follow each other.
	Instances []Instance
	Regions   []Region
}

// Result is what was found: Periods ordered by coverage * confidence, and in
// Notes why others, or all, were refused.
type Result struct {
	Periods []Period
	Notes   []note.Note
}
