package scaling

import "math"

// common is how common kinds of noise, classes of laws, levels of noise and
// disturbed points are in a list.
type common struct {
	kind  [chanceKinds]float64 // hitNoise is part of evenNoise
	class [chanceClasses]float64
	level [chanceLevels]float64
	hit   float64   // probability that a point is disturbed
	steps []float64 // logarithms of how much too large disturbed points are
}

// Before a list says otherwise each kind and class is thought to have been seen
// in a third of a series, each level in a twentieth.
const (
	kindBefore  = 0.3
	levelBefore = 0.05
	learnRounds = 30
)

// wildLevel is a noise of 27 %. Where less than mostWild of a list has that,
// these are series with three disturbed runs and the like, not noisy ones.
const (
	wildLevel = 21
	mostWild  = 0.05
)

// learn fits what is common to what the series say, by expectation and maximisation.
func (c *chance) learn() {
	m := &c.common
	fillWith(m.kind[:], 1.0/chanceKinds)
	fillWith(m.class[:], 1.0/chanceClasses)
	fillWith(m.level[:], 1.0/chanceLevels)
	m.hit = 0.01
	points := 0.0
	for _, g := range c.grids {
		points += float64(len(g.y))
	}
	var w posterior
	for range learnRounds {
		next := common{}
		fillWith(next.kind[:], kindBefore)
		fillWith(next.class[:], kindBefore)
		fillWith(next.level[:], levelBefore)
		for i := range c.series {
			w.of(c, i)
			w.addTo(&next)
			next.hit += w.share(hitNoise) * float64(c.series[i].hits)
		}
		next.kind[evenNoise] += next.kind[hitNoise]
		next.kind[hitNoise] = 0
		normalise(next.kind[:])
		normalise(next.class[:])
		normalise(next.level[:])
		next.hit /= points
		*m = next
	}
	var wild []int
	for i := range c.series {
		if w.of(c, i); w.share(hitNoise) > 0.5 {
			m.steps = append(m.steps, c.series[i].steps...)
		}
		if w.from(wildLevel) > 0.5 {
			wild = append(wild, i)
		}
	}
	if float64(len(wild)) < mostWild*float64(len(c.series)) {
		for _, i := range wild {
			c.series[i].unlike = true
		}
	}
	if len(m.steps) == 0 {
		m.hit = 0
	}
}

func fillWith(x []float64, v float64) {
	for i := range x {
		x[i] = v
	}
}

func normalise(x []float64) {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	for i := range x {
		x[i] /= sum
	}
}

// posterior is the probabilities of what a series may be. They add to 1.
type posterior [chanceKinds][chanceClasses][chanceLevels]float64

// of weighs what series i says with what is common.
func (w *posterior) of(c *chance, i int) {
	x, m := &c.series[i], &c.common
	n, out := float64(len(c.grids[i].y)), float64(x.hits)
	kinds := m.kind
	kinds[evenNoise] = m.kind[evenNoise] * math.Pow(1-m.hit, n)
	kinds[hitNoise] = m.kind[evenNoise] * math.Pow(1-m.hit, n-out) * math.Pow(m.hit, out)
	sum := 0.0
	for k := range w {
		for a := range w[k] {
			for l, v := range x.like[k][a] {
				w[k][a][l] = v * kinds[k] * m.class[a] * m.level[l]
				sum += w[k][a][l]
			}
		}
	}
	if sum == 0 { // it says nothing that can be true: a constant without noise
		w[evenNoise][0][0], sum = 1, 1
	}
	for k := range w {
		for a := range w[k] {
			for l := range w[k][a] {
				w[k][a][l] /= sum
			}
		}
	}
}

// addTo counts a series.
func (w *posterior) addTo(m *common) {
	for k := range w {
		for a := range w[k] {
			for l, v := range w[k][a] {
				m.kind[k] += v
				m.class[a] += v
				m.level[l] += v
			}
		}
	}
}

// from is the probability of a level or a higher one.
func (w *posterior) from(level int) float64 {
	sum := 0.0
	for k := range w {
		for a := range w[k] {
			for _, v := range w[k][a][level:] {
				sum += v
			}
		}
	}
	return sum
}

// share is the probability of a kind.
func (w *posterior) share(kind int) float64 {
	sum := 0.0
	for a := range w[kind] {
		for _, v := range w[kind][a] {
			sum += v
		}
	}
	return sum
}
