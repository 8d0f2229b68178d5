package scaling

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// series makes a grid of single runs at p of a function.
func gridAt(p []float64, f func(float64) float64) grid {
	points := make([]point, len(p))
	for k, v := range p {
		points[k] = point{p: v, values: []float64{f(v)}, groups: []string{""}}
	}
	return newGrid(points)
}

func upTo(n int) []float64 {
	p := make([]float64, n)
	for k := range p {
		p[k] = float64(k + 1)
	}
	return p
}

func doublings(n int) []float64 {
	p := upTo(n)
	for k := range p {
		p[k] = math.Exp2(p[k])
	}
	return p
}

func TestDetect(t *testing.T) {
	tests := []struct {
		name   string
		p      []float64
		f      func(float64) float64
		cuts   []int
		common float64
	}{
		{"constant", upTo(10), func(float64) float64 { return 7 }, nil, 0},
		{"quadratic", upTo(10), func(p float64) float64 { return 3 + p*p }, nil, 0},
		{"off the grid", doublings(12), func(p float64) float64 { return 5 + 0.3*math.Pow(p, 0.83) }, nil, 0},
		{"sum of two", doublings(12), func(p float64) float64 { return 20 + 2*math.Log2(p) + 1e-4*p*p }, nil, 0},
		{"strong scaling", doublings(8), func(p float64) float64 { return 0.1 + 100/p + 0.001*p }, nil, 0},
		{"step", upTo(10), func(p float64) float64 { return (3 + p) * (1 + math.Floor(p/7)) }, []int{6}, 0},
		{"step down before three", upTo(9), func(p float64) float64 {
			if p > 6 {
				return 2 + p/5
			}
			return 5 + p*p
		}, []int{6}, 0},
		// The paper's worked example: f1 = p^2 to 5, f2 = 30+p from 6, which meet at 6.
		{"worked example", upTo(10), func(p float64) float64 { return math.Min(p*p, 30+p) }, []int{5}, 6},
		{"kink", upTo(12), func(p float64) float64 { return 10 + math.Max(0, 8*(p-7)) }, []int{6}, 7},
		{"two steps", upTo(15), func(p float64) float64 {
			return (10 + p) * []float64{1, 2.5, 0.8}[int(p-1)/5]
		}, []int{5, 10}, 0},
		{"excursion", upTo(12), func(p float64) float64 {
			if p > 4 && p < 9 {
				return 3 * (10 + p)
			}
			return 10 + p
		}, []int{4, 8}, 0},
		{"four points", upTo(4), func(p float64) float64 { return p * p * p }, nil, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := detect(gridAt(test.p, test.f))
			if !slices.Equal(d.cuts, test.cuts) || d.segmented != (len(test.cuts) > 0) {
				t.Fatalf("cuts %v, strength %.2f of %.2f, want %v", d.cuts, d.strength, d.threshold, test.cuts)
			}
			if test.common == 0 {
				return
			}
			if c := d.changes[0].Common; c == nil || *c != test.common {
				t.Errorf("common point %v, want %v", c, test.common)
			}
		})
	}
}

// The range leaves at most half of the rest out on each side, and no index that
// it needs.
func TestCentral(t *testing.T) {
	for _, c := range []struct {
		chance []float64
		lo, hi int
	}{
		{[]float64{1}, 0, 0},
		{[]float64{0, 0, 1, 0}, 2, 2},
		{[]float64{0.02, 0.04, 0.9, 0.03, 0.01}, 1, 3},
		{[]float64{0.03, 0.01, 0.92, 0.02, 0.02}, 0, 3},
		{[]float64{0.2, 0.2, 0.2, 0.2, 0.2}, 0, 4},
		{[]float64{0, 0.5, 0, 0, 0.5}, 1, 4},
	} {
		for _, scale := range []float64{-700, 0, 700} {
			w := make([]float64, len(c.chance))
			for i, v := range c.chance {
				w[i] = math.Log(v) + scale
			}
			if lo, hi := central(w, 0.95); lo != c.lo || hi != c.hi {
				t.Errorf("%v: %d to %d, want %d to %d", c.chance, lo, hi, c.lo, c.hi)
			}
		}
	}
}

// detect is what a new detector says of one series.
func detect(g grid) detection {
	d := newDetector()
	out := d.detect(g)
	d.locate(g, &out)
	return out
}

// What holds of every detection.
func check(t *testing.T, g grid, d detection) {
	t.Helper()
	n := len(g.y)
	if d.segmented != (len(d.cuts) > 0) || len(d.changes) != len(d.cuts) {
		t.Fatalf("segmented %v, cuts %v, changes %v", d.segmented, d.cuts, d.changes)
	}
	for i, c := range d.changes {
		if c.Cut != d.cuts[i] || c.Cut < 1 || c.Cut >= n || c.Lo > c.Cut || c.Hi < c.Cut || c.Lo < 1 || c.Hi >= n {
			t.Fatalf("change %+v of %d points, cuts %v", c, n, d.cuts)
		}
		if i > 0 && c.Cut <= d.cuts[i-1] {
			t.Fatalf("cuts %v do not ascend", d.cuts)
		}
		if c.Common != nil && *c.Common != g.p[c.Cut] {
			t.Fatalf("change %+v: its point is not %g", c, g.p[c.Cut])
		}
	}
	if n < leastPoints {
		return
	}
	sum := 0.0
	for _, v := range d.last {
		sum += v
	}
	if len(d.last) != n || math.Abs(sum-1) > 1e-9 {
		t.Fatalf("starts of the last law %v", d.last)
	}
}

func TestDetectProperties(t *testing.T) {
	src := newDraw(4)
	for i := range 200 {
		family := append(steadyFamilies, changedFamilies...)[i%9]
		s := src.Measured(family, []float64{0, 0.02, 0.1}[i%3])
		g := gridOf(s.P, s.Values, nil)
		d := detect(g)
		check(t, g, d)
		// Units do not matter, up to rounding.
		for _, v := range s.Values {
			for r := range v {
				v[r] *= 1024
			}
		}
		e := detect(gridOf(s.P, s.Values, nil))
		if !slices.Equal(d.cuts, e.cuts) || math.Abs(d.strength-e.strength) > 1e-6*math.Abs(d.strength) {
			t.Errorf("%s: %v (%g) in one unit, %v (%g) in another", family, d.cuts, d.strength, e.cuts, e.strength)
		}
	}
}

// A detector that has analysed other series gives the same result as a new one.
func TestDetectorHasNoState(t *testing.T) {
	src := newDraw(8)
	used := newDetector()
	for i := range 150 {
		s := src.Measured(append(steadyFamilies, changedFamilies...)[i%9], 0.02)
		g := gridOf(s.P, s.Values, nil)
		a := used.detect(g)
		used.locate(g, &a)
		b := detect(g)
		if !slices.Equal(a.cuts, b.cuts) || a.strength != b.strength || !slices.Equal(a.last, b.last) {
			t.Fatalf("series %d: %v %g, anew %v %g", i, a.cuts, a.strength, b.cuts, b.strength)
		}
	}
}

// Shares far from what the table splits measures on 20,000 series a cell.
func TestShares(t *testing.T) {
	d := NewDetector()
	tests := []struct {
		name     string
		draw     func(drawSource) drawnSeries
		min, max float64
	}{
		{"one law, 5 %", func(s drawSource) drawnSeries {
			return s.Paper(drawCell{In: true, Noise: 0.05}, 10)
		}, 0, 0.01},
		{"one law off the space, 15 %", func(s drawSource) drawnSeries {
			return s.Paper(drawCell{Noise: 0.15, Doubling: true}, 8)
		}, 0, 0.03},
		{"5+5, 2 %", func(s drawSource) drawnSeries {
			return s.Paper(drawCell{In: true, Noise: 0.02, Decades: true}, 5, 5)
		}, 0.92, 1},
		{"4+3, 1 %", func(s drawSource) drawnSeries {
			return s.Paper(drawCell{In: true, Noise: 0.01, Decades: true, Doubling: true}, 4, 3)
		}, 0.85, 1},
		{"kinks, 1 %", func(s drawSource) drawnSeries { return s.Measured("kink", 0.01) }, 0.5, 1},
		{"two changes, 2 %", func(s drawSource) drawnSeries { return s.Twice(0.02) }, 0.95, 1},
		{"days of 5 %", func(s drawSource) drawnSeries { return s.Disturbed("day 5%", 8) }, 0, 0.03},
		{"outliers", func(s drawSource) drawnSeries { return s.Disturbed("outliers x1.2-3", 10) }, 0, 0.03},
		{"growing noise", func(s drawSource) drawnSeries { return s.Disturbed("growing to 10%", 10) }, 0, 0.04},
		{"absolute noise", func(s drawSource) drawnSeries { return s.Disturbed("absolute 2% of median", 8) }, 0, 0.03},
	}
	for i, test := range tests {
		src := newDraw(uint64(100 + i))
		const n = 600
		found := 0
		for range n {
			s := test.draw(src)
			if d.Detect(s.P, s.Values, s.Groups).Segmented {
				found++
			}
		}
		if got := float64(found) / n; got < test.min || got > test.max {
			t.Errorf("%s: %.3f segmented, want %.2f to %.2f", test.name, got, test.min, test.max)
		}
	}
}

func FuzzDetect(f *testing.F) {
	f.Add(uint64(1), 10, 1.0, 2.0)
	f.Add(uint64(2), 5, 1e-300, 1e300)
	f.Add(uint64(3), 30, -5.0, 0.0)
	f.Add(uint64(4), 64, 1e15, 1.0)
	f.Fuzz(func(t *testing.T, seed uint64, n int, a, b float64) {
		if n < 0 || n > 64 || math.IsNaN(a) || math.IsNaN(b) || math.Abs(a) > largestValue || math.Abs(b) > largestValue {
			return
		}
		r := rand.New(rand.NewPCG(seed, 1))
		points := make([]point, n)
		p := math.Exp(20 * (r.Float64() - 0.5))
		for k := range points {
			p *= 1 + math.Exp(4*r.NormFloat64()-4)
			points[k] = point{p: p, values: []float64{a + b*r.NormFloat64()}, groups: []string{""}}
			if r.IntN(3) == 0 {
				points[k].values = append(points[k].values, a)
				points[k].groups = append(points[k].groups, "day")
			}
			if k > 0 && points[k].p == points[k-1].p {
				return
			}
		}
		g := newGrid(points)
		check(t, g, detect(g))
	})
}
