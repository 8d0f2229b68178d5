package dtw

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// path is one way through the table, as pairs from the first on.
type path [][2]int

// paths lists every path of an n by m table within the band, walked back from
// the end in the order diagonal, up, left.
func paths(n, m, band int) []path {
	var all []path
	var walk func(i, j int, tail path)
	walk = func(i, j int, tail path) {
		if i < 1 || j < 1 {
			return
		}
		if lo, hi := limits(i, n, m, band); j < lo || j > hi {
			return
		}
		tail = append(path{{i - 1, j - 1}}, tail...)
		if i == 1 && j == 1 {
			all = append(all, tail)
			return
		}
		walk(i-1, j-1, tail)
		walk(i-1, j, tail)
		walk(i, j-1, tail)
	}
	walk(n, m, nil)
	return all
}

func cost(p path, x, y []float64, f func(float64) float64) float64 {
	c := 0.0
	for _, q := range p {
		c += f(x[q[0]] - y[q[1]])
	}
	return c
}

func square(d float64) float64 { return d * d }

// whole returns n values that are small whole numbers, so that sums are exact
// and ties are many.
func whole(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(rng.IntN(4))
	}
	return x
}

// All distances and the path itself against every path there is.
func TestAgainstAllPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var s Scratch
	for range 400 {
		x, y := whole(rng, 1+rng.IntN(6)), whole(rng, 1+rng.IntN(6))
		for _, band := range []int{Full, 0, 1, 2} {
			all := paths(len(x), len(y), band)
			if len(all) == 0 {
				t.Fatalf("no path within %d of %d by %d", band, len(x), len(y))
			}
			sq := math.Inf(1)
			var best path // the first of the cheapest in the order of turns
			for _, p := range all {
				if c := cost(p, x, y, square); c < sq {
					sq, best = c, p
				}
			}
			if got := s.Squared(x, y, band); got != sq {
				t.Fatalf("squared %v %v band %d: %v, want %v", x, y, band, got, sq)
			}
			var walked path
			if got := s.Align(x, y, band, func(i, j int) { walked = append(walked, [2]int{i, j}) }); got != sq {
				t.Fatalf("align %v, want %v", got, sq)
			}
			slices.Reverse(walked)
			if fmt.Sprint(walked) != fmt.Sprint(best) {
				t.Fatalf("path of %v %v band %d: %v, want %v", x, y, band, walked, best)
			}
		}
	}
}

// The number of pairs is that of the path that the rule for ties selects.
func TestMeanCountsPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	var s Scratch
	for range 400 {
		x, y := whole(rng, 1+rng.IntN(6)), whole(rng, 1+rng.IntN(6))
		c, pairs := math.Inf(1), 0
		for _, p := range paths(len(x), len(y), Full) {
			if d := cost(p, x, y, math.Abs); d < c {
				c, pairs = d, len(p)
			}
		}
		if got := s.Mean(x, y); got != c/float64(pairs) {
			t.Fatalf("%v %v: %v, want %v/%d", x, y, got, c, pairs)
		}
	}
}

// direct is Mean from the whole table, without a limit and with cost and pairs apart.
func direct(x, y []float64) float64 {
	f, ok := fixedPoint(x, y)
	if !ok {
		return math.NaN()
	}
	type cell struct{ cost, pairs int64 }
	none := cell{cost: math.MaxInt64}
	above := make([]cell, len(y)+1)
	for j := range above {
		above[j] = none
	}
	above[0] = cell{}
	for _, v := range x {
		row := []cell{none}
		for j, w := range y {
			best := above[j]
			for _, other := range []cell{above[j+1], row[j]} {
				if other.cost < best.cost {
					best = other
				}
			}
			row = append(row, cell{best.cost + distance(f.of(v), f.of(w))>>f.pairBits, best.pairs + 1})
		}
		above = row
	}
	end := above[len(y)]
	return f.mean(end.cost<<f.pairBits | end.pairs)
}

// drawn returns n values: levels with noise, a walk, small whole numbers with ties, or very large ones.
func drawn(rng *rand.Rand, kind, n int) []float64 {
	switch kind {
	case 0:
		return whole(rng, n)
	case 1:
		x := bumps(rng, n)
		for i := range x {
			x[i] += 0.05 * rng.NormFloat64()
		}
		return x
	case 2:
		x := make([]float64, n)
		for i := 1; i < n; i++ {
			x[i] = x[i-1] + rng.NormFloat64()
		}
		return x
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = 1e300 * rng.Float64()
	}
	return x
}

// Means and Mean are the direct computation to the last bit, for four series at a time, for fewer,
// and for lengths that differ, are odd or are one.
func TestMeansAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var s Scratch
	for round := range 300 {
		n, m := 1+rng.IntN(60), 1+rng.IntN(60)
		if round%2 == 0 {
			n += n % 2
		}
		y := drawn(rng, rng.IntN(4), m)
		xs := make([][]float64, rng.IntN(14))
		for i := range xs {
			if xs[i] = drawn(rng, rng.IntN(4), n); rng.IntN(30) == 0 {
				xs[i] = drawn(rng, 1, 1+rng.IntN(60))
			} else if rng.IntN(30) == 0 {
				xs[i][rng.IntN(n)] = []float64{math.NaN(), math.Inf(1)}[rng.IntN(2)]
			}
		}
		for i, got := range s.Means(xs, y) {
			want := direct(xs[i], y)
			if alone := s.Mean(xs[i], y); math.Float64bits(got) != math.Float64bits(want) ||
				math.Float64bits(alone) != math.Float64bits(want) {
				t.Fatalf("round %d, %d of %d by %d: %v, alone %v, directly %v", round, i, n, m, got, alone, want)
			}
		}
	}
}

// Series with steps leave most of the table above the limit: only a part of each row is computed, in several pieces.
func TestMeansOfStepsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	var s Scratch
	for round := range 60 {
		n, step := 2*(1+rng.IntN(100)), []float64{1, 30, 1e4}[round%3]
		steps := func() []float64 {
			x, from, to := make([]float64, n), rng.IntN(n), rng.IntN(n+1)
			for i := range x {
				x[i] = rng.Float64()
				if from <= i && i < to {
					x[i] += step
				}
			}
			return x
		}
		y := steps()
		xs := [][]float64{steps(), steps(), steps(), steps(), y, steps(), y, y}
		for i, got := range s.Means(xs, y) {
			if want := direct(xs[i], y); math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("round %d, %d of %d: %v, directly %v", round, i, n, got, want)
			}
		}
	}
}

func TestEmpty(t *testing.T) {
	var s Scratch
	x := []float64{1}
	for _, d := range []float64{s.Squared(x, nil, 3), s.Mean(nil, nil), s.Align(nil, x, Full, nil)} {
		if !math.IsInf(d, 1) {
			t.Errorf("distance to nothing is %v", d)
		}
	}
	m := NewMatrix(nil)
	if got := m.Clusters(1); len(got) != 0 {
		t.Errorf("clusters of nothing: %v", got)
	}
	if m.Medoid(nil) != -1 || !math.IsNaN(m.Nearest()) {
		t.Error("a medoid of nothing")
	}
	if a, w, r := s.Average(nil, x, Paper()); len(a) != 1 || w != 0 || r != 0 {
		t.Error("an average of nothing was refined")
	}
}

func noisy(rng *rand.Rand, shape []float64, sd float64) []float64 {
	x := make([]float64, 0, len(shape)+4)
	for _, v := range shape {
		for k := rng.IntN(20); k < 20; k += 19 { // now and then a sample twice
			x = append(x, v+sd*rng.NormFloat64())
		}
	}
	return x
}

func bumps(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	v := 0.0
	for i := range x {
		if rng.IntN(8) == 0 {
			v = rng.Float64()
		}
		x[i] = v
	}
	return x
}

func TestMatrix(t *testing.T) {
	items := [][]float64{{0, 0, 1}, {0, 1, 1}, {9, 9, 9}, {0, 1}, {9, 8, 9}}
	m := NewMatrix(items)
	if got := fmt.Sprint(m.Clusters(0.1)); got != "[0 0 1 0 2]" {
		t.Errorf("clusters %s", got)
	}
	if got := fmt.Sprint(m.Clusters(0.5)); got != "[0 0 1 0 1]" {
		t.Errorf("clusters %s", got)
	}
	if got := m.Medoid([]int{2, 1, 3}); got != 1 {
		t.Errorf("medoid %d", got)
	}
	if m.At(2, 4) != m.At(4, 2) || m.At(3, 3) != 0 || m.Nearest() != 0 {
		t.Errorf("at %v, nearest %v", m.At(2, 4), m.Nearest())
	}
	if got := NewMatrix([][]float64{{0}, {1}, {3}, {7}}).Nearest(); got != 1.5 { // 1 1 2 4
		t.Errorf("nearest %v, want 1.5", got)
	}
}

// The sum of squares falls with every round (Petitjean). The average of shifted copies keeps an edge that a
// plain mean blurs.
func TestAverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	shape := make([]float64, 60)
	for i := 20; i < 30; i++ {
		shape[i] = 1
	}
	var items [][]float64
	for range 40 {
		items = append(items, noisy(rng, shape, 0.02))
	}
	var s Scratch
	last := math.Inf(1)
	for rounds := 1; rounds < 8; rounds++ {
		_, w, n := s.Average(items, items[0], Rule{MaxRounds: rounds, Patience: 99, Band: Full})
		if w > last*(1+1e-12) || n != rounds {
			t.Fatalf("round %d: %v after %v", n, w, last)
		}
		last = w
	}
	avg, w, n := s.Average(items, items[0], Paper())
	if want := rounds(items, items[0], Paper()); n != want || n <= Paper().Patience || n >= 31 ||
		w != s.WGSS(items, avg, Full) {
		t.Errorf("%d rounds, wgss %v", n, w)
	}
	if d := s.Mean(avg, shape); d > 0.02 {
		t.Errorf("average is %v from the shape", d)
	}
}

// rounds is how many refinements the rule allows, from the sums of squares that
// runs of one round, two and so on end with.
func rounds(items [][]float64, start []float64, rule Rule) int {
	var s Scratch
	last, idle := s.WGSS(items, start, rule.Band), 0
	for n := 1; ; n++ {
		if idle == rule.Patience || n == rule.MaxRounds {
			return n
		}
		_, w, _ := s.Average(items, start, Rule{MaxRounds: n, Patience: n + 1, Band: rule.Band})
		if (last-w)/last < rule.MinDecrease {
			idle++
		} else {
			idle = 0
		}
		last = w
	}
}

func TestNothingIsAllocated(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	x, y := bumps(rng, 220), bumps(rng, 225)
	var s Scratch
	visit := func(int, int) {}
	s.Align(x, y, Full, visit)
	if n := testing.AllocsPerRun(10, func() {
		s.Mean(x, y)
		s.Squared(x, y, 17)
		s.Align(x, y, 17, visit)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzDistances(f *testing.F) {
	f.Add([]byte("abc"), []byte("abd"), 1)
	f.Add([]byte{0, 255}, []byte{1}, -1)
	f.Fuzz(func(t *testing.T, a, b []byte, band int) {
		if len(a) == 0 || len(b) == 0 || len(a) > 100 || len(b) > 100 || band > 200 || band < -1 {
			return
		}
		x, y := make([]float64, len(a)), make([]float64, len(b))
		for i, c := range a {
			x[i] = float64(c)
		}
		for i, c := range b {
			y[i] = float64(c)
		}
		var s Scratch
		d := s.Squared(x, y, band)
		if math.IsInf(d, 0) || d < s.Squared(x, y, Full) {
			t.Fatalf("distance %v within %d", d, band)
		}
		if e := s.Align(x, y, band, func(i, j int) { _, _ = x[i], y[j] }); e != d {
			t.Fatalf("two answers for one path: %v, %v", d, e)
		}
		if full := s.Squared(x, y, Full); full != s.Squared(y, x, Full) {
			t.Fatal("not symmetric")
		}
	})
}

func benchPair() (x, y []float64) {
	rng := rand.New(rand.NewPCG(7, 1))
	shape := bumps(rng, 220)
	return noisy(rng, shape, 0.1)[:220], noisy(rng, shape, 0.1)[:220]
}

func BenchmarkMean(b *testing.B) {
	x, y := benchPair()
	var s Scratch
	b.ReportAllocs()
	for b.Loop() {
		s.Mean(x, y)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/220/220, "ns/cell")
}

func BenchmarkMeans(b *testing.B) {
	x, y := benchPair()
	var s Scratch
	for b.Loop() {
		s.Means([][]float64{x, x, x, x}, y)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4/220/220, "ns/cell")
}

func BenchmarkAlign(b *testing.B) {
	x, y := benchPair()
	var s Scratch
	for b.Loop() {
		s.Align(x, y, Full, func(int, int) {})
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/220/220, "ns/cell")
}
