package scaling

import (
	"math"
	"testing"
)

// worked is the paper's example of figure 1: p^2 up to 5, 30 + p from 6 on, so that p = 6 is on both laws.
func worked() (p, y []float64) {
	for i := 1.0; i <= 10; i++ {
		p = append(p, i)
		if i <= 5 {
			y = append(y, i*i)
		} else {
			y = append(y, 30+i)
		}
	}
	return p, y
}

// seriesOf is a series of one run at each p.
func seriesOf(p, y []float64) Series {
	s := Series{ID: "0", Parameter: "p", Metric: "time"}
	for k := range p {
		s.Observations = append(s.Observations, Observation{P: p[k], Value: y[k]})
	}
	return s
}

func TestPaperTable1(t *testing.T) {
	p, y := worked()
	models, nrss := paperWindows(p, y)
	want := []struct {
		formula string
		nrss    float64 // rounded as printed in the paper
	}{
		{"0 + 1 * p^(2)", 0},
		{"0 + 1 * p^(2)", 0},
		{"-49.41 + 33.45 * p^(1/2)", 0.18},
		{"-28.53 + 23.17 * log2(p)^(1)", 0.19},
		{"-6.188 + 14.83 * log2(p)^(1)", 0.16}, // the paper prints -6.19
		{"30 + 1 * p^(1)", 0},
	}
	if len(models) != len(want) {
		t.Fatalf("%d windows, want %d", len(models), len(want))
	}
	for i, w := range want {
		if got := models[i].withErrors("p", p[i:i+5], y[i:i+5]).Formula; got != w.formula {
			t.Errorf("s%d: model %q, want %q", i+1, got, w.formula)
		}
		if got := math.Round(nrss[i]*100) / 100; got != w.nrss {
			t.Errorf("s%d: nRSS %.4f, want %.2f", i+1, nrss[i], w.nrss)
		}
	}
	// The paper forms its ratios from rounded nRSS: .19/.18 and .16/.19.
	eps := paperRatios(nrss)
	if got := math.Round(100*(0.19/0.18)) / 100; math.Abs(got-1.05) > 0.011 || math.Abs(eps[2]-1.081) > 0.001 {
		t.Errorf("epsilon_3 = %.4f, want 1.081 (1.05 in the paper)", eps[2])
	}
	if math.Abs(eps[3]-0.833) > 0.001 {
		t.Errorf("epsilon_4 = %.4f, want 0.833 (0.84 in the paper)", eps[3])
	}
	if !(eps[1] > 1e10) {
		t.Errorf("epsilon_2 = %g, want one far above 4", eps[1])
	}
	if eps[4] > 1e-10 {
		t.Errorf("epsilon_5 = %g, want about 0", eps[4])
	}
}

func TestPaperWorkedExample(t *testing.T) {
	p, y := worked()
	r := Analyse([]Series{seriesOf(p, y)}, Paper)[0]
	if r.Whole == nil || r.Whole.Formula != "1.649 + 3.971 * log2(p)^(2)" {
		t.Errorf("model of all points = %v, want 1.65 + 3.97 log2^2 p", r.Whole)
	}
	if off := 1 - r.Whole.At(1024)/(30+1024); math.Abs(off-0.62) > 0.005 {
		t.Errorf("at 1024 it is %.3f off, want .62", off)
	}
	if !r.Segmented || len(r.Changes) != 1 || r.Changes[0].Common == nil || *r.Changes[0].Common != 6 || r.Cuts[0] != 5 {
		t.Fatalf("segmented %v, changes %+v, want one at the common point 6, cut 5", r.Segmented, r.Changes)
	}
	if len(r.Segments) != 2 || r.Segments[0].Last != 5 || r.Segments[1].First != 5 {
		t.Fatalf("segments %+v, want both to hold point 5", r.Segments)
	}
	for i, want := range []string{"0 + 1 * p^(2)", "30 + 1 * p^(1)"} {
		if got := r.Segments[i].Model.Formula; got != want {
			t.Errorf("segment %d: %q, want %q", i, got, want)
		}
	}
}

func TestPaperPatterns(t *testing.T) {
	ramp := make([]float64, 20)
	for i := range ramp {
		ramp[i] = float64(i + 1)
	}
	for _, c := range []struct {
		name    string
		nrss    []float64
		cuts    []int
		located bool
		seg     bool
	}{
		{"all homogeneous", []float64{0, .05, .1, .02, 0, 0}, nil, true, false},
		{"four ones", []float64{.01, .2, .3, .3, .2, .01}, []int{5}, true, true},
		{"three ones", []float64{.01, .01, .2, .3, .2, .01}, []int{5}, true, true},
		{"noise lifts all", []float64{.2, .3, .3, .2, .3, .2}, nil, true, false},
		{"two ones", []float64{.01, .2, .3, .01, .01, .01}, nil, false, true},
		{"large, five ones", []float64{.01, .6, .6, .6, .6, .6}, nil, false, true},
		{"two changes", []float64{0, .3, .3, .3, .3, 0, 0, .3, .3, .3, .3, 0}, []int{5, 11}, true, true},
		{"ratio into more than a half", []float64{.1, .45, .1, .1, .1, .1}, nil, false, true},
	} {
		v := verdict{located: true, segmented: paperSegmented(c.nrss)}
		v.recurse(ramp, c.nrss, 0, len(c.nrss)+paperWindow-2)
		var cuts []int
		for _, ch := range v.changes {
			cuts = append(cuts, ch.Cut)
		}
		if v.segmented != c.seg || v.located != c.located || len(cuts) != len(c.cuts) {
			t.Errorf("%s: segmented %v located %v cuts %v, want %v %v %v", c.name, v.segmented, v.located, cuts, c.seg,
				c.located, c.cuts)
			continue
		}
		for i := range cuts {
			if cuts[i] != c.cuts[i] {
				t.Errorf("%s: cuts %v, want %v", c.name, cuts, c.cuts)
			}
		}
	}
}

func TestPaperDeclinesBelowSix(t *testing.T) {
	p, y := worked()
	r := Analyse([]Series{seriesOf(p[3:8], y[3:8])}, Paper)[0]
	if r.Segmented || r.Whole == nil || !hasNote(r, "need_more_points") {
		t.Errorf("five points: segmented %v, whole %v, notes %v; want a model, no verdict and a note", r.Segmented, r.Whole,
			r.Notes)
	}
}
