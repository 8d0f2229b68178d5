package periodicity

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
)

// comb returns a correlation with smooth peaks of the given height at multiples of lag, 1 at 0, and 0 half
// between.
func comb(n int, lag float64, height func(m int) float64) []float32 {
	r := make([]float32, n)
	for k := range r {
		m := int(math.Round(float64(k) / lag))
		x := float64(k)/lag - float64(m)
		h := 1.0
		if m > 0 {
			h = height(m)
		}
		r[k] = float32(h * math.Cos(math.Pi*x) * math.Cos(math.Pi*x))
	}
	return r
}

func TestPeaks(t *testing.T) {
	even := func(m int) float64 { return 0.9 - 0.001*float64(m) }
	for name, c := range map[string]struct {
		r    []float32
		lo   int
		want []int
	}{
		"one height":    {comb(200, 20, even), 2, []int{40, 20}},
		"from a lag on": {comb(200, 20, even), 30, []int{60, 40}},
		"the second best": {comb(100, 20, func(m int) float64 { return map[int]float64{1: 0.8, 2: 0.95, 3: 0.7, 4: 0.7}[m] }),
			2, []int{20, 40}},
		"the first low": {comb(100, 20, func(m int) float64 { return map[int]float64{1: 0.5, 2: 0.95, 3: 0.5, 4: 0.6}[m] }),
			2, []int{40}},
		"too low": {comb(200, 20, func(int) float64 { return 0.2 }), 2, nil},
	} {
		got := peaks(c.r, c.lo)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
	}
	slow := make([]float32, 200) // what only changes slowly correlates at any lag
	for k := range slow {
		slow[k] = float32(1 - float64(k)/400)
	}
	if got := peaks(slow, 2); got != nil {
		t.Errorf("slow: %v", got)
	}
}

// A lag is refined by its multiples as long as these are almost as high.
func TestRefineLag(t *testing.T) {
	even := func(int) float64 { return 0.9 }
	if got := refineLag(comb(100, 5.37, even), 5); math.Abs(got-5.37) > 0.01 {
		t.Errorf("%v, want 5.37", got)
	}
	// Only the first of the multiples is near; the values at the others are not multiples.
	r := comb(100, 5.37, func(m int) float64 { return map[bool]float64{true: 0.9, false: 0.3}[m < 2] })
	if got := refineLag(r, 5); math.Abs(got-parabola(r, 5)) > 1e-12 {
		t.Errorf("%v, want %v", got, parabola(r, 5))
	}
}

func TestMultiple(t *testing.T) {
	for ratio, want := range map[float64]int{1: 1, 1.9: 1, 1.95: 2, 2: 2, 2.05: 2, 2.5: 1, 3.05: 3, 3.9: 4, 5: 1, 0.5: 1} {
		if got := smallMultiple(ratio); got != want {
			t.Errorf("%g: %d, want %d", ratio, got, want)
		}
	}
	good, weak := fit{lag: 10, score: 0.95}, fit{lag: 7, score: 0.5}
	for lag, want := range map[float64]bool{10: true, 20.2: true, 25: false, 80: true, 90: false, 14: false} {
		if got := isMultipleOfFit(lag, []fit{weak, good}); got != want {
			t.Errorf("lag %g: %v", lag, got)
		}
	}
}

// The limits of a fraction of a period: none of a true multiple, half of the energy if every second cycle
// differs as much as all do.
func TestBeyond(t *testing.T) {
	const n = 64
	shape := func(f func(i int) float64) template {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(f(i))
		}
		return newTemplate([][]float32{v}, 1, 1, 0)
	}
	wave := func(h int) func(int) float64 {
		return func(i int) float64 { return math.Sin(2 * math.Pi * float64(h*i) / n) }
	}
	for name, c := range map[string]struct {
		f    func(int) float64
		m    int
		want float64
	}{
		"twice a half":     {wave(2), 2, 0},
		"thrice no third":  {wave(2), 3, 1},
		"one":              {wave(1), 2, 1},
		"half of each":     {func(i int) float64 { return wave(1)(i) + wave(4)(i) }, 2, 0.5},
		"a quarter of it":  {func(i int) float64 { return wave(1)(i) + math.Sqrt(3)*wave(4)(i) }, 4, 0.25},
		"all of it levels": {func(int) float64 { return 7 }, 2, 0},
	} {
		if got := shape(c.f).lostByFolding(c.m); math.Abs(got-c.want) > 1e-4 && !(c.want == 0 && math.IsNaN(got)) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	// What noise adds is taken out.
	noisy := shape(wave(1))
	noisy.own = 0.1
	if got, want := noisy.lostByFolding(2), (32-3.2)/(32-6.4); math.Abs(got-want) > 1e-3 {
		t.Errorf("with noise: %v, want %v", got, want)
	}
}

// The places where a unit resembles the next are those that begin in a loop.
func TestAgreement(t *testing.T) {
	x := make([]float32, 400)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range x {
		x[i] = float32(rng.NormFloat64())
		if i >= 200 {
			x[i] = x[i-20] // the 20 points before, again and again
		}
	}
	h := &searcher{}
	got := h.pairCorrelation(vector{c: [][]float32{x}}, 20, 20, 0, 340)
	if a := got[largest(got, -1, -1)]; a < 0.7 || a > 1 {
		t.Errorf("the best of all agrees by %v", a)
	}
	if k := largest(got, -1, -1); k < 180 {
		t.Errorf("the best place is %d", k)
	}
	for _, k := range []int{20, 60, 100} {
		if got[k] > 0.5 {
			t.Errorf("at %d what has no period agrees by %v", k, got[k])
		}
	}
}

// A missing sample keeps the last value, and extreme values are clipped.
func TestPaperSamples(t *testing.T) {
	v := make(series.Values, 100)
	for i := range v {
		v[i] = float32(i % 10)
	}
	v[15], v[16], v[50] = series.Missing(), float32(math.Inf(1)), 1e6
	x, ok := paperSamples(v)
	if !ok || x[14] != 4 || x[15] != 4 || x[16] != 4 || x[17] != 7 || x[50] != 18 {
		t.Errorf("%v: %v %v %v %v %v", ok, x[14], x[15], x[16], x[17], x[50])
	}
	if _, ok := paperSamples(series.Values{3, 3, series.Missing()}); ok {
		t.Error("a flat column varies")
	}
	if _, ok := paperSamples(series.Values{series.Missing()}); ok {
		t.Error("nothing varies")
	}
}
