package scaling

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// direct is the least cost of a range of points, each shape fitted by itself.
func direct(f *frame, a, b int) cost {
	line := func(h int) float64 {
		// Two columns by Gram and Schmidt, nothing shared with the code.
		u, z := make([]float64, b-a), make([]float64, b-a)
		r := append([]float64(nil), f.t[a:b]...)
		for k := range u {
			u[k] = f.u[a+k]
			if h >= 0 {
				z[k] = f.b[(a+k)*shapes+h] * u[k]
			}
		}
		size := floats.Dot(z, z)
		for _, col := range [][]float64{u, z} {
			if m := floats.Dot(col, u) / floats.Dot(u, u); &col[0] != &u[0] {
				for k := range col {
					col[k] -= m * u[k]
				}
			}
			if q := floats.Dot(col, col); q > 1e-11*size {
				m := floats.Dot(r, col) / q
				for k := range r {
					r[k] -= m * col[k]
				}
			}
		}
		return floats.Dot(r, r)
	}
	c := cost{constant: line(-1), term: math.Inf(1)}
	for h := range shapes {
		c.term = math.Min(c.term, line(h))
	}
	if b-a <= 2 {
		c.term = 0
	}
	return c
}

func TestCosts(t *testing.T) {
	src := newDraw(2)
	d := newDetector()
	for range 40 {
		s := src.Measured("algorithm", 0.05)
		g := gridOf(s.P, s.Values, nil)
		n := len(g.y)
		d.f.prepare(g)
		d.cost.ends(&d.f)
		d.dynamic.fill(&d.f)
		for a := range n {
			for b := a + 1; b <= n; b++ {
				want, got := direct(&d.f, a, b), d.dynamic.cost[a*(n+1)+b]
				if math.Abs(got.constant-want.constant) > 1e-7 || math.Abs(got.term-want.term) > 1e-7 {
					t.Fatalf("points %d..%d: %+v, want %+v", a, b-1, got, want)
				}
				if a == 0 && d.cost.left[b] != got {
					t.Fatalf("first %d points: %+v, want %+v", b, d.cost.left[b], got)
				}
				if right := d.cost.right[a]; b == n && math.Abs(right.term-got.term) > 1e-9 {
					t.Fatalf("points from %d: %+v, want %+v", a, right, got)
				}
			}
		}
	}
}

// The quick search for two changes is the dynamic program's.
func TestThree(t *testing.T) {
	src := newDraw(3)
	d := newDetector()
	rng := rand.New(rand.NewPCG(3, 1))
	for i := range 200 {
		s := src.Twice(0.05)
		if i%2 == 1 { // no law: the best cuts are anywhere, ends included
			s.P, s.Values = s.P[:9], s.Values[:9]
			for k := range s.Values {
				s.Values[k] = []float64{math.Exp(rng.NormFloat64())}
			}
		}
		g := gridOf(s.P, s.Values, nil)
		n := len(g.y)
		d.f.prepare(g)
		d.prior.setLeastVariance(g.within)
		d.cost.ends(&d.f)
		got := d.three()
		d.dynamic.fill(&d.f)
		d.dynamic.solve(n, 3, minSegment)
		want := d.dynamic.best(&d.prior, n, 3, 3, termPenalty)
		if math.Abs(got.score-want.score) > 1e-6 {
			t.Fatalf("score %g at %v, want %g at %v", got.score, got.cuts, want.score, want.cuts)
		}
	}
}

func TestDescending(t *testing.T) {
	for _, x := range [][3]float64{{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}} {
		if got := descending(x[0], x[1], x[2]); got != [3]float64{3, 2, 1} {
			t.Errorf("%v: %v", x, got)
		}
	}
}

// The best of few segmentations by trying them all.
func TestDynamic(t *testing.T) {
	src := newDraw(5)
	d := newDetector()
	s := src.Twice(0.1)
	g := gridOf(s.P, s.Values, nil)
	n := len(g.y)
	d.f.prepare(g)
	d.dynamic.fill(&d.f)
	d.dynamic.solve(n, 4, 2)
	best := math.Inf(1)
	at := func(a, b int) float64 { return d.dynamic.cost[a*(n+1)+b].term }
	for a := 2; a <= n; a++ {
		for b := a + 2; b <= n; b++ {
			for c := b + 2; c <= n-2; c++ {
				best = math.Min(best, at(0, a)+at(a, b)+at(b, c)+at(c, n))
			}
		}
	}
	got := d.dynamic.lowestCost[(4*5+4)*(n+1)+n]
	if math.Abs(got-best) > 1e-12 {
		t.Errorf("four laws with terms cost %g, want %g", got, best)
	}
}
