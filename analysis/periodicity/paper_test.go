package periodicity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/series"
)

// paperLoop is a profile of runs of about eight instances of a shape of n samples
// with sharp dips, plateaus of any length in between, noise of 3 %, and an
// instance that is a sample longer now and then.
func paperLoop(seed uint64, n, runs int) (x series.Values, instances int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	shape := make([]float64, n)
	for i := range shape {
		shape[i] = 1.2 + 0.2*math.Sin(2*math.Pi*float64(i*i)/float64(n*n)*3)
		if i < n/20 || i > n*3/10 && i < n*3/10+n/8 {
			shape[i] = 0.35
		}
	}
	add := func(v float64) { x = append(x, float32(v+0.03*rng.NormFloat64())) }
	for range runs {
		for left := n + rng.IntN(n); left > 0; {
			level := 0.5 + rng.Float64()
			for range min(left, 5+rng.IntN(n/2)) {
				add(level)
				left--
			}
		}
		for range 6 + rng.IntN(5) {
			instances++
			for i, v := range shape {
				add(v)
				if i == n*2/3 && rng.IntN(3) == 0 {
					add(v)
				}
			}
		}
	}
	return x, instances
}

func paperSet(x ...series.Values) series.Set {
	s := series.Set{StepS: 0.005}
	for i, v := range x {
		s.Columns = append(s.Columns, series.Column{Name: fmt.Sprint("c", i), Values: v})
	}
	return s
}

// shortSearch keeps L below 1000: a tenth of the time.
func shortSearch() paper { return paper{longest: 1000, instances: 12000} }

func TestPaperFindsOnePattern(t *testing.T) {
	x, n := paperLoop(1, 110, 8)
	flat := make(series.Values, len(x))
	r, err := shortSearch().detect(paperSet(flat, x))
	if err != nil || len(r.Periods) != 1 || r.Column != "c1" {
		t.Fatalf("%v, %d periods in %q: %v", err, len(r.Periods), r.Column, r.Notes)
	}
	p := r.Periods[0]
	if math.Abs(p.PeriodSamples/110.33-1) > 0.01 || len(p.Instances) < n*8/10 || len(p.Instances) > n {
		t.Errorf("period %v, %d instances of %d", p.PeriodSamples, len(p.Instances), n)
	}
	if !(p.PeriodLoS < p.PeriodS && p.PeriodS < p.PeriodHiS) || p.Confidence < 0.7 || p.Coverage > 1 {
		t.Errorf("%+v", p)
	}
	end := 0
	for _, in := range p.Instances {
		if in.First < end {
			t.Fatal("instances overlap")
		}
		end = in.First + in.Length
	}
	// A region is instances without a gap, from the first's begin to the last's end.
	k := 0
	for _, g := range p.Regions {
		in := p.Instances[k : k+g.Count]
		last := in[g.Count-1]
		if math.Abs(g.StartS-0.005*float64(in[0].First)) > 1e-9 ||
			math.Abs(g.EndS-0.005*float64(last.First+last.Length)) > 1e-9 {
			t.Errorf("region %+v of %+v to %+v", g, in[0], last)
		}
		if k += g.Count; k < len(p.Instances) && p.Instances[k].First == last.First+last.Length {
			t.Errorf("region %+v ends where the next instance begins", g)
		}
	}
	if k != len(p.Instances) || len(p.Regions) < 8 {
		t.Errorf("%d regions with %d of %d instances", len(p.Regions), k, len(p.Instances))
	}
	s := r.Shapes[0]
	if s.Rounds < 5 || s.Rounds > 31 || !(s.WGSS > 0) || math.Abs(float64(len(s.Values))/110.33-1) > 0.05 {
		t.Errorf("%d rounds, wgss %v, %d values", s.Rounds, s.WGSS, len(s.Values))
	}
	if len(r.Notes) != 1 || r.Notes[0].Code != note.FewInstances {
		t.Errorf("notes %v", r.Notes)
	}
}

// Clusters, averages and sums of squares are bit-identical in every run.
func TestPaperIsReproducible(t *testing.T) {
	x, _ := paperLoop(2, 60, 6)
	a, _ := shortSearch().detect(paperSet(x))
	b, _ := shortSearch().detect(paperSet(x))
	if fmt.Sprintf("%x", a) != fmt.Sprintf("%x", b) || len(a.Periods) == 0 {
		t.Error("two runs differ")
	}
}

// A run seen from another phase of the grid of windows, and one that was taken
// two periods at a time, belong to the same pattern.
func TestPaperAlignsAndFolds(t *testing.T) {
	x, _ := paperLoop(3, 100, 5)
	v, _ := paperSamples(x)
	cut := paperCut{x: v, in: []Instance{}}
	first := 0
	for i := range v { // the first of the dips
		if v[i] < 0.5 && v[i+3] < 0.5 && v[i+33] < 0.5 {
			first = i
			break
		}
	}
	for k := range 3 {
		cut.in = append(cut.in, Instance{First: first + 100*k, Length: 100})
	}
	groups := paperAlign(v, [][]Instance{cut.in, {{First: first + 330, Length: 200}}})
	if len(groups[0]) != 5 || len(groups[1]) != 0 {
		t.Fatalf("%v", groups)
	}
	if at := (groups[0][3].First - first) % 100; at > 6 && at < 94 {
		t.Errorf("the second run begins %d samples off phase", at)
	}
}

func TestPaperBase(t *testing.T) {
	e := func(n int, dips map[int]float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = 1
		}
		for k, v := range dips {
			x[k] = v
		}
		return x
	}
	for _, c := range []struct {
		name string
		e    []float64
		want int
	}{
		{"one", e(50, map[int]float64{20: 0.1}), 20},
		{"family", e(100, map[int]float64{20: 0.12, 40: 0.1, 60: 0.11}), 20},
		// Half of the largest difference, 1, ends the fall from shift 0.
		{"after the fall", append([]float64{0, 0.02, 0.01, 0.3, 0.4}, e(50, map[int]float64{20: 0.1})...), 25},
		{"a side minimum before it", e(200, map[int]float64{70: 0.12, 71: 0.3, 72: 0.1, 144: 0.1}), 72},
		{"side minima far from it", e(100, map[int]float64{37: 0.12, 41: 0.1, 82: 0.09}), 37},
		{"better multiple", e(100, map[int]float64{20: 0.4, 40: 0.1}), 40},
		{"nothing close", e(100, map[int]float64{20: 0.4}), 0},
		{"flat", e(50, nil), 0},
	} {
		if got := paperBase(c.e, 0.3); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	smooth := make([]float64, 200) // a sine of 100 samples: k = 1 is no period
	for k := range smooth {
		smooth[k] = 1 - math.Cos(2*math.Pi*float64(k)/100)
	}
	if got := paperBase(smooth, 0.3); got != 100 {
		t.Errorf("sine: %d", got)
	}
}

func TestPaperFold(t *testing.T) {
	in := []Instance{{First: 5, Length: 10}, {First: 15, Length: 11}}
	if got := fmt.Sprint(paperFold(in, 3)); got != "[{5 3} {8 3} {11 4} {15 3} {18 4} {22 4}]" {
		t.Error(got)
	}
	if got := fmt.Sprint(paperFold(in, 1)); got != "[{5 10} {15 11}]" {
		t.Error(got)
	}
}

// A region is two instances at least, of lengths within 5 % or two samples.
func TestPaperRegions(t *testing.T) {
	for _, c := range []struct {
		in   []Instance
		want int
	}{
		{[]Instance{{0, 100}, {100, 105}}, 2}, {[]Instance{{0, 100}, {100, 106}}, 0}, {[]Instance{{0, 10}, {10, 12}}, 2},
		{[]Instance{{0, 10}, {10, 13}}, 0}, {[]Instance{{0, 10}, {11, 10}}, 0}, {[]Instance{{0, 9}, {20, 9}, {29, 9}}, 2},
	} {
		if got := paperRegions(c.in); len(got) != c.want {
			t.Errorf("%v: %v", c.in, got)
		}
	}
}

// The cut is in standard deviations of the samples: two shapes are distinguished at any scale.
func TestPaperClusters(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, scale := range []float64{1e-3, 1, 1e6} {
		var x []float64
		var in []Instance
		for k := range 20 {
			in = append(in, Instance{First: len(x), Length: 40})
			for i := range 40 {
				v := 1 + 0.02*rng.NormFloat64()
				if k%2 == 0 && i < 10 || k%2 == 1 && i >= 10 && i < 30 {
					v = 2
				}
				x = append(x, scale*v)
			}
		}
		got := paperClusters(x, in)
		if len(got) != 2 || len(got[0].in) != 10 || got[0].medoid.First%80 != 0 || got[1].medoid.First%80 != 40 {
			t.Errorf("scale %g: %d clusters", scale, len(got))
		}
	}
}

func TestPaperRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	noise, gaps := make(series.Values, 3000), make(series.Values, 3000)
	for i := range noise {
		noise[i], gaps[i] = float32(1+0.2*rng.NormFloat64()), series.Missing()
	}
	for _, c := range []struct {
		name string
		x    series.Values
		want note.Code
	}{
		{"empty", nil, note.TooShort}, {"one", series.Values{1}, note.TooShort}, {"missing", gaps, note.NoVariance},
		{"constant", make(series.Values, 3000), note.NoVariance}, {"noise", noise, note.LowCoverage},
		{"long", make(series.Values, 1<<21+1), note.TooManyPairs},
	} {
		r, err := shortSearch().detect(paperSet(c.x))
		if err != nil || len(r.Periods) != 0 || len(r.Notes) != 1 || r.Notes[0].Code != c.want {
			t.Errorf("%s: %v, %d periods, %v", c.name, err, len(r.Periods), r.Notes)
		}
	}
	if _, err := DetectPaper(series.Set{Columns: []series.Column{{}}}); err == nil {
		t.Error("a set without a step")
	}
	par := shortSearch()
	par.instances = 1
	x, _ := paperLoop(5, 60, 5)
	if r, _ := par.detect(paperSet(x)); len(r.Periods) != 0 || r.Notes[0].Code != note.TooManyPairs {
		t.Errorf("too many instances: %v", r.Notes)
	}
}

func BenchmarkPaperOneMinute(b *testing.B) {
	x, _ := paperLoop(6, 220, 6)
	for b.Loop() {
		if _, err := DetectPaper(paperSet(x)); err != nil {
			b.Fatal(err)
		}
	}
}
