package scaling

import (
	"math"
	"math/rand/v2"
	"slices"
)

// maker draws series like one of a list, of one law.
type maker struct {
	s       *chanceScratch
	m       *common
	g       *grid
	f       frame
	w       posterior
	kinds   [chanceKinds]kindOfNoise
	fits    [chanceKinds]*oneLaws
	laws    [chanceKinds]map[int][]float64 // those drawn from so far
	weights [chanceLaws]float64
	shared  []float64 // what each group has, by number
	y       []float64
}

// newMaker fits the laws of series i again: keeping all would take 3 kB for
// each series and kind.
func newMaker(s *chanceScratch, c *chance, i int) *maker {
	m := &maker{s: s, m: &c.common, g: c.grids[i], y: make([]float64, len(c.grids[i].y))}
	m.w.of(c, i)
	s.d.f.prepare(*m.g)
	s.d.prior.add(m.g.within)
	s.d.cost.ends(&s.d.f)
	s.prepare()
	for k := range m.kinds {
		if k != evenNoise && m.w.share(k) < 1e-3 {
			continue
		}
		m.kinds[k], m.fits[k] = s.noise(k, m.g), &oneLaws{}
		s.fitNoise(m.fits[k], m.kinds[k], k)
		m.laws[k] = map[int][]float64{}
	}
	// The detector goes on to other series.
	f := s.d.f
	f.t, f.u, f.b = slices.Clone(f.t), slices.Clone(f.u), slices.Clone(f.b)
	f.ln, f.lln = slices.Clone(f.ln), slices.Clone(f.lln)
	m.f = f
	for _, x := range m.fits {
		if x != nil {
			x.f = &m.f
		}
	}
	groups := 0
	for _, g := range m.g.group {
		groups = max(groups, g+1)
	}
	m.shared = make([]float64, groups)
	return m
}

// draw is a series with a law, noise and disturbed points that this one may
// have. It is overwritten by the next. Where no law is found, it has no points.
//
// Noise is drawn uniform, as in the paper. Where that of the list is normal,
// .8 to 1.2 times as many happen.
func (m *maker) draw(r *rand.Rand) grid {
	kind, level, law := m.pick(r)
	if law == nil {
		return grid{}
	}
	g := *m.g
	g.y = m.y
	x := &m.kinds[kind]
	sd := math.Sqrt(chanceLevel(level) + g.within)
	for i := range m.shared {
		m.shared[i] = math.Sqrt(x.ratio) * r.NormFloat64()
	}
	for k, y := range m.g.y {
		z := math.Sqrt(3) * (2*r.Float64() - 1)
		if g.group[k] >= 0 {
			z += m.shared[g.group[k]]
		}
		if kind == evenNoise || kind == hitNoise {
			if r.Float64() < m.m.hit {
				y *= math.Exp(m.m.steps[r.IntN(len(m.m.steps))])
			}
		} else {
			z /= x.w[k]
		}
		g.y[k] = y * law[k] * max(1+sd*z, leastNoisy)
	}
	g.within = repeated(r, g.within, g.dof)
	return g
}

// leastNoisy is how small noise may make a value, over its law.
const leastNoisy = 0.05

// repeated is the variance that other repetitions would show.
func repeated(r *rand.Rand, within, dof float64) float64 {
	if within <= 0 || dof <= 0 {
		return within
	}
	sum := 0.0
	for range int(dof) {
		z := r.NormFloat64()
		sum += z * z
	}
	return within * sum / dof
}

// pick draws a kind of noise, its level, and a law.
func (m *maker) pick(r *rand.Rand) (kind, level int, law []float64) {
	for range 20 { // some laws are not positive
		kind, class, level := m.w.pick(r)
		x := m.fits[kind]
		if x == nil {
			continue
		}
		h := m.pickLaw(r, x, class, chanceLevel(level)+m.g.within)
		y, ok := m.laws[kind][h]
		if !ok {
			y = m.s.law(x, h)
			m.laws[kind][h] = y
		}
		if y != nil {
			return kind, level, y
		}
	}
	return 0, 0, nil
}

func (w *posterior) pick(r *rand.Rand) (kind, class, level int) {
	at := r.Float64()
	for kind = range w {
		for class = range w[kind] {
			for level = range w[kind][class] {
				if at -= w[kind][class][level]; at < 0 {
					return kind, class, level
				}
			}
		}
	}
	return evenNoise, 0, 0
}

// pickLaw draws a law of a class at a level.
func (m *maker) pickLaw(r *rand.Rand, x *oneLaws, class int, variance float64) int {
	from, to := lawsOf(class)
	logV, top, sum := math.Log(variance), math.Inf(-1), 0.0
	w := m.weights[from:to]
	for i := range w {
		w[i] = math.Inf(-1)
		if h := from + i; !math.IsNaN(x.rest[h]) {
			w[i] = x.like(h, class, variance, logV)
			top = max(top, w[i])
		}
	}
	for i, v := range w {
		w[i] = 0
		if v > top-20 {
			w[i] = math.Exp(v - top)
			sum += w[i]
		}
	}
	at := r.Float64() * sum
	for i, v := range w {
		if at -= v; at < 0 {
			return from + i
		}
	}
	return from
}
