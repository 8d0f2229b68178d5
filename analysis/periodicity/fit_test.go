package periodicity

import (
	"math"
	"testing"

	"jobgait/analysis/series"
)

// places returns occurrences of unit points at the given begins, each at the given distance from the template.
func places(unit int, begins []int, distances ...float64) []occurrence {
	out := make([]occurrence, len(begins))
	for i, b := range begins {
		for q := range out[i].at {
			out[i].at[q] = b + q*unit/parts
		}
		out[i].energy = 2
		out[i].dot = 1 - distances[i%len(distances)]
	}
	return out
}

// An acceptable fit occurs often enough, near enough, above the noise and on one level: each condition alone
// rejects it.
func TestAcceptableFit(t *testing.T) {
	good := func() fit {
		return fit{t: template{periods: 1, energy: 100}, occ: make([]occurrence, 5), distance: 0.1, drift: 0.5}
	}
	for name, c := range map[string]struct {
		edit func(*fit)
		want bool
	}{
		"good": {func(*fit) {}, true},
		// 5 units are worth 1.5
		"as good as needed": {func(x *fit) { x.distance, x.drift, x.t.energy = meanDistance, maxDrift, minSignal }, false},
		"more of these":     {func(x *fit) { x.distance, x.occ = meanDistance, make([]occurrence, 7) }, true},
		"too far":           {func(x *fit) { x.distance, x.occ = meanDistance+0.01, make([]occurrence, 50) }, false},
		"noise":             {func(x *fit) { x.t.energy = minSignal - 0.1 }, false},
		"a ramp":            {func(x *fit) { x.drift = maxDrift + 0.1 }, false},
		"two":               {func(x *fit) { x.occ, x.distance = x.occ[:2], 0 }, false},
		"two of two":        {func(x *fit) { x.occ, x.distance, x.t.periods = x.occ[:2], 0, 2 }, true},
		"one of four":       {func(x *fit) { x.occ, x.distance, x.t.periods = x.occ[:1], 0, 4 }, false},
	} {
		x := good()
		c.edit(&x)
		if got := isAcceptable(x, 1); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Only successive occurrences determine whether the level drifts.
func TestDrift(t *testing.T) {
	x := make([]float32, 60)
	for i := range x {
		x[i] = float32(i / 10) // a stair every ten points
	}
	v := vector{c: [][]float32{x}}
	if got := levelDrift(v, places(10, []int{0, 10, 20, 30}, 0)); got != 1 {
		t.Errorf("stairs: %v, want 1", got)
	}
	if got := levelDrift(v, places(10, []int{0, 30}, 0)); got != 0 {
		t.Errorf("apart: %v, want 0", got)
	}
	v.noise = 1
	if got := levelDrift(v, places(10, []int{0, 10, 20}, 0)); math.Abs(got-0.8) > 1e-6 {
		t.Errorf("with noise: %v, want 0.8", got)
	}
}

// A track continues over a single ambiguous occurrence and is cut at several successive ones; an isolated
// occurrence is not a track.
func TestRuns(t *testing.T) {
	k := trackedPeriod{t: template{unit: 100, periods: 1}, now: template{unit: 100}, distance: 0.1}
	begins := func(n int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = 100 * i
		}
		return out
	}
	even := make([]float64, 20)
	for i := range even {
		even[i] = 0.1
	}
	with := func(d float64, at ...int) []float64 {
		out := append([]float64(nil), even...)
		for _, i := range at {
			out[i] = d
		}
		return out
	}
	apart := begins(20)
	for i := 10; i < 20; i++ {
		apart[i] += 55
	}
	for name, c := range map[string]struct {
		occ  []occurrence
		want int
	}{
		"all":             {places(100, begins(20), even...), 20},
		"one that is off": {places(100, begins(20), with(0.9, 9)...), 20},
		// and one beside them on each side
		"six that are off":   {places(100, begins(20), with(1, 7, 8, 9, 10, 11, 12)...), 12},
		"two runs":           {places(100, apart, even...), 20},
		"alone":              {places(100, begins(20)[:1], 0.1), 0},
		"off at the end":     {places(100, apart, with(1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19)...), 10},
		"two, and far apart": {places(100, []int{0, 500}, 0.1), 0},
	} {
		if got := k.runs(c.occ); len(got) != c.want {
			t.Errorf("%s: %d kept, want %d", name, len(got), c.want)
		}
	}
}

// Noise is removed from a correlation, at most so much that the largest value becomes 1.
func TestNormalise(t *testing.T) {
	raw := func(k int, v float32) []float32 {
		r := make([]float32, 100)
		r[0], r[k] = 1000, v
		return r
	}
	ends := make([]float64, 100)
	if r := normalise(raw(50, 300), ends, 1000, 1000, 0.5); math.Abs(float64(r[50])-0.6) > 1e-6 || r[0] != 1 {
		t.Errorf("half of it noise: %v", r[50])
	}
	if r := normalise(raw(50, 800), ends, 1000, 1000, 0.5); math.Abs(float64(r[50])-1) > 1e-6 {
		t.Errorf("noise that was taken for too much: %v", r[50])
	}
	if r := normalise(raw(50, 50), ends, 1000, 1000, 0.95); r != nil {
		t.Errorf("nothing but noise: %v", r[50])
	}
	ends[50] = 800 // what overlaps has 600 of the energy
	if r := normalise(raw(50, 300), ends, 1000, 1000, 0); math.Abs(float64(r[50])-0.5) > 1e-6 {
		t.Errorf("at the ends: %v", r[50])
	}
}

// A place at which a lag was seen is in the stretch that was searched, except for a point of its level.
func TestCandidatesHavePlaces(t *testing.T) {
	l := newLoop(31)
	l.run(l.shape(90, 4, 3), 200, 0.005, 1)
	x := l.set(0.05).Columns[0].Values
	v := vector{c: [][]float32{x}, noise: 0.0025}
	par := Default()
	par.window = 1024
	a, b := 2000, len(x)
	all := new(lagFinder).candidates(new(pyramid).over(v), a, b, 2, par)
	seen := false
	for _, c := range all {
		seen = seen || math.Abs(c.lag/90-1) < 0.01 && c.height > 0.95
		if point := (c.b - c.a) / minLevel; c.a < a || c.b > b+point || c.b-c.a < int(2*c.lag) {
			t.Errorf("lag %.1f between %d and %d of [%d, %d)", c.lag, c.a, c.b, a, b)
		}
	}
	if !seen {
		t.Errorf("90 samples are not among %+v", all)
	}
}

// A profile in several chunks gives what it gives in one.
func TestDetectInChunks(t *testing.T) {
	l := newLoop(32)
	l.app(l.shape(150, 5, 3), 60000, 40, 0.8, 0.004)
	set := l.set(0.05)
	whole := detect(t, set)
	par := Default()
	par.chunk = 9000
	got, err := Detect(set, par)
	if err != nil || len(got.Periods) != 1 || len(whole.Periods) != 1 {
		t.Fatalf("%d and %d periods, %v", len(got.Periods), len(whole.Periods), err)
	}
	check(t, set, got)
	a, b := got.Periods[0], whole.Periods[0]
	if math.Abs(a.PeriodS/b.PeriodS-1) > 0.002 || math.Abs(float64(len(a.Instances))/float64(len(b.Instances))-1) > 0.03 {
		t.Errorf("%v s %d times in chunks, %v s %d times whole", a.PeriodS, len(a.Instances), b.PeriodS, len(b.Instances))
	}
	if in, all := l.agrees(got.Periods), l.agrees(whole.Periods); in < all-0.02 {
		t.Errorf("right in %.3f of the samples, whole in %.3f", in, all)
	}
}

func TestCounts(t *testing.T) {
	for name, c := range map[string]struct {
		v    series.Values
		want bool
	}{
		"counts":    {series.Values{0, 1, 2, series.Missing()}, true},
		"a mean":    {series.Values{0, 1, 2, 3, 4, 5, 6, 7, 8, 1.5}, true},
		"two means": {series.Values{0, 1, 2, 3, 4, 5, 6, 7, 8, 1.5, 2.5}, false},
		"negative":  {series.Values{0, 1, -2, 3}, false},
	} {
		if areCounts(c.v) != c.want {
			t.Errorf("%s: %v", name, !c.want)
		}
	}
}
