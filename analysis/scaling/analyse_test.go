package scaling

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"jobgait/analysis/note"
)

func hasNote(r Result, code note.Code) bool {
	for _, n := range r.Notes {
		if n.Code == code {
			return true
		}
	}
	return false
}

// sound fails if a result lacks what every reader relies on: it can be written as JSON (no NaN), lists are not
// null, indexes are within the points and agree.
func sound(t *testing.T, r Result) {
	t.Helper()
	if _, err := json.Marshal(r); err != nil {
		t.Fatalf("%s: %v", r.ID, err)
	}
	if r.Cuts == nil || r.Changes == nil || r.Segments == nil || r.Predictions == nil || r.Next == nil || r.Notes == nil {
		t.Errorf("%s: a list is null: %+v", r.ID, r)
	}
	if len(r.Cuts) != len(r.Changes) || len(r.Cuts) > 0 && len(r.Segments) != len(r.Cuts)+1 {
		t.Errorf("%s: %d cuts, %d changes, %d segments", r.ID, len(r.Cuts), len(r.Changes), len(r.Segments))
	}
	if len(r.Cuts) > 0 && !r.Segmented {
		t.Errorf("%s: cuts %v in a series that is not segmented", r.ID, r.Cuts)
	}
	for i, c := range r.Changes {
		if c.Cut < 1 || c.Cut >= r.N || c.Lo > c.Cut || c.Hi < c.Cut || c.Cut != r.Cuts[i] || i > 0 && c.Cut <= r.Cuts[i-1] {
			t.Errorf("%s: change %+v of %d points, cuts %v", r.ID, c, r.N, r.Cuts)
		}
	}
	for i, s := range r.Segments {
		if s.First < 0 || s.Last >= r.N || s.First > s.Last || i == 0 && s.First != 0 ||
			i == len(r.Segments)-1 && s.Last != r.N-1 {
			t.Errorf("%s: segment %+v of %d points", r.ID, s, r.N)
		}
	}
	for _, p := range r.Predictions {
		if !(p.Lo <= p.Value && p.Value <= p.Hi) {
			t.Errorf("%s: prediction %+v", r.ID, p)
		}
	}
}

func methods() []Method { return []Method{Likelihood, Paper, ExtraP} }

// ramp is n values of p from 1 on and f of them.
func ramp(n int, f func(float64) float64) Series {
	p, y := make([]float64, n), make([]float64, n)
	for k := range p {
		p[k] = float64(k + 1)
		y[k] = f(p[k])
	}
	return seriesOf(p, y)
}

func TestBadInput(t *testing.T) {
	linear := func(p float64) float64 { return 10 + p }
	with := func(k int, p, v float64) Series {
		s := ramp(10, linear)
		s.Observations[k] = Observation{P: p, Value: v}
		return s
	}
	for _, c := range []struct {
		name string
		s    Series
		note note.Code
	}{
		{"empty", Series{}, note.NeedMore},
		{"one point", ramp(1, linear), note.NeedMore},
		{"two points", ramp(2, linear), note.NeedMore},
		{"nothing usable", seriesOf([]float64{-1, 0, 3}, []float64{1, 2, math.NaN()}), note.NeedMore},
		{"only repetitions", seriesOf([]float64{4, 4, 4, 4, 4, 4}, []float64{1, 2, 3, 4, 5, 6}), note.NeedMore},
		{"zero p", with(0, 0, 3), note.UnusableParameter},
		{"NaN", with(3, 4, math.NaN()), note.MissingRuns},
		{"Inf", with(3, 4, math.Inf(1)), note.UnusableValue},
		{"zero", with(3, 4, 0), note.NonPositive},
		{"negative", with(3, 4, -5), note.NonPositive},
		{"huge", with(4, 5, 1e15), note.LoneExtreme},
		{"huge at the end", with(9, 10, 1e15), note.LoneExtreme},
		{"unsorted", with(3, 400, 410), note.Unsorted},
		{"15 orders", ramp(16, func(p float64) float64 { return math.Pow(10, p-1) }), note.ExtremeRange},
		{"many", ramp(5000, linear), note.Thinned},
	} {
		for _, m := range methods() {
			r := Analyse([]Series{c.s}, m)[0]
			sound(t, r)
			if !hasNote(r, c.note) {
				t.Errorf("%s, %s: no note %s in %v", c.name, m, c.note, r.Notes)
			}
			if r.N < leastForModel && (r.Whole != nil || len(r.Predictions) > 0) {
				t.Errorf("%s, %s: a model of %d points", c.name, m, r.N)
			}
		}
	}
}

func TestFlatAndConstantSeries(t *testing.T) {
	for _, v := range []float64{0, 1, 1e-300, 1e-50, 1e50, -3} {
		for _, m := range methods() {
			r := Analyse([]Series{ramp(12, func(float64) float64 { return v })}, m)[0]
			sound(t, r)
			if r.Segmented || r.Whole == nil || len(r.Whole.Terms) != 0 {
				t.Errorf("%s of %g everywhere: segmented %v, %+v", m, v, r.Segmented, r.Whole)
			}
		}
	}
}

func TestOrderOfInputDoesNotMatter(t *testing.T) {
	p, y := worked()
	s, shuffled := seriesOf(p, y), Series{ID: "0", Parameter: "p", Metric: "time"}
	for _, k := range []int{3, 1, 4, 9, 5, 2, 6, 8, 7, 0} {
		shuffled.Observations = append(shuffled.Observations, s.Observations[k])
	}
	for _, m := range methods() {
		a := Analyse([]Series{s}, m)[0]
		b := Analyse([]Series{shuffled}, m)[0]
		if !hasNote(b, note.Unsorted) {
			t.Errorf("%s: no note", m)
		}
		a.Notes, b.Notes = nil, nil
		ja, _ := json.Marshal(a)
		jb, _ := json.Marshal(b)
		if string(ja) != string(jb) {
			t.Errorf("%s: sorted  %s\nshuffled %s", m, ja, jb)
		}
	}
}

func TestSeriesDoNotTouchEachOther(t *testing.T) {
	p, y := worked()
	alone := Analyse([]Series{seriesOf(p, y)}, Likelihood)[0]
	many := Analyse([]Series{ramp(30, math.Sqrt), {}, seriesOf(p, y), ramp(6, math.Exp)}, Likelihood)
	if len(many) != 4 {
		t.Fatalf("%d results of 4 series", len(many))
	}
	ja, _ := json.Marshal(alone)
	jb, _ := json.Marshal(many[2])
	if string(ja) != string(jb) {
		t.Errorf("alone %s\namong others %s", ja, jb)
	}
}

func TestLoneValueIsLeftOut(t *testing.T) {
	for _, at := range []int{2, 7} {
		p, y := worked()
		s := seriesOf(p, y)
		s.Observations[at].Value = 1e15
		r := Analyse([]Series{s}, Likelihood)[0]
		sound(t, r)
		if r.N != 10 || len(r.Cuts) != 1 || r.Cuts[0] != 5 {
			t.Fatalf("without point %d: n %d, cuts %v; want 10 points and the cut at 5", at, r.N, r.Cuts)
		}
		if m := r.Segments[1].Model; r.Segments[1].Last != 9 || m == nil || m.Formula != "30 + 1 * p^(1)" {
			t.Errorf("without point %d: %+v, model %+v", at, r.Segments[1], m)
		}
	}
}

// A last value far from the others belongs to another law if that explains it better, otherwise to a failed run;
// one beyond any law is a failed run.
func TestLastValueAlone(t *testing.T) {
	for _, c := range []struct {
		name string
		last float64
		cuts int
		text string
	}{
		{"150 times", 22734.77, 1, "depend on it"},
		{"10^10 times", 1.5e12, 0, "left out"},
	} {
		s := seriesOf([]float64{1, 2, 3, 4, 5, 6}, []float64{60.293, 83.278, 107.398, 124.79, 149.275, c.last})
		r := Analyse([]Series{s}, Likelihood)[0]
		sound(t, r)
		said := slices.ContainsFunc(r.Notes, func(n note.Note) bool {
			return n.Code == note.LoneExtreme && strings.Contains(n.Text, c.text)
		})
		if len(r.Cuts) != c.cuts || !said {
			t.Errorf("%s: cuts %v, notes %v", c.name, r.Cuts, r.Notes)
		}
		s.Uncut = true
		r = Analyse([]Series{s}, Likelihood)[0]
		sound(t, r)
		if at := r.Whole.At(6); r.Segmented || at > 300 {
			t.Errorf("%s, no change looked for: segmented %v, %g at the last", c.name, r.Segmented, at)
		}
	}
}

func TestWorkersKeepTheOrder(t *testing.T) {
	var series []Series
	for i := range 3 * leastShareOfWork {
		s := ramp(6+i%3, func(p float64) float64 { return float64(i+1) * p })
		s.ID = strconv.Itoa(i)
		series = append(series, s)
	}
	for i, r := range Analyse(series, ExtraP) {
		if r.ID != series[i].ID || math.Abs(r.Whole.At(100)/(100*float64(i+1))-1) > 1e-9 {
			t.Errorf("result %d is of series %s: %s", i, r.ID, r.Whole.Formula)
		}
	}
}

func TestThinnedChange(t *testing.T) {
	s := ramp(100000, func(p float64) float64 {
		if p > 60000 {
			return 5 * p
		}
		return p
	})
	for _, m := range []Method{Likelihood, Paper} {
		r := Analyse([]Series{s}, m)[0]
		sound(t, r)
		if r.N != 100000 || !r.Segmented || len(r.Changes) != 1 {
			t.Fatalf("%s: n %d, segmented %v, changes %+v", m, r.N, r.Segmented, r.Changes)
		}
		if c := r.Changes[0]; c.Lo > 60000 || c.Hi < 60000 {
			t.Errorf("%s: change %+v does not hold 60000", m, c)
		}
	}
}

func FuzzAnalyse(f *testing.F) {
	add := func(x ...float64) {
		var b []byte
		for _, v := range x {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		f.Add(b)
	}
	add(1, 1, 2, 4, 3, 9, 4, 16, 5, 25, 6, 36, 7, 37, 8, 38, 9, 39, 10, 40)
	add(1, 0, 2, -1, 3, math.NaN(), 0, 1, math.Inf(1), 2, 4, 1e300)
	add(1e-300, 1, 1e300, 2, 1, 3, 2, 4, 5, 5, 6, 6, 7, 1e-300, 8, 1e119)
	add(1, 5, 1, 6, 2, 5, 2, 7, 1+1e-15, 5, 3, 5, 4, 5, 5, 5)
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := Series{ID: "fuzz"}
		for ; len(raw) >= 16 && len(s.Observations) < 40; raw = raw[16:] {
			s.Observations = append(s.Observations, Observation{
				P:     math.Float64frombits(binary.LittleEndian.Uint64(raw)),
				Value: math.Float64frombits(binary.LittleEndian.Uint64(raw[8:])),
			})
		}
		s.Mode = Strong
		for _, m := range methods() {
			sound(t, Analyse([]Series{s}, m)[0])
		}
	})
}

func BenchmarkAnalyse(b *testing.B) {
	p, y := worked()
	series := []Series{seriesOf(p, y)}
	for _, m := range methods() {
		b.Run(string(m), func(b *testing.B) {
			for b.Loop() {
				Analyse(series, m)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "series/s")
		})
	}
}
