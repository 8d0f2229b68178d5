package pattern

import (
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// Pattern is the representative shape of one period (Phase-TA III-C) and the
// figures that a report prints of it. Its JSON is part of node records and
// reports: keys are added, never renamed.
type Pattern struct {
	ID            string  `json:"id"` // "A", "B", ... in the order of coverage * confidence
	Column        string  `json:"column"`
	PeriodS       float64 `json:"period_s"`
	PeriodLoS     float64 `json:"period_ci_lo_s"`
	PeriodHiS     float64 `json:"period_ci_hi_s"`
	PeriodSamples float64 `json:"period_samples"`
	PeriodCV      float64 `json:"period_cv"`
	Confidence    float64 `json:"confidence"`
	Coverage      float64 `json:"coverage"`
	Instances     int     `json:"instances"`
	// Values is the mean shape of ValuesColumn over one period, in its
	// unit, with the 10th and 90th percentile over the instances; all three
	// have round(PeriodSamples) entries, resampled to at most 512.
	ValuesColumn string               `json:"values_column"`
	ValuesUnit   string               `json:"values_unit"`
	Values       series.Values        `json:"values"`
	P10          series.Values        `json:"p10"`
	P90          series.Values        `json:"p90"`
	Regions      []periodicity.Region `json:"regions"`
}
