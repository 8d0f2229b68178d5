package scaling

import (
	"math"
	"math/rand/v2"
)

// coverageFamily draws a law; largest is the largest p that will be measured.
type coverageFamily struct {
	name string
	law  func(r *rand.Rand, largest float64) func(p float64) float64
}

func coverageFamilies() []coverageFamily {
	term := func(a, b, i, j float64) func(float64) float64 {
		return func(p float64) float64 { return a + b*math.Pow(p, i)*math.Pow(math.Log2(p), j) }
	}
	inside := func(r *rand.Rand) (i, j float64) {
		k := 1 + r.IntN(20)
		return float64(k/3) / 2, float64(k % 3)
	}
	return []coverageFamily{
		{"in the space", func(r *rand.Rand, _ float64) func(float64) float64 {
			i, j := inside(r)
			return term(size(r), size(r), i, j)
		}},
		{"out of it", func(r *rand.Rand, _ float64) func(float64) float64 {
			return term(size(r), size(r), 3*r.Float64(), 2*r.Float64())
		}},
		{"two terms", func(r *rand.Rand, largest float64) func(float64) float64 {
			i, j := inside(r)
			k, l := inside(r)
			// Both terms contribute at the largest p; otherwise there is one.
			f, g := term(0, 1, i, j), term(0, 1, k, l)
			a, b, c := size(r), size(r)/max(f(largest), 1), size(r)/max(g(largest), 1)
			return func(p float64) float64 { return a + b*f(p) + c*g(p) }
		}},
		{"falling", func(r *rand.Rand, _ float64) func(float64) float64 {
			return term(size(r)*math.Pow(10, -2+2*r.Float64()), size(r), -0.5-r.Float64(), 0)
		}},
		{"communication", func(r *rand.Rand, _ float64) func(float64) float64 {
			serial, cost := math.Pow(10, -2.5+2*r.Float64()), math.Pow(10, -4+3*r.Float64())
			scale, kind := size(r), r.IntN(3)
			return func(p float64) float64 {
				grows := []float64{math.Log2(p), math.Sqrt(p), p / 8}[kind]
				return scale * (serial + 1/p + cost*grows)
			}
		}},
	}
}

// size is a coefficient: of one magnitude, or of five.
func size(r *rand.Rand) float64 {
	if r.IntN(2) == 0 {
		return 1 + 99*r.Float64()
	}
	return math.Pow(10, -2+5*r.Float64())
}

// coverageDraw is a series with what comes after it.
type coverageDraw struct {
	series Series
	law    func(float64) float64 // the last one
	again  func(float64) float64 // a new run where the law has this value
}

func (c *coverageCell) draw(r *rand.Rand, noise float64) coverageDraw {
	n := 5 + r.IntN(8)
	p := make([]float64, n)
	powers := r.IntN(2) == 0
	for k := range p {
		p[k] = float64(k + 1)
		if powers {
			p[k] = math.Exp2(p[k])
		}
	}
	first := c.family.law(r, p[n-1])
	last, cut := first, n
	if c.segmented {
		cut = 2 + r.IntN(n-3)
		next, scale := c.family.law(r, p[n-1]), 1.0
		if r.IntN(2) == 0 { // a change by at most a factor of two, as most are
			scale = first(p[cut]) / next(p[cut]) * math.Exp2(-1+2*r.Float64())
		}
		last = func(p float64) float64 { return scale * next(p) }
	}
	d := coverageDraw{law: last, again: func(v float64) float64 {
		if c.normal {
			return v * (1 + noise/math.Sqrt(3)*r.NormFloat64())
		}
		return v * (1 + noise*(2*r.Float64()-1))
	}}
	for k, v := range p {
		f := first
		if k >= cut {
			f = last
		}
		d.series.Observations = append(d.series.Observations, Observation{P: v, Value: d.again(f(v))})
	}
	return d
}
