package scaling

import (
	"math"
	"testing"
)

// One or two disturbed runs are not a change; a level that stays is one.
func TestOutliers(t *testing.T) {
	law := func(p float64) float64 { return 10 + 2*p }
	noise := []float64{0.004, -0.007, 0.009, -0.002, 0.006, -0.008, 0.001, 0.005, -0.004, 0.003}
	tests := []struct {
		name      string
		factor    map[int]float64
		segmented bool
	}{
		{"none", nil, false},
		{"one inside", map[int]float64{4: 1.8}, false},
		{"the last", map[int]float64{9: 1.5}, false},
		{"the first", map[int]float64{0: 2.5}, false},
		{"two", map[int]float64{2: 1.4, 7: 2}, false},
		{"three that stay", map[int]float64{7: 1.6, 8: 1.6, 9: 1.6}, true},
		{"three that stay down", map[int]float64{7: 0.6, 8: 0.6, 9: 0.6}, true},
	}
	for _, test := range tests {
		k := -1
		g := gridAt(upTo(10), func(p float64) float64 {
			k++
			f := 1.0
			if v, ok := test.factor[k]; ok {
				f = v
			}
			return law(p) * f * (1 + noise[k])
		})
		d := detect(g)
		if d.segmented != test.segmented {
			t.Errorf("%s: segmented %v, strength %.2f of %.2f, cuts %v", test.name, d.segmented, d.strength, d.threshold, d.cuts)
		}
	}
}

// The price of an outlier is that of a half normal distribution of its logarithm.
func TestOutlierPrice(t *testing.T) {
	d := newDetector()
	d.f.prepare(gridAt(upTo(8), func(p float64) float64 {
		if p == 5 {
			return 20
		}
		return 10
	}))
	o := &d.outliers
	o.r, o.h, o.out = make([]float64, 8), make([]float64, 8), make([]bool, 8)
	o.fit(&d.f, 2)
	at, price := o.worstPoint(&d.f)
	x := math.Log(2) / outlierSpan
	if want := outlierPrior - x*x/2 - math.Log(outlierSpan/2); at != 4 || math.Abs(price-want) > 1e-9 {
		t.Errorf("point %d at %g, want 4 at %g", at, price, want)
	}
	// Nothing follows the last point.
	d.f.prepare(gridAt(upTo(5), func(p float64) float64 {
		if p == 5 {
			return 20
		}
		return 10
	}))
	o.r, o.h, o.out = make([]float64, 5), make([]float64, 5), make([]bool, 5)
	o.fit(&d.f, 2)
	at, price = o.worstPoint(&d.f)
	x = math.Log(2) / endSpan
	if want := endPrior - x*x/2 - math.Log(endSpan/2); at != 4 || math.Abs(price-want) > 1e-9 {
		t.Errorf("last point: point %d at %g, want 4 at %g", at, price, want)
	}
}

// A last point far above or below the law of the others is a change; one that is above by as much as a
// disturbed run may be is not.
func TestLastPoint(t *testing.T) {
	noise := []float64{0.004, -0.007, 0.009, -0.002, 0.006, -0.008}
	for factor, want := range map[float64]bool{0.4: true, 1: false, 1.5: false, 3: false, 30: true} {
		k := -1
		d := detect(gridAt(upTo(6), func(p float64) float64 {
			k++
			if k == 5 {
				return factor * (10 + 2*p)
			}
			return (10 + 2*p) * (1 + noise[k])
		}))
		if d.segmented != want {
			t.Errorf("times %g: segmented %v, strength %.2f of %.2f", factor, d.segmented, d.strength, d.threshold)
		}
		if want && d.segmented && (len(d.changes) != 1 || d.changes[0].Common == nil || d.changes[0].Cut != 4) {
			t.Errorf("times %g: %+v, want the last but one to belong to both laws", factor, d.changes)
		}
	}
}

func TestNoiseKinds(t *testing.T) {
	f := frame{}
	f.prepare(gridAt([]float64{1, 2, 3}, func(p float64) float64 { return p * p }))
	s := make([]float64, 3)
	f.noiseKind(0, s)
	if d := s[0] - s[2]; math.Abs(d-math.Log(9)) > 1e-12 {
		t.Errorf("equal noise at values of 1 and 9: relative noise differs by %g, want log 9", d)
	}
	for kind, want := range map[int]float64{1: 2.2, 2: -2.2} {
		if f.noiseKind(kind, s); s[2]-s[0] != want {
			t.Errorf("kind %d grows by %g, want %g", kind, s[2]-s[0], want)
		}
	}
}

// Two neighbours at an end are more likely a short segment than two accidents.
func TestEnd(t *testing.T) {
	for _, c := range []struct {
		out  []int
		want bool
	}{{nil, false}, {[]int{0}, false}, {[]int{0, 1}, true}, {[]int{1, 2}, false}, {[]int{0, 2}, false},
		{[]int{0, 5}, false}, {[]int{4, 5}, true}, {[]int{3, 4}, false}} {
		o := outliers{out: make([]bool, 6)}
		for _, k := range c.out {
			o.out[k] = true
		}
		if got := o.hasOutlierPair(6); got != c.want {
			t.Errorf("%v: %v", c.out, got)
		}
	}
}

// The fit without a point gives its distance above the others.
func TestWorst(t *testing.T) {
	d := newDetector()
	g := gridAt([]float64{1, 2, 4, 8, 16, 32, 64}, func(p float64) float64 {
		if p == 8 {
			return 14 // of 7
		}
		return 7
	})
	d.f.prepare(g)
	o := outliers{out: make([]bool, 7), r: make([]float64, 7), h: make([]float64, 7)}
	o.fit(&d.f, 2)
	at, price := o.worstPoint(&d.f)
	ratio := math.Log(2) / outlierSpan
	if want := outlierPrior - ratio*ratio/2 - math.Log(outlierSpan/2); at != 3 || math.Abs(price-want) > 1e-6 {
		t.Errorf("point %d, %v, want 3, %v", at, price, want)
	}
	o.out[3] = true
	if rest := o.fit(&d.f, 2); rest > 1e-12 {
		t.Errorf("of the others is left %v", rest)
	}
	if at, _ := o.worstPoint(&d.f); at >= 0 && o.r[at] > 1e-9 {
		t.Errorf("point %d too: %v", at, o.r)
	}
}
