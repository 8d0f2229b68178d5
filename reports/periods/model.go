package periods

import (
	"cmp"

	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/phase"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
)

// Schema names the JSON. Keys are added within it, never renamed.
const Schema = "jobgait.periods/1"

// Input is the input of a report.
type Input struct {
	// Name is the printed name of the file.
	Name string
	Set  series.Set
	// Offsets are the values subtracted from each column by the reader; nil means none.
	Offsets []float64
	Method  string
	Result  periodicity.Result
	// Shapes are the representative patterns of the paper's method, in the order of the periods; if nil, they are
	// computed.
	Shapes []periodicity.PaperShape
	// Notes are the notes of the reader.
	Notes []note.Note
}

// Detection is the report that is printed.
type Detection struct {
	Schema   string   `json:"schema"`
	Column   *string  `json:"column"`
	Method   string   `json:"method"`
	RateHz   *float64 `json:"rate_hz"`
	Samples  int      `json:"samples"`
	Missing  int      `json:"missing"`
	Coverage float64  `json:"coverage"`
	// Axis is the time in which the first pattern was seen: wall, cpu or both.
	Axis     *series.Axis      `json:"axis"`
	Patterns []DetectedPattern `json:"patterns"`
	Macro    []pattern.Macro   `json:"macro"`
	// Phases is the time in start-up, loops, checkpoints, gaps and tail.
	Phases []phase.Total `json:"phases"`
	Notes  []note.Note   `json:"notes"`

	name  string
	set   series.Set
	shift map[string]float64 // of each column
	table []phase.Phase
}

// DetectedPattern is one detected pattern.
type DetectedPattern struct {
	ID           string           `json:"id"`
	Column       string           `json:"column"`
	ValuesColumn string           `json:"values_column"`
	Kind         periodicity.Kind `json:"kind"`
	periodicity.Timing
	// StepCPUS is the CPU time of one cycle in s, null where CPU time was not counted.
	StepCPUS *float64 `json:"step_cpu_s"`
	// ConfidenceParts are the factors of the confidence.
	ConfidenceParts periodicity.Parts         `json:"confidence_parts"`
	Significance    *float64                  `json:"significance"`
	Count           int                       `json:"count"`
	Runs            int                       `json:"runs"`
	WGSS            *float64                  `json:"wgss"`
	Values          numbers                   `json:"values"`
	P10             numbers                   `json:"p10"`
	P90             numbers                   `json:"p90"`
	Instances       [][2]int                  `json:"instances"`
	Regions         []periodicity.Region      `json:"regions"`
	Drift           LengthDrift               `json:"drift"`
	Low             []pattern.LowRegion       `json:"low"`
	Slow            []SlowCycle               `json:"slow"`
	SlowCount       int                       `json:"slow_count"`
	Child           []periodicity.ChildPeriod `json:"child"`
}

// LengthDrift reports how the length of iterations changed.
type LengthDrift struct {
	SlopePctPerHour *float64     `json:"slope_pct_per_hour"`
	Lo              *float64     `json:"ci_lo"`
	Hi              *float64     `json:"ci_hi"`
	Level           float64      `json:"level"`
	Steps           []phase.Step `json:"steps"`
}

// SlowCycle is an iteration that stands out.
type SlowCycle struct {
	Index   int     `json:"index"` // in instances
	TS      float64 `json:"t_s"`
	LengthS float64 `json:"length_s"`
	ExcessS float64 `json:"excess_s"`
}

// New makes the report of a result.
func New(in Input) Detection {
	r := Detection{Schema: Schema, Method: in.Method, Samples: in.Set.Len(), Patterns: []DetectedPattern{},
		Macro: []pattern.Macro{},
		Notes: append(append([]note.Note{}, in.Notes...), in.Result.Notes...), name: in.Name, set: in.Set,
		shift: map[string]float64{}}
	if in.Set.StepS > 0 {
		r.RateHz = quantity.Finite(1 / in.Set.StepS)
	}
	for i, c := range in.Set.Columns {
		if i < len(in.Offsets) {
			r.shift[c.Name] = in.Offsets[i]
		}
	}
	shapes := pattern.RepresentAt(in.Set, in.Result.Periods, 0)
	for i, s := range in.Shapes {
		shapes[i] = shapes[i].Averaged(s.Values, s.WGSS)
	}
	for i, p := range in.Result.Periods {
		r.Patterns = append(r.Patterns, newPattern(shapes[i], p, in.Set, r.shift[shapes[i].ValuesColumn]))
	}
	r.Macro = append(r.Macro, pattern.Macros(in.Result.Macros, shapes)...)
	r.table = phase.Table(in.Set, shapes, in.Result.Periods)
	if r.Phases = phase.Totals(r.table); r.Phases == nil {
		r.Phases = []phase.Total{}
	}
	r.Coverage = covered(in.Result.Periods, in.Set.Len())
	r.chooseColumn(in)
	return r
}

// chooseColumn sets the column that the report is about, that of the first pattern or the only one, and its
// axis, and counts its missing samples. With several columns and no pattern it sets nothing.
func (r *Detection) chooseColumn(in Input) {
	name := ""
	switch {
	case len(r.Patterns) > 0:
		name = r.Patterns[0].Column
	case len(in.Set.Columns) == 1:
		name = in.Set.Columns[0].Name
	default:
		return
	}
	r.Column = &name
	if len(in.Result.Periods) > 0 {
		r.Axis = &in.Result.Periods[0].Axis
	}
	c, ok := in.Set.Column(name)
	for i := 0; !ok && i < len(in.Set.Columns); i++ {
		c, ok = in.Set.Columns[i], in.Set.Columns[i].Group == name
	}
	for _, v := range c.Values {
		if series.IsMissing(v) {
			r.Missing++
		}
	}
}

// covered returns the share of n samples that lie in an instance of any period.
func covered(periods []periodicity.Period, n int) float64 {
	switch len(periods) {
	case 0:
		return 0
	case 1:
		return periods[0].Coverage
	}
	in := make([]bool, n)
	count := 0
	for _, p := range periods {
		for _, i := range p.Instances {
			for k := max(0, i.First); k < min(n, i.First+i.Length); k++ {
				if !in[k] {
					in[k] = true
					count++
				}
			}
		}
	}
	return float64(count) / float64(max(1, n))
}

// newPattern returns a detected pattern; shift is the offset of its column.
func newPattern(q pattern.Pattern, p periodicity.Period, set series.Set, shift float64) DetectedPattern {
	out := DetectedPattern{ID: q.ID, Column: q.Column, ValuesColumn: q.ValuesColumn, Timing: q.Timing,
		Kind: cmp.Or(p.Kind, periodicity.Equal), ConfidenceParts: p.Parts,
		Count: len(p.Instances), Runs: len(p.Regions), Values: numbers{q.Values, shift}, P10: numbers{q.P10, shift},
		P90:       numbers{q.P90, shift},
		Instances: make([][2]int, len(p.Instances)), Regions: append([]periodicity.Region{}, p.Regions...),
		Low: []pattern.LowRegion{}, Slow: []SlowCycle{}, Child: append([]periodicity.ChildPeriod{}, p.Children...),
		Drift: LengthDrift{Level: 0.95}}
	if p.CPUS > 0 {
		out.StepCPUS = quantity.Finite(p.CPUS)
	}
	if p.Significance != 0 {
		out.Significance = quantity.Finite(p.Significance)
	}
	if q.Aligned > 0 {
		out.WGSS = quantity.Finite(q.WGSS)
	}
	for i, in := range p.Instances {
		out.Instances[i] = [2]int{in.First, in.Length}
	}
	for _, l := range q.Low {
		l.Level += shift
		l.Above += shift
		out.Low = append(out.Low, l)
	}
	d := phase.DriftOf(p, set.StartS, set.StepS)
	out.Drift.SlopePctPerHour, out.Drift.Lo, out.Drift.Hi = quantity.Finite(d.SlopePctPerHour), quantity.Finite(d.Lo),
		quantity.Finite(d.Hi)
	out.Drift.Steps = append([]phase.Step{}, d.Steps...)
	out.SlowCount = d.SlowCount
	for _, s := range d.Slow {
		out.Slow = append(out.Slow, SlowCycle{Index: s.Iteration, TS: s.StartS, LengthS: s.LengthS, ExcessS: s.ExcessS})
	}
	return out
}
