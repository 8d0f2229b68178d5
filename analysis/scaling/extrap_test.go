package scaling

import (
	"math"
	"math/rand/v2"
	"testing"
)

// naiveExtraP is Extra-P's search as it is described: every fold is fitted separately.
func naiveExtraP(p, y []float64) Model {
	m := constantModel(y)
	best, rss := 0.0, 0.0
	for _, v := range y {
		best += smape(m.Constant, v)
		rss += (v - m.Constant) * (v - m.Constant)
	}
	if rss == 0 {
		return m
	}
	b := newBasis(extraPPairs(), p)
	for s, e := range b.pairs {
		full, ok := fitLine(b.x[s], y)
		if !ok || full.b == 0 || isNegligible(Model{Terms: []Term{{full.b, e.i, e.j}}}, p, y) {
			continue
		}
		loo := 0.0
		for k := range y {
			var x, v []float64
			smallest := math.Inf(1)
			for o := range y {
				if o != k {
					x, v = append(x, b.x[s][o]), append(v, y[o])
					smallest = min(smallest, y[o])
				}
			}
			f, _ := fitLine(x, v)
			if math.Abs(f.a/smallest) < 5e-4 {
				f.a = 0
			}
			loo += smape(f.a+f.b*b.x[s][k], y[k])
		}
		if loo < best*(1-1e-12) {
			best = loo
			m = Model{Constant: full.a, Terms: []Term{{full.b, e.i, e.j}}}
		}
	}
	return m
}

func TestLeaveOneOutAsWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	same, total := 0, 0
	for range 400 {
		n := 3 + r.IntN(10)
		p, y := make([]float64, n), make([]float64, n)
		pair := extraPPairs()[r.IntN(42)]
		shape := Term{Coefficient: math.Exp(4 * r.NormFloat64()), I: pair.i, J: pair.j}
		base := math.Exp(3 * r.NormFloat64())
		for k := range p {
			p[k] = float64(k + 2)
			if total%2 == 0 {
				p[k] = math.Exp2(float64(k + 1))
			}
			y[k] = (base + shape.Coefficient*shape.Shape(p[k])) * (1 + 0.1*(r.Float64()-0.5))
		}
		total++
		got, want := modelExtraP(p, y), naiveExtraP(p, y)
		if len(got.Terms) == len(want.Terms) && (len(got.Terms) == 0 ||
			got.Terms[0].I == want.Terms[0].I && got.Terms[0].J == want.Terms[0].J) {
			same++
		} else {
			t.Logf("n=%d p=%v y=%v: %v, naive %v", n, p, y, got, want)
		}
	}
	if same != total {
		t.Errorf("%d of %d as with every fold fitted by itself", same, total)
	}
}

func TestLeaveOneOutHeavyPoint(t *testing.T) {
	// p = 1e6 carries all of p^3: without it, sums over all points are rounding.
	p := []float64{1, 2, 3, 4, 5, 1e6}
	y := []float64{10, 11, 12, 13, 14, 1e6 + 9}
	m := modelExtraP(p, y)
	if len(m.Terms) != 1 || m.Terms[0].I != 1 || m.Terms[0].J != 0 {
		t.Errorf("model %+v, want 9 + p", m)
	}
}

func TestExtraPFewPoints(t *testing.T) {
	r := Analyse([]Series{seriesOf([]float64{1, 2, 4}, []float64{3, 5, 9})}, ExtraP)[0]
	if r.Whole == nil || r.Whole.Formula != "1 + 2 * p^(1)" || !hasNote(r, "few_points") {
		t.Errorf("three points: %v, notes %v; want 1 + 2 p and few_points", r.Whole, r.Notes)
	}
	if r.Segmented || len(r.Cuts) != 0 || len(r.Segments) != 1 {
		t.Errorf("extra-p segments: %+v", r)
	}
}

func TestExtraPBelowOne(t *testing.T) {
	r := Analyse([]Series{seriesOf([]float64{0.25, 0.5, 1, 2, 4}, []float64{1, 1.9, 3.2, 4.1, 4.9})}, ExtraP)[0]
	for _, term := range r.Whole.Terms {
		if term.J != 0 {
			t.Errorf("p below 1 has a logarithm: %s", r.Whole.Formula)
		}
	}
}

func BenchmarkLeaveOneOut(b *testing.B) {
	const n = 10
	p, y := make([]float64, n), make([]float64, n)
	for k := range p {
		p[k] = math.Exp2(float64(k))
		y[k] = (10 + 3*p[k]) * (1 + 0.02*math.Sin(float64(k*k)))
	}
	const models = 4096 // an operation, so that a few of them suffice
	for b.Loop() {
		for i := range models {
			p[n-1] = 512 + float64(i%64)
			modelExtraP(p, y)
		}
	}
	b.ReportMetric(models*float64(b.N)/b.Elapsed().Seconds(), "models/s")
}
