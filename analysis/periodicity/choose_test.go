package periodicity

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
)

func TestTimes(t *testing.T) {
	for ratio, want := range map[float64]int{
		0: 0, 0.4: 0, 0.91: 0, 0.93: 1, 1: 1, 1.07: 1, 1.09: 0, 1.5: 0, 1.85: 2, 2.15: 2, 2.17: 0,
		3.23: 3, 4.2: 4, 4.3: 0, 7.8: 8, 12.2: 12, 12.3: 0, 13: 0, 100: 0,
	} {
		if got := nearMultiple(ratio); got != want {
			t.Errorf("%g: %d, want %d", ratio, got, want)
		}
	}
}

func TestCorrelation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y, z, flat := make(series.Values, 500), make(series.Values, 500), make(series.Values, 500), make(series.Values, 500)
	for i := range x {
		x[i], z[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
		y[i], flat[i] = 7-3*x[i], 2
	}
	x[7], y[9] = series.Missing(), float32(math.Inf(1))
	for name, c := range map[string]struct {
		of   series.Values
		want float64
	}{"itself": {x, 1}, "a copy turned round and scaled": {y, -1}, "another": {z, 0}, "a flat one": {flat, 0}} {
		if got := correlation(x, c.of); math.Abs(got-c.want) > 0.15 || c.want != 0 && math.Abs(got-c.want) > 1e-5 {
			t.Errorf("with %s: %v, want %v", name, got, c.want)
		}
	}
}

// voters are sources of one column each of independent noise, but for those that
// are copies of the first, and what they find: one period each.
func voters(lags, worth []float64, copies ...int) (series.Set, []source, []outcome) {
	rng := rand.New(rand.NewPCG(2, 1))
	set := series.Set{StepS: 0.005}
	var all []source
	var got []outcome
	for i, lag := range lags {
		v := make(series.Values, 400)
		for k := range v {
			v[k] = float32(rng.NormFloat64())
		}
		for _, c := range copies {
			if c == i {
				v = set.Columns[0].Values
			}
		}
		set.Columns = append(set.Columns, series.Column{Name: string(rune('a' + i)), Values: v})
		all = append(all, source{name: set.Columns[i].Name, cols: set.Columns[i : i+1]})
		got = append(got, outcome{periods: []Period{{Timing: Timing{PeriodS: lag, PeriodSamples: lag / set.StepS,
			Coverage: 1, Confidence: worth[i]}}}})
	}
	return set, all, got
}

// The period with the most votes is chosen, near-copies counted once. Multiples agree with it, others do not. Of
// a period and a multiple with more votes, the shorter is chosen if it has two fifths of them.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name        string
		lags, worth []float64
		copies      []int
		at          int
		agreed      float64
	}{
		{"one", []float64{1.37}, []float64{0.5}, nil, 0, 1},
		{"two against one", []float64{1.37, 2.4, 2.41}, []float64{0.5, 0.4, 0.3}, nil, 1, 0.7 / 1.2},
		{"copies are one", []float64{2.4, 1.37, 2.41}, []float64{0.4, 0.5, 0.4}, []int{2}, 1, 0.5 / 0.9},
		{"a multiple agrees", []float64{1.37, 4.1, 0.9}, []float64{0.5, 0.1, 0.2}, nil, 0, 0.6 / 0.8},
		{"a fraction of little worth agrees", []float64{4.11, 1.37, 0.9}, []float64{0.5, 0.1, 0.2}, nil, 0, 0.6 / 0.8},
		{"a fraction of some worth speaks", []float64{4.11, 1.37, 0.9}, []float64{0.5, 0.25, 0.05}, nil, 1, 0.75 / 0.8},
	} {
		_, all, got := voters(c.lags, c.worth, c.copies...)
		if at, agreed, _ := choose(all, got); at != c.at || math.Abs(agreed-c.agreed) > 1e-9 {
			t.Errorf("%s: %d speaks, %.3f agree, want %d, %.3f", c.name, at, agreed, c.at, c.agreed)
		}
	}
	if at, agreed, _ := choose([]source{{}}, []outcome{{}}); at != -1 || agreed != 0 {
		t.Errorf("no votes: %d, %v", at, agreed)
	}
}

// A column that is found several times in a family counts once, a group beside a
// copy of it twice.
func TestSupported(t *testing.T) {
	set, all, _ := voters([]float64{1, 1, 1}, []float64{1, 1, 1}, 1)
	group := source{cols: set.Columns[:2]}
	for name, c := range map[string]struct {
		all  []source
		from []int
		want float64
	}{
		"one twice":            {all, []int{2, 2}, 1},
		"two":                  {all, []int{0, 2}, 2},
		"copies":               {all, []int{0, 1, 2}, 2},
		"a group and a column": {[]source{group, all[0]}, []int{0, 1}, 2},
	} {
		var f []vote
		for _, i := range c.from {
			f = append(f, vote{from: i, lag: 1, worth: 1})
		}
		if got := voteSupport(c.all, f); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestConfidenceIsTheProduct(t *testing.T) {
	if got := (Parts{0.9, 0.8, 0.5, 0.25, 0.5}).product(); math.Abs(got-0.045) > 1e-12 {
		t.Errorf("%v, want 0.09", got)
	}
}
