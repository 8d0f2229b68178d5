package scaling

import (
	"math"
	"slices"
)

// Families of Measured: laws without a change, and changes.
var (
	steadyFamilies  = []string{"constant", "term", "sum", "amdahl", "strong"}
	changedFamilies = []string{"step", "algorithm", "kink", "ceiling"}
)

// Measured draws realistic series of runs: 6 to 14 points on common grids, 1, 3 or 5 repetitions, and a family
// of steadyFamilies or changedFamilies.
func (s drawSource) Measured(family string, noise float64) drawnSeries {
	return s.MeasuredAt(family, noise, 6+s.r.IntN(9))
}

// MeasuredAt is Measured with n points; at least six for a change.
func (s drawSource) MeasuredAt(family string, noise float64, n int) drawnSeries {
	p := s.sizes(n)
	out := drawnSeries{Family: family, Noise: noise, P: p}
	var y []float64
	if slices.Contains(steadyFamilies, family) {
		y = s.steady(family, p)
	} else {
		c := 3 + s.r.IntN(n-5)
		out.Cuts = []int{c}
		y = s.changed(family, p, c)
	}
	s.repeat(&out, y)
	return out
}

// Twice draws 12 to 14 points with two changes, at least four points apart.
func (s drawSource) Twice(noise float64) drawnSeries {
	n := 12 + s.r.IntN(3)
	p := s.sizes(n)
	a := 4 + s.r.IntN(n-11)
	b := a + 4 + s.r.IntN(n-a-7)
	y := make([]float64, n)
	ends := []int{0, a, b, n}
	level := 1.0
	for i := range 3 {
		z := s.law(p)
		f := level / z[ends[i]]
		if i > 0 {
			f *= s.factor(1.4, 4)
		}
		for k := ends[i]; k < ends[i+1]; k++ {
			y[k] = z[k] * f
		}
		level = y[ends[i+1]-1]
	}
	out := drawnSeries{Family: "twice", Noise: noise, P: p, Cuts: []int{a, b}}
	s.repeat(&out, y)
	return out
}

// repeat fills in repetitions of y, in other units.
func (s drawSource) repeat(out *drawnSeries, y []float64) {
	unit := s.decades(-2, 3)
	runs := []int{1, 3, 5}[s.r.IntN(3)]
	for _, v := range y {
		var values []float64
		for range runs {
			values = append(values, s.shaken(unit*v, out.Noise))
		}
		out.Values = append(out.Values, values)
	}
}

// sizes draws a grid of n sizes: multiples, doublings, cubes, or arbitrary ones.
func (s drawSource) sizes(n int) []float64 {
	p := make([]float64, n)
	switch s.r.IntN(4) {
	case 0:
		unit := []float64{1, 4, 10, 100}[s.r.IntN(4)]
		for k := range p {
			p[k] = unit * float64(k+1)
		}
	case 1:
		first := math.Exp2(float64(1 + s.r.IntN(5)))
		for k := range p {
			p[k] = first * math.Exp2(float64(k))
		}
	case 2:
		edge := 2 + s.r.IntN(3)
		for k := range p {
			p[k] = math.Pow(float64(edge+k), 3)
		}
	default:
		for k, v := range s.r.Perm(5000)[:n] {
			p[k] = float64(16 + v)
		}
		slices.Sort(p)
	}
	return p
}

// law is 1 + r * shape with the shape 1 at the last point.
func (s drawSource) law(p []float64) []float64 {
	i, j := s.exponents(s.r.IntN(2) == 0)
	if i+j < 0.2 {
		i = 0.2
	}
	r, last := s.decades(-0.7, 2), p[len(p)-1]
	y := make([]float64, len(p))
	for k, v := range p {
		y[k] = 1 + r*math.Pow(v/last, i)*math.Pow(math.Log2(v)/math.Log2(last), j)
	}
	return y
}

func (s drawSource) steady(family string, p []float64) []float64 {
	y := make([]float64, len(p))
	last := p[len(p)-1]
	switch family {
	case "constant":
		for k := range y {
			y[k] = 1
		}
	case "term":
		return s.law(p)
	case "sum":
		a, b, r := s.law(p), s.law(p), s.decades(-1, 1)
		for k := range y {
			y[k] = a[k] + r*(b[k]-1)
		}
	case "amdahl":
		serial, cost, e := s.decades(-3, -0.5), s.decades(-4, -1)*float64(s.r.IntN(2)), s.uniform(0.3, 2)
		for k, v := range p {
			y[k] = serial + p[0]/v + cost*math.Pow(v/last, e)
		}
	case "strong":
		serial, e := s.decades(-3, 0), s.uniform(0.4, 1.6)
		for k, v := range p {
			y[k] = serial + math.Pow(p[0]/v, e)
		}
	}
	return y
}

// factor is between lo and hi, or as much down.
func (s drawSource) factor(lo, hi float64) float64 {
	f := s.uniform(lo, hi)
	if s.r.IntN(2) == 0 {
		return 1 / f
	}
	return f
}

// changed has its change after c points; a kink is at the last of them.
func (s drawSource) changed(family string, p []float64, c int) []float64 {
	y, last := s.law(p), p[len(p)-1]
	switch family {
	case "step": // the same law at another level
		f := s.factor(1.2, 4)
		for k := c; k < len(y); k++ {
			y[k] *= f
		}
	case "algorithm": // another law at another level
		z := s.law(p)
		f := s.factor(1.3, 4) * y[c] / z[c]
		for k := c; k < len(y); k++ {
			y[k] = f * z[k]
		}
	case "ceiling": // constant, then called more and more often
		jump, more, e := s.factor(1.2, 3), s.decades(-0.5, 1.5), s.uniform(0.5, 3)
		for k := range y {
			y[k] = 1
			if k >= c {
				y[k] = jump + more*(math.Pow(p[k]/last, e)-math.Pow(p[c]/last, e))
			}
		}
	case "kink": // continuous, but it grows faster, or slower, from here on
		slope := (y[c-1] - y[c-2]) / (p[c-1] - p[c-2])
		f, e := s.decades(0.3, 0.9), s.uniform(0.5, 2.5)
		switch {
		case slope*(last-p[c-1]) < 0.2*y[c-1]: // hardly grows: make it show
			f = s.uniform(0.3, 2) * y[c-1] / (slope * (last - p[c-1]))
		case s.r.IntN(3) == 0:
			f, e = 1/f, s.uniform(0.3, 1)
		}
		at := math.Pow(p[c-1]/last, e)
		for k := c; k < len(y); k++ {
			y[k] = y[c-1] + f*slope*p[c-1]/e/at*(math.Pow(p[k]/last, e)-at)
		}
	}
	return y
}
