package periods

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
	"jobgait/reports/pagetest"
)

// example is a result made by hand: two runs of a loop of 100 samples, slower in
// the second, with a child and a macro period, at a level of 1e6 that the reader
// took off, and a missing sample.
func example() Input {
	rng := rand.New(rand.NewPCG(1, 1))
	var v series.Values
	p := periodicity.Period{Column: "ipc", Timing: periodicity.Timing{PeriodS: 0.55, PeriodLoS: 0.54, PeriodHiS: 0.56,
		MeanS: 0.55, P10S: 0.5, P90S: 0.6, PeriodSamples: 110, PeriodCV: 0.09, Confidence: 0.81, Coverage: 0.9},
		CPUS: 0.21, Axis: periodicity.Both, Significance: 12,
		Children: []periodicity.ChildPeriod{{PeriodS: 0.05, Count: 900, Confidence: 0.6}}}
	run := func(n, l int) {
		r := periodicity.Region{StartS: float64(len(v)) * 0.005, Count: n}
		for range n {
			p.Instances = append(p.Instances, periodicity.Instance{First: len(v), Length: l})
			for k := range l {
				x := 1.0
				if k >= l/2 && k < l*7/10 {
					x = 0.25
				}
				v = append(v, float32(x+0.01*rng.NormFloat64()))
			}
		}
		r.EndS = float64(len(v)) * 0.005
		p.Regions = append(p.Regions, r)
	}
	v = append(v, make(series.Values, 300)...)
	run(30, 100)
	v = append(v, make(series.Values, 400)...)
	run(30, 120)
	v[7] = series.Missing()
	return Input{Name: "example.csv", Method: "track", Offsets: []float64{1e6},
		Set: series.Set{StepS: 0.005, Columns: []series.Column{{Name: "ipc", Values: v}}},
		Result: periodicity.Result{Periods: []periodicity.Period{p},
			Macros: []periodicity.Macro{{PeriodS: 16, Of: []int{0}, Count: 2}},
			Notes:  []note.Note{note.New(note.FewInstances, "60 cycles were seen")}},
		Notes: []note.Note{note.New(note.Unsorted, "rows were sorted")}}
}

func TestText(t *testing.T) {
	var b, a bytes.Buffer
	r := New(example())
	if err := r.Text(&b, false); err != nil {
		t.Fatal(err)
	}
	pagetest.Golden(t, "example.txt", b.Bytes())
	if err := r.Text(&a, true); err != nil || strings.ContainsFunc(a.String(), func(c rune) bool { return c > 126 }) {
		t.Errorf("not ascii: %s", a.String())
	}
}

// The keys are a contract: the golden file has one of each kind of list.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := New(example()).JSON(&b); err != nil {
		t.Fatal(err)
	}
	var all any
	if err := json.Unmarshal(b.Bytes(), &all); err != nil {
		t.Fatal(err)
	}
	lines, err := json.MarshalIndent(short(all), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	pagetest.Golden(t, "example.json", append(lines, '\n'))
	var got struct {
		Patterns []struct{ Values []float64 }
		Missing  int
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if n := len(got.Patterns[0].Values); n != 110 || math.Abs(got.Patterns[0].Values[0]-1000001) > 0.1 ||
		got.Missing != 1 {
		t.Errorf("%d values, the first %v, %d missing", n, got.Patterns[0].Values[0], got.Missing)
	}
}

// short keeps the first three entries of every list and nine digits of numbers.
func short(v any) any {
	switch x := v.(type) {
	case float64: // the last digits are the processor's
		return strconv.FormatFloat(x, 'g', 9, 64)
	case []any:
		x = x[:min(len(x), 3)]
		for i := range x {
			x[i] = short(x[i])
		}
		return x
	case map[string]any:
		for k := range x {
			x[k] = short(x[k])
		}
	}
	return v
}

func TestNothing(t *testing.T) {
	for _, set := range []series.Set{{}, {StepS: 1, Columns: []series.Column{{Name: "a"}, {Name: "b"}}},
		{Columns: []series.Column{{Name: "a", Values: series.Values{1}}}}} {
		r := New(Input{Name: "x", Method: "paper", Set: set})
		var b bytes.Buffer
		if err := r.JSON(&b); err != nil {
			t.Fatal(err)
		}
		if s := b.String(); strings.Count(s, "null") > 3 || !strings.Contains(s, `"patterns":[],"macro":[],"phases":[`) {
			t.Errorf("%s", s)
		}
		b.Reset()
		if err := r.Text(&b, false); err != nil || !strings.Contains(b.String(), "no period") {
			t.Errorf("%v: %s", err, b.String())
		}
		wellFormed(t, r)
	}
}

func wellFormed(t *testing.T, r Detection) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.SVG(&b); err != nil {
		t.Fatal(err)
	}
	s := b.String()
	pagetest.Picture(t, s)
	return s
}

func TestSVG(t *testing.T) {
	in := example()
	in.Name = `a <b> & "c".csv`
	s := wellFormed(t, New(in))
	for _, want := range []string{"pattern A: 550 ms", "low", "start-up", "step", "a &lt;b&gt;"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	if len(s) > 100_000 {
		t.Errorf("%d bytes", len(s))
	}
}

// What is drawn where, the insides of long lines left out: of a run that did not
// begin at 0, with a low stretch that reaches over the end of its iteration.
func TestPictureGolden(t *testing.T) {
	in := example()
	in.Set.StartS = 100
	p := &in.Result.Periods[0]
	for i := range p.Regions {
		p.Regions[i].StartS += 100
		p.Regions[i].EndS += 100
	}
	r := New(in)
	r.Patterns[0].Low = append(r.Patterns[0].Low,
		pattern.LowRegion{OffsetS: 0.5, DurationS: 0.1, Share: 0.2, Repeatability: 0.9})
	long := regexp.MustCompile(`d="([^"]{60})[^"]*([^"]{30})"`)
	svg := long.ReplaceAllString(strings.ReplaceAll(wellFormed(t, r), "><", ">\n<"), `d="$1 ... $2"`)
	pagetest.Golden(t, "example.svg", []byte(svg[strings.Index(svg, "</style>"):]))
	if !regexp.MustCompile(`^<svg [^>]*width="980" height="\d+">`).MatchString(wellFormed(t, r)) {
		t.Error("the picture has a viewBox, which shrinks its text in a narrow window, or no size")
	}
}

func TestSpan(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{[]float64{0.9, 1.3}, "0.868 to 1.332 [1.0 1.2]"},
		{[]float64{0.1, 1.3}, "0 to 1.404 [0.0 0.5 1.0]"},
		{[]float64{-20, 30}, "-24 to 34 [-20 0 20]"},
		{[]float64{7, 7}, "6.594 to 7.406 [7.0]"},
		{[]float64{math.NaN(), math.Inf(1)}, "0 to 1.08 [0.0 0.5 1.0]"},
		{[]float64{1e8, 3e8}, "0 to 3.24e+08 [0 0.1G 0.2G 0.3G]"},
		{[]float64{1e-7, 3e-7}, "0 to 3.24e-07 [0 1e-07 2e-07 3e-07]"},
		{[]float64{100, 150}, "96 to 154 [100 120 140]"},
	} {
		s, ticks := valueScale(3, c.values)
		labels := make([]string, len(ticks))
		for i, k := range ticks {
			labels[i] = k.Label
		}
		if got := fmt.Sprintf("%.4g to %.4g %v", s.Lo, s.Hi, labels); got != c.want {
			t.Errorf("%v: %s, want %s", c.values, got, c.want)
		}
	}
}

func FuzzSpan(f *testing.F) {
	f.Add(1.0)
	f.Add(-1e300)
	f.Fuzz(func(t *testing.T, v float64) {
		s, ticks := valueScale(3, []float64{v, 2 * v})
		if !(s.Lo <= s.Hi) || len(ticks) > 20 {
			t.Fatal(v, s, ticks)
		}
	})
}

// Whatever a detector finds, on whatever samples, all three forms are whole.
func TestAnyResult(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for range 60 {
		n := 1 + rng.IntN(3000)
		v := make(series.Values, n)
		for i := range v {
			v[i] = float32([]float64{1, math.NaN(), 1e30, rng.NormFloat64(), 0}[rng.IntN(5)])
		}
		in := Input{Name: "x", Method: "track", Offsets: []float64{1e9 * float64(rng.IntN(2))},
			Set: series.Set{StartS: 1e9 * rng.Float64(), StepS: math.Pow(10, 4*rng.NormFloat64()),
				Columns: []series.Column{{Name: "a", Values: v}}}}
		for range rng.IntN(3) {
			length := 1 + rng.IntN(n)
			p := periodicity.Period{Column: "a", Timing: periodicity.Timing{PeriodSamples: float64(length),
				PeriodS: float64(length) * in.Set.StepS, Coverage: rng.Float64()}}
			for at := rng.IntN(n); at+length <= n; at += length {
				p.Instances = append(p.Instances, periodicity.Instance{First: at, Length: length})
			}
			if len(p.Instances) > 0 {
				p.Regions = []periodicity.Region{{StartS: in.Set.StartS, EndS: in.Set.StartS + p.PeriodS, Count: len(p.Instances)}}
				in.Result.Periods = append(in.Result.Periods, p)
			}
		}
		r := New(in)
		var b bytes.Buffer
		if err := r.JSON(&b); err != nil {
			t.Fatalf("%v for %+v", err, in.Result)
		}
		if err := r.Text(&b, true); err != nil {
			t.Fatal(err)
		}
		wellFormed(t, r)
	}
}
