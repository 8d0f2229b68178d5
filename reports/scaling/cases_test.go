package scaling

import (
	"math"

	"jobgait/analysis/note"
	"jobgait/analysis/scaling"
)

var nan = math.NaN()

// lawOf is a model from its constant and (coefficient, i, j) of each term.
func lawOf(constant float64, terms ...float64) *scaling.Model {
	m := &scaling.Model{Constant: constant, Terms: []scaling.Term{}, SMAPE: 1.25}
	for i := 0; i < len(terms); i += 3 {
		m.Terms = append(m.Terms, scaling.Term{Coefficient: terms[i], I: terms[i+1], J: terms[i+2]})
	}
	return m
}

// made is a case: a result made by hand, with the observations that it is of.
type made struct {
	name   string
	series scaling.Series
	result scaling.Result
}

// byLaws makes observations over p that exactly follow one law up to each cut, with the given number of
// repetitions 1 % apart.
func byLaws(p []float64, repetitions int, cuts []int, laws ...*scaling.Model) scaling.Series {
	s := scaling.Series{ID: "solve", Parameter: "nodes", Metric: "step_s"}
	for i, v := range p {
		k := 0
		for k < len(cuts) && i >= cuts[k] {
			k++
		}
		for r := range repetitions {
			spread := 1 + 0.01*(float64(r)-float64(repetitions-1)/2)
			s.Observations = append(s.Observations, scaling.Observation{P: v, Value: laws[k].At(v) * spread})
		}
	}
	return s
}

func powers(n int) []float64 {
	p := make([]float64, n)
	for i := range p {
		p[i] = math.Exp2(float64(i + 1))
	}
	return p
}

// ahead predicts at 1, 2 and 4 times the largest size.
func ahead(m *scaling.Model, largest, wide float64) []scaling.Prediction {
	var out []scaling.Prediction
	for i, k := range []float64{1, 2, 4} {
		v, w := m.At(largest*k), wide*float64(i*i+1)
		out = append(out, scaling.Prediction{P: largest * k, Value: v, Lo: v - math.Abs(v)*w, Hi: v + math.Abs(v)*w,
			Level: 0.95, Extrapolated: k > 1})
	}
	return out
}

func cases() []made {
	hours, strength, common := 38.0, 21.25, 32.0
	strong := scaling.Strong
	small, large, steep := lawOf(1.65, 3.97, 0, 2), lawOf(-30, 1, 1, 0), lawOf(2000, 2e-5, 2, 1)
	flat, kink := lawOf(10, 1, 1, 0), lawOf(-54, 3, 1, 0)
	amdahl := lawOf(3, 100, -1, 0)
	var hundred []float64
	for i := range 100 {
		hundred = append(hundred, float64(i+1)*10)
	}
	short := lawOf(-300, 10, 1, 0)
	list := []made{
		{"segmented", byLaws(powers(10), 3, []int{5}, small, large),
			scaling.Result{Segmented: true, Cuts: []int{5}, ChangeStrength: &strength,
				Changes: []scaling.Change{{Cut: 5, Lo: 4, Hi: 6}}, Whole: lawOf(-15, 0.83, 1, 0), Mode: &strong,
				Segments: []scaling.Segment{{First: 0, Last: 4, Model: small, Enough: true},
					{First: 5, Last: 9, Model: large, Enough: true}},
				Predictions: ahead(large, 1024, 0.05),
				Efficiency:  []scaling.Efficiency{{P: 2, Value: 1}, {P: 4, Value: 0.98}, {P: 1024, Value: 0.2}},
				Next: []scaling.NextMeasurement{{P: 48, Why: "the change is somewhere between 32 and 64",
					NodeHours: &hours}}}},
		{"kink", byLaws(powers(10), 1, []int{5}, flat, kink), scaling.Result{Segmented: true, Cuts: []int{4},
			Changes: []scaling.Change{{Cut: 4, Lo: 4, Hi: 5, Common: &common}}, Whole: lawOf(-15, 2.83, 1, 0),
			Segments: []scaling.Segment{{First: 0, Last: 4, Model: flat, Enough: true},
				{First: 4, Last: 9, Model: kink, Enough: true}},
			Predictions: ahead(kink, 1024, 0.02)}},
		{"two-changes", byLaws(powers(15), 2, []int{5, 10}, small, large, steep),
			scaling.Result{Segmented: true, Cuts: []int{5, 10},
				Changes: []scaling.Change{{Cut: 5, Lo: 5, Hi: 5}, {Cut: 10, Lo: 9, Hi: 11}}, Whole: lawOf(-15, 2e-4, 2, 0),
				Segments: []scaling.Segment{{First: 0, Last: 4, Model: small, Enough: true},
					{First: 5, Last: 9, Model: large, Enough: true},
					{First: 10, Last: 14, Model: steep, Enough: true}}, Predictions: ahead(steep, 32768, 0.1)}},
		{"five-points", byLaws([]float64{1, 2, 4, 8, 16}, 1, nil, amdahl), scaling.Result{Whole: amdahl,
			Segments:    []scaling.Segment{{First: 0, Last: 4, Model: amdahl, Enough: true}},
			Predictions: ahead(amdahl, 16, 0.2),
			Notes: []note.Note{note.New(note.FewPoints,
				"a note that is longer than the lines of this screen, so that it has to be broken somewhere")}}},
		{"hundred-points", byLaws(hundred, 4, nil, lawOf(3, 1, 1, 1)), scaling.Result{Whole: lawOf(3, 1, 1, 1),
			Segments:    []scaling.Segment{{First: 0, Last: 99, Model: lawOf(3, 1, 1, 1), Enough: true}},
			Predictions: ahead(lawOf(3, 1, 1, 1), 1000, 0.03)}},
		{"points-missing", byLaws(powers(7), 3, []int{5}, small, short),
			scaling.Result{Segmented: true, Cuts: []int{5}, Whole: lawOf(-15, 3.83, 1, 0),
				Changes: []scaling.Change{{Cut: 5, Lo: 5, Hi: 5}},
				Segments: []scaling.Segment{{First: 0, Last: 4, Model: small, Enough: true},
					{First: 5, Last: 6, Model: short, MissingPoints: 3}},
				Predictions: ahead(short, 128, 0.8),
				Next: []scaling.NextMeasurement{{P: 96, Why: "the second part has 2 of 5 points"},
					{P: 256, Why: "the second part has 2 of 5 points", NodeHours: &hours}}}},
		{"not-located", byLaws(powers(6), 1, []int{3}, small, large), scaling.Result{Segmented: true, Whole: lawOf(5),
			Segments: []scaling.Segment{{First: 0, Last: 5, Model: lawOf(5), Enough: true}},
			Notes:    []note.Note{note.New(note.NotLocated, "six points cannot say where")}}},
		{"negative", byLaws(powers(10), 1, nil, lawOf(3, -1, 0, 1)),
			scaling.Result{Whole: lawOf(3, -1, 0, 1), Predictions: ahead(lawOf(3, -1, 0, 1), 1024, 0.2)}},
		{"too-few", byLaws([]float64{1, 2}, 1, nil, flat),
			scaling.Result{Notes: []note.Note{note.New(note.NeedMore, "2 sizes: 3 more are needed for a model")}}},
		{"empty", scaling.Series{ID: "x"}, scaling.Result{}},
		{"missing-numbers", byLaws(powers(5), 1, nil, lawOf(nan, nan, nan, nan)),
			scaling.Result{Segmented: true, Cuts: []int{9, -1}, ChangeStrength: &nan,
				Changes: []scaling.Change{{Cut: 9, Lo: -5, Hi: 99, Common: &nan}, {Cut: -1}}, Whole: lawOf(nan, nan, 1, 1),
				Segments: []scaling.Segment{{First: 7, Last: 2, Model: lawOf(1, math.Inf(1), 1, 0)}, {First: -1, Last: 99}},
				Predictions: []scaling.Prediction{{P: nan, Value: math.Inf(1), Lo: math.Inf(-1), Hi: nan, Level: nan},
					{P: -1, Value: 1e308, Lo: 0, Hi: math.Inf(1)}},
				Efficiency: []scaling.Efficiency{{P: nan, Value: math.Inf(1)}},
				Next:       []scaling.NextMeasurement{{P: nan, NodeHours: &nan}, {P: math.Inf(1)}}}},
	}
	for i := range list {
		r := &list[i].result
		r.ID, r.Parameter, r.Metric = list[i].series.ID, list[i].series.Parameter, list[i].series.Metric
		if r.Notes == nil {
			r.Notes = []note.Note{}
		}
		r.Cuts, r.Changes, r.Segments = append([]int{}, r.Cuts...), append([]scaling.Change{}, r.Changes...),
			append([]scaling.Segment{}, r.Segments...)
		r.Predictions, r.Next = append([]scaling.Prediction{}, r.Predictions...),
			append([]scaling.NextMeasurement{}, r.Next...)
		r.N = len(scaling.Sizes(list[i].series.Observations))
	}
	return list
}

// report is a report of some cases.
func report(list ...made) Fits {
	r := Fits{Method: scaling.Likelihood, Expected: nan}
	for _, c := range list {
		r.Results, r.Series = append(r.Results, c.result), append(r.Series, c.series)
	}
	return r
}
