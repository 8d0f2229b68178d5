package scaling

import (
	"math"
	"strings"
	"testing"

	"jobgait/analysis/note"
)

func TestEfficiency(t *testing.T) {
	p := []float64{1, 2, 4}
	for _, c := range []struct {
		mode Mode
		y    []float64
		want []float64
	}{
		{Strong, []float64{100, 50, 25}, []float64{1, 1, 1}},
		{Strong, []float64{100, 100, 50}, []float64{1, 0.5, 0.5}},
		{Weak, []float64{100, 100, 125}, []float64{1, 1, 0.8}},
		{Weak, []float64{0, 100, 125}, []float64{1, 0.8}},
	} {
		s := seriesOf(p, c.y)
		s.Mode = c.mode
		r := Analyse([]Series{s}, ExtraP)[0]
		if r.Mode == nil || *r.Mode != c.mode || len(r.Efficiency) != len(c.want) {
			t.Fatalf("%s of %v: %+v", c.mode, c.y, r.Efficiency)
		}
		for i, e := range r.Efficiency {
			if math.Abs(e.Value-c.want[i]) > 1e-12 {
				t.Errorf("%s of %v: %+v, want %v", c.mode, c.y, r.Efficiency, c.want)
			}
		}
	}
	if r := Analyse([]Series{seriesOf(p, p)}, ExtraP)[0]; r.Efficiency != nil || r.Mode != nil {
		t.Errorf("undeclared: %v %v", r.Efficiency, r.Mode)
	}
}

func TestExpectation(t *testing.T) {
	for _, c := range []struct {
		name string
		mode Mode
		f    func(float64) float64
		code note.Code
		term string
	}{
		{"linear", Undeclared, func(p float64) float64 { return 5 + 3*p }, "", ""},
		{"square", Undeclared, func(p float64) float64 { return 5 + 3*p*p }, note.WorseThanLinear, "p^(2)"},
		{"square below a large constant", Undeclared, func(p float64) float64 { return 1e6 + p*p }, "", ""},
		{"ideal strong", Strong, func(p float64) float64 { return 1000 / p }, "", ""},
		{"Amdahl", Strong, func(p float64) float64 { return 50 + 1000/p }, note.WorseThanDeclared, "the constant"},
		{"ideal weak", Weak, func(p float64) float64 { return 77 }, "", ""},
		{"weak, tree", Weak, func(p float64) float64 { return 20 + 5*math.Log2(p) }, note.WorseThanDeclared, "log2(p)"},
	} {
		s := Series{Parameter: "p", Metric: "time", Mode: c.mode}
		for k := range 9 {
			p := math.Exp2(float64(k))
			v := c.f(p) * (1 + 0.004*math.Sin(float64(7*k)))
			s.Observations = append(s.Observations, Observation{P: p, Value: v})
		}
		r := Analyse([]Series{s}, Likelihood)[0]
		text := ""
		for _, n := range r.Notes {
			if n.Code == note.WorseThanLinear || n.Code == note.WorseThanDeclared {
				text = n.Text
				if n.Code != c.code {
					t.Errorf("%s: %s", c.name, n.Text)
				}
			}
		}
		if c.code != "" && (text == "" || !strings.Contains(text, c.term)) {
			t.Errorf("%s: %q, want %s by %s; model %s", c.name, text, c.code, c.term, r.Whole.Formula)
		}
	}
}
