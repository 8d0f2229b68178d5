package scaling

import (
	"math"
	"testing"
)

// residual is what the best single law leaves, relative, per point.
func residual(p []float64, f func(float64) float64) float64 {
	d := newDetector()
	d.f.prepare(gridAt(p, f))
	d.cost.ends(&d.f)
	_, rest := d.richLaw(math.Inf(1))
	return math.Sqrt(rest / float64(len(p)))
}

func TestRichLaw(t *testing.T) {
	tests := []struct {
		name  string
		f     func(float64) float64
		limit float64
	}{
		{"constant", func(float64) float64 { return 3 }, 1e-7},
		{"on the grid", func(p float64) float64 { return 3 + 2*math.Pow(p, 1.5)*math.Log2(p) }, 1e-6},
		{"power off the grid", func(p float64) float64 { return 3 + 2*math.Pow(p, 1.27) }, 1e-4},
		{"with a logarithm", func(p float64) float64 { return 1 + math.Pow(p, 0.7)*math.Pow(math.Log2(p), 1.4) }, 1e-3},
		{"falling", func(p float64) float64 { return 1 + 50*math.Pow(p, -1.3) }, 1e-4},
		{"sum on the grid", func(p float64) float64 { return 5 + 3*math.Log2(p) + 1e-3*p*p }, 1e-6},
		{"sum off the grid", func(p float64) float64 { return 5 + 3*math.Pow(p, 0.4) + 1e-3*math.Pow(p, 2.2) }, 4e-3},
		{"strong scaling", func(p float64) float64 { return 0.1 + 30*math.Pow(p, -0.9) + 1e-3*math.Pow(p, 1.1) }, 1e-3},
	}
	for _, test := range tests {
		for name, p := range map[string][]float64{"1..12": upTo(12), "2..4096": doublings(12)} {
			if got := residual(p, test.f); got > test.limit {
				t.Errorf("%s on %s: leaves %.2g of the value, want %.0g at most", test.name, name, got, test.limit)
			}
		}
	}
	// One law is not so rich that it takes in a step.
	step := func(p float64) float64 { return 10 * (1 + math.Floor(p/7)) }
	if got := residual(upTo(12), step); got < 0.03 {
		t.Errorf("a step leaves %.2g of the value", got)
	}
}

func TestShapeOf(t *testing.T) {
	f := frame{}
	f.prepare(gridAt([]float64{2, 3, 8, 64}, func(float64) float64 { return 1 }))
	for h := range shapes {
		i, j := shapeOf(h)
		col := make([]float64, 4)
		f.column(i, j, col)
		ratio := f.b[h] / col[0]
		for k := range col {
			if got := f.b[k*shapes+h]; math.Abs(got-ratio*col[k]) > 1e-9*got {
				t.Errorf("shape %d, p^%g log^%g: %g at point %d, want %g", h, i, j, got, k, ratio*col[k])
			}
		}
	}
}
