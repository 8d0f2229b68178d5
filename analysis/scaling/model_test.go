package scaling

import (
	"math"
	"slices"
	"testing"
)

func TestFormula(t *testing.T) {
	for _, c := range []struct {
		m    Model
		name string
		want string
	}{
		{Model{Constant: 42}, "p", "42"},
		{Model{Constant: -49.4116, Terms: []Term{{33.4512, 0.5, 0}}}, "p", "-49.41 + 33.45 * p^(1/2)"},
		{Model{Constant: 1, Terms: []Term{{-2, 0, 1}}}, "nodes", "1 - 2 * log2(nodes)^(1)"},
		{Model{Constant: 1, Terms: []Term{{3e-7, 4. / 3, 2}}}, "p", "1 + 3e-07 * p^(4/3) * log2(p)^(2)"},
		{Model{Constant: 1, Terms: []Term{{1, -1, 0}, {2, 11. / 4, 0}}}, "p", "1 + 1 * p^(-1) + 2 * p^(11/4)"},
		{Model{Constant: 1, Terms: []Term{{1, 1, 0}}}, "message size", "1 + 1 * p^(1)"},
		{Model{Constant: 1, Terms: []Term{{1, 1, 0}}}, "9a", "1 + 1 * p^(1)"},
		{Model{Constant: 1, Terms: []Term{{1, 1, 0}}}, "", "1 + 1 * p^(1)"},
		{Model{Constant: 1, Terms: []Term{{1, 1, 0}}}, "aAzZ_09", "1 + 1 * aAzZ_09^(1)"},
	} {
		if got := c.m.formula(c.name); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestJudged(t *testing.T) {
	p, y := []float64{1, 2, 4}, []float64{2, 4, 10}
	m := Model{Constant: 0, Terms: []Term{{2, 1, 0}}}.withErrors("p", p, y)
	if m.RSS != 4 || math.Abs(m.NRSS-2/(16./3)) > 1e-12 || math.Abs(m.SMAPE-200*2/18./3) > 1e-12 {
		t.Errorf("rss %g nrss %g smape %g", m.RSS, m.NRSS, m.SMAPE)
	}
	if m := (Model{Constant: 1e-16}).withErrors("p", p, []float64{-1, 0, 1}); m.NRSS != 0 || math.IsNaN(m.SMAPE) {
		t.Errorf("mean 0: nrss %g, smape %g", m.NRSS, m.SMAPE)
	}
}

func TestModelLikelihoodIsReadable(t *testing.T) {
	p := []float64{1, 2, 4, 8, 16, 32, 64}
	for _, c := range []struct {
		name string
		f    func(float64) float64
		want string
	}{
		{"constant", func(p float64) float64 { return 7 }, "7"},
		{"Amdahl", func(p float64) float64 { return 10 + 90/p }, "10 + 90 * p^(-1)"},
		{"p log p", func(p float64) float64 { return 3 + p*math.Log2(p) }, "3 + 1 * p^(1) * log2(p)^(1)"},
		{"work and tree", func(p float64) float64 {
			return 1 + 100/p + 5*math.Log2(p)
		}, "1 + 5 * log2(p)^(1) + 100 * p^(-1)"},
	} {
		y := make([]float64, len(p))
		for k := range p {
			y[k] = c.f(p[k])
		}
		if got := modelLikelihood("p", p, y).Formula; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	// A disturbed run does not bend the law.
	y := []float64{5, 7, 11, 19, 80, 67, 131}
	if m := modelLikelihood("p", p, y); m.Formula != "3 + 2 * p^(1)" {
		t.Errorf("with one disturbed run: %s", m.Formula)
	}
	for len(p) < 16 {
		p = append(p, 2*p[len(p)-1])
	}
	law := func(k int) float64 { return 3 + 2*p[k] }
	for name, c := range map[string]struct {
		at     []int
		factor float64
		left   bool // the law stays
	}{
		"two disturbed runs":   {[]int{2, 6}, 2, true},
		"the later one more":   {[]int{6, 2}, 2, true},
		"the first is":         {[]int{0}, 4, true},
		"the last is":          {[]int{15}, 3, true},
		"five, too many":       {[]int{1, 4, 7, 9, 12}, 3, false},
		"one that ended early": {[]int{4}, 0.3, true},
	} {
		y := make([]float64, len(p))
		for k := range y {
			y[k] = law(k)
			if i := slices.Index(c.at, k); i >= 0 {
				y[k] *= c.factor - 0.3*float64(i) // the first most
			}
		}
		if got := modelLikelihood("p", p, y).Formula; (got == "3 + 2 * p^(1)") != c.left {
			t.Errorf("%s: %s", name, got)
		}
	}
	p = p[:7]
	// 1 % of wiggle is no reason for a term.
	y = []float64{100, 101, 99.5, 100.2, 99.4, 100.8, 100.1}
	if m := modelLikelihood("p", p, y); len(m.Terms) != 0 {
		t.Errorf("noise got a term: %s", m.Formula)
	}
}
