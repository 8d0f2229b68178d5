package scaling

import (
	"math"
	"math/rand/v2"
)

// drawnSeries is one drawn series: values (repetitions) and, where a family has
// them, groups at ascending parameters, and the numbers of points before each change.
type drawnSeries struct {
	Family string
	Noise  float64
	P      []float64
	Values [][]float64
	Groups [][]string
	Cuts   []int
}

// drawSource draws labelled scaling series: the experiment of Off-Road section
// 4.1, what measured series look like, and noise that is not independent, uniform
// and proportional. The same seed gives the same series.
//
// What the paper leaves open is taken as the facts of this project do: one term,
// f = a + b*p^i*log2(p)^j; "in" draws (i, j) from the 20 pairs, "out" i from
// (0, 3) and j from (0, 2); p is 1..n or 2^1..2^n; a and b are uniform in 1..100
// or log-uniform in 10^-2..10^3; a second law is drawn independently. A noise of x
// multiplies each value by 1+u, u uniform in -x..x.
type drawSource struct{ r *rand.Rand }

// newDraw returns the source of a seed.
func newDraw(seed uint64) drawSource { return drawSource{rand.New(rand.NewPCG(seed, 0x6a6f62))} }

func (s drawSource) uniform(lo, hi float64) float64 { return lo + (hi-lo)*s.r.Float64() }

// decades is log-uniform between powers of ten.
func (s drawSource) decades(lo, hi float64) float64 { return math.Pow(10, s.uniform(lo, hi)) }

// shaken is v with noise.
func (s drawSource) shaken(v, noise float64) float64 { return v * (1 + noise*s.uniform(-1, 1)) }

// exponents draws one of the 20 pairs, or any exponents in their range.
func (s drawSource) exponents(in bool) (i, j float64) {
	if in {
		k := 1 + s.r.IntN(20)
		return float64(k/3) / 2, float64(k % 3)
	}
	return s.uniform(0, 3), s.uniform(0, 2)
}

// drawCell is one cell of the paper's experiment.
type drawCell struct {
	In       bool // functions of the paper's space
	Decades  bool // coefficients over five decades instead of 1..100
	Doubling bool // p = 2, 4, 8 .. instead of 1, 2, 3 ..
	Noise    float64
}

// Points is the parameter values of a cell.
func (c drawCell) Points(n int) []float64 {
	p := make([]float64, n)
	for k := range p {
		p[k] = float64(k + 1)
		if c.Doubling {
			p[k] = math.Exp2(p[k] * min(1, 14/float64(n)))
		}
	}
	return p
}

// function draws one law of a cell at p.
func (s drawSource) function(c drawCell, p []float64) []float64 {
	i, j := s.exponents(c.In)
	a, b := s.uniform(1, 100), s.uniform(1, 100)
	if c.Decades {
		a, b = s.decades(-2, 3), s.decades(-2, 3)
	}
	y := make([]float64, len(p))
	for k, v := range p {
		y[k] = a + b*math.Pow(v, i)*math.Pow(math.Log2(v), j)
	}
	return y
}

// Paper draws a series of the paper's experiment: a law for each part.
func (s drawSource) Paper(c drawCell, parts ...int) drawnSeries {
	n := 0
	for _, m := range parts {
		n += m
	}
	out := drawnSeries{Family: "paper", Noise: c.Noise, P: c.Points(n)}
	from := 0
	for i, m := range parts {
		if i > 0 {
			out.Cuts = append(out.Cuts, from)
		}
		f := s.function(c, out.P)
		for k := from; k < from+m; k++ {
			out.Values = append(out.Values, []float64{s.shaken(f[k], c.Noise)})
		}
		from += m
	}
	return out
}

// Sum draws one law that is the sum of two of a cell's.
func (s drawSource) Sum(c drawCell, n int) drawnSeries {
	out := drawnSeries{Family: "sum", Noise: c.Noise, P: c.Points(n)}
	f, g := s.function(c, out.P), s.function(c, out.P)
	for k := range out.P {
		out.Values = append(out.Values, []float64{s.shaken(f[k]+g[k], c.Noise)})
	}
	return out
}

// Falling draws one law of strong scaling on a cell's points: work over p to a
// power, a constant, and for half of them a cost that grows.
func (s drawSource) Falling(c drawCell, n int) drawnSeries {
	out := drawnSeries{Family: "falling", Noise: c.Noise, P: c.Points(n)}
	floor, power, growth := s.decades(-3, 0), s.uniform(0.4, 1.6), s.uniform(0.3, 2)
	cost := s.decades(-4, -1) * float64(s.r.IntN(2))
	for _, p := range out.P {
		v := floor + math.Pow(out.P[0]/p, power) + cost*math.Pow(p/out.P[n-1], growth)
		out.Values = append(out.Values, []float64{s.shaken(v, c.Noise)})
	}
	return out
}

// Below is a number from 0 to n-1.
func (s drawSource) Below(n int) int { return s.r.IntN(n) }

// Normal adds normal noise of a relative standard deviation to all runs.
func (s drawSource) Normal(x drawnSeries, sd float64) drawnSeries {
	for _, values := range x.Values {
		for i := range values {
			values[i] *= 1 + sd*s.r.NormFloat64()
		}
	}
	return x
}

// Stepped is x with all runs from point c on f times as large.
func (x drawnSeries) Stepped(c int, f float64) drawnSeries {
	values := make([][]float64, len(x.Values))
	for k, v := range x.Values {
		values[k] = append([]float64(nil), v...)
		for i := range v {
			if k >= c {
				values[k][i] *= f
			}
		}
	}
	x.Values, x.Cuts = values, []int{c}
	return x
}

// Positive is whether all values are.
func (x drawnSeries) Positive() bool {
	for _, values := range x.Values {
		for _, v := range values {
			if !(v > 0) {
				return false
			}
		}
	}
	return true
}
