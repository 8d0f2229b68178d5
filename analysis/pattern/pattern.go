package pattern

import (
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// Pattern is the representative shape of one period (Phase-TA III-C), with the figures that reports print. Its
// JSON is part of node records and reports: keys are added, never renamed.
type Pattern struct {
	ID     string `json:"id"` // "A", "B", ... in the order of the periods, the main one first
	Column string `json:"column"`
	// Kind says whether its cycles have equal lengths, Axis on which axis it was found; both are empty in old
	// records.
	Kind periodicity.Kind `json:"kind,omitempty"`
	Axis series.Axis      `json:"axis,omitempty"`
	periodicity.Timing
	// CPUS is the CPU time of one cycle in seconds, 0 if unknown.
	CPUS      float64 `json:"step_cpu_s,omitempty"`
	Instances int     `json:"instances"`
	// Values is the representative shape of ValuesColumn over one period, in
	// its unit, with the 10th and 90th percentile over the instances; all three
	// have round(PeriodSamples) entries, resampled to at most MaxPoints.
	ValuesColumn string               `json:"values_column"`
	ValuesUnit   string               `json:"values_unit"`
	Values       series.Values        `json:"values"`
	P10          series.Values        `json:"p10"`
	P90          series.Values        `json:"p90"`
	Regions      []periodicity.Region `json:"regions"`
	// WGSS is the within-group sum of squares of Values over all instances
	// (the paper's equation 1), in ValuesUnit squared. Aligned is the number of
	// instances that it was measured on; it is scaled to all.
	WGSS    float64 `json:"wgss,omitempty"`
	Aligned int     `json:"aligned,omitempty"`
	// Low are the stretches at a low level.
	Low []LowRegion `json:"low,omitempty"`
}

// Macro is a longer cycle of instances of patterns: a number of them, then a checkpoint.
type Macro struct {
	PeriodS float64  `json:"period_s"`
	Of      []string `json:"of"` // ids of the patterns in it
	Count   int      `json:"count"`
}

// Macros converts the macro cycles of periods to those of patterns, by the patterns' ids.
func Macros(macros []periodicity.Macro, patterns []Pattern) []Macro {
	var out []Macro
	for _, m := range macros {
		x := Macro{PeriodS: m.PeriodS, Of: []string{}, Count: m.Count}
		for _, i := range m.Of {
			if i >= 0 && i < len(patterns) {
				x.Of = append(x.Of, patterns[i].ID)
			}
		}
		out = append(out, x)
	}
	return out
}

// LowRegion is a stretch of a pattern at a low level, one of the paper's gray areas:
// an opportunity to run slower there at little cost, and no more than that.
type LowRegion struct {
	OffsetS   float64 `json:"offset_s"` // from the beginning of an instance
	DurationS float64 `json:"duration_s"`
	// DurationSDS is the standard deviation of the duration over instances.
	DurationSDS float64 `json:"duration_sd_s"`
	// Share is that of the run's time: duration over period, times coverage.
	Share float64 `json:"share"`
	// Repeatability is the share of instances that are low there.
	Repeatability float64 `json:"repeatability"`
	// SecondsPerHour is the time spent there in one hour of the run.
	SecondsPerHour float64 `json:"seconds_per_hour"`
	// Level and Above are the mean within the region and outside of all of
	// them.
	Level float64 `json:"level"`
	Above float64 `json:"above"`
}
