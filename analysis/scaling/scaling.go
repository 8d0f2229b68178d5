package scaling

import (
	"math"
	"slices"

	"jobgait/analysis/note"
)

// Observation is one measured run.
type Observation struct {
	P     float64 // the varying parameter
	Value float64 // the metric; NaN is a missing one
	// Group names what runs share beside P: their day, their node. Runs of one
	// group are not independent. "" is not known.
	Group string
	// NodeHours is what the run cost; 0 is not known.
	NodeHours float64
}

// Series is the runs of one metric over one parameter, in the order of the input.
type Series struct {
	ID           string
	Parameter    string
	Metric       string
	Observations []Observation
	// Fixed is what all runs have in common beside the parameter; "" is not known.
	Fixed string
	// Mode is what the user declares; nothing is guessed.
	Mode Mode
	// Uncut disables the search for a change, because its place could not be distinguished from a date
	// (Comparable).
	Uncut bool
	// Targets are parameter values to predict beside those that every result has.
	Targets []float64
	// Notes are about the choice of the runs; they are passed on to the result.
	Notes []note.Note
}

// Mode is how the problem grows with the parameter.
type Mode string

const (
	Undeclared Mode = ""
	Strong     Mode = "strong" // the same problem on more
	Weak       Mode = "weak"   // the problem grows with the parameter
)

// Method is an algorithm that finds changes and chooses models.
type Method string

const (
	Likelihood Method = "likelihood"
	Paper      Method = "paper"   // Off-Road, section 3
	ExtraP     Method = "extra-p" // the Basic modeler of Extra-P 4.2.5, one model, no segments
)

// Term is coefficient * p^I * log2(p)^J.
type Term struct {
	Coefficient float64 `json:"coefficient"`
	I           float64 `json:"i"`
	J           float64 `json:"j"`
}

// Model is a performance model normal form in one parameter:
// Constant + sum of Terms.
type Model struct {
	Constant float64 `json:"constant"`
	Terms    []Term  `json:"terms"`
	Formula  string  `json:"formula"`
	// RSS is the residual sum of squares in units of the metric squared, NRSS
	// is sqrt(RSS) over the mean value (the paper's nRSS), SMAPE in percent;
	// all three in sample.
	RSS   float64 `json:"rss"`
	NRSS  float64 `json:"nrss"`
	SMAPE float64 `json:"smape"`
}

// Change is one place where the law changes. Cut is the number of distinct
// parameter values before it; Lo and Hi bound it (cuts, inclusive).
type Change struct {
	Cut int `json:"cut"`
	Lo  int `json:"lo"`
	Hi  int `json:"hi"`
	// Common is p of the point that belongs to both segments, or nil.
	Common *float64 `json:"common"`
}

// Segment is a range of distinct ascending parameter values with one law.
type Segment struct {
	First int `json:"first"`
	Last  int `json:"last"`
	// Model is nil where the points are too few for any.
	Model *Model `json:"model"`
	// Enough reports whether there are five points, the paper's least; MissingPoints is the number that is
	// missing.
	Enough        bool `json:"enough"`
	MissingPoints int  `json:"missing_points"`
}

// Prediction is the value expected at P, with the interval of one new run's
// mean at Level. It includes the choice of model and of cut.
type Prediction struct {
	P            float64 `json:"p"`
	Value        float64 `json:"value"`
	Lo           float64 `json:"ci_lo"`
	Hi           float64 `json:"ci_hi"`
	Level        float64 `json:"level"`
	Extrapolated bool    `json:"extrapolated"`
	// LawLo and LawHi are the interval of the law itself, the mean of many runs.
	LawLo float64 `json:"law_lo"`
	LawHi float64 `json:"law_hi"`
}

// Efficiency is the parallel efficiency of the runs at P relative to the smallest P; 1 is ideal.
type Efficiency struct {
	P     float64 `json:"p"`
	Value float64 `json:"value"`
}

// NextMeasurement is a parameter value whose measurement would be most informative.
type NextMeasurement struct {
	P         float64  `json:"p"`
	Why       string   `json:"why"`
	NodeHours *float64 `json:"node_hours"` // what it costs, if known
}

// Result is the result for one series, and its JSON. Indexes count distinct ascending P. Lists are never nil,
// numbers are finite.
type Result struct {
	ID             string            `json:"id"`
	Parameter      string            `json:"parameter"`
	Metric         string            `json:"metric"`
	N              int               `json:"n"`
	Segmented      bool              `json:"segmented"`
	Cuts           []int             `json:"cuts"`
	ChangeStrength *float64          `json:"change_strength"`
	Changes        []Change          `json:"changes"`
	Whole          *Model            `json:"whole"`
	Segments       []Segment         `json:"segments"`
	Predictions    []Prediction      `json:"predictions"`
	Efficiency     []Efficiency      `json:"efficiency"` // null unless a mode is declared
	Mode           *Mode             `json:"mode"`
	Next           []NextMeasurement `json:"next"`
	Notes          []note.Note       `json:"notes"`
	// short is by how much the evidence of a change is below the threshold.
	short float64
}

// Growth returns the factor by which the law at the largest sizes grows from the largest size to four times it,
// by which parts of a program are ranked; NaN if there is no law.
func (r Result) Growth(largest float64) float64 {
	m := r.Whole
	if r.Segmented {
		m = nil
		if n := len(r.Segments); n > 0 {
			m = r.Segments[n-1].Model
		}
	}
	if m == nil || !(largest > 0) {
		return math.NaN()
	}
	if at := m.At(largest); at > 0 {
		return m.At(4*largest) / at
	}
	return math.NaN()
}

// efficiency returns the parallel efficiency at each p relative to the least p, for values that are times:
// strong scaling divides by the ratio of resources, weak scaling does not. Points are left out if the value is
// not positive or the only run is bad.
func efficiency(points []point, bad []badRun, mode Mode) []Efficiency {
	out := []Efficiency{}
	var first point
	for _, pt := range points {
		v := pt.mean()
		onlyBad := slices.ContainsFunc(bad, func(b badRun) bool { return b.run == pt.runs[0] })
		if !(v > 0) || onlyBad {
			continue
		}
		if first.values == nil {
			first = pt
		}
		e := first.mean() / v
		if mode == Strong {
			e *= first.p / pt.p
		}
		out = append(out, Efficiency{P: pt.p, Value: e})
	}
	return out
}
