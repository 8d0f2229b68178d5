package scaling

import "math"

// explanation is what a series says of itself if it has one law: the
// likelihood of each kind of noise, class of laws and level, up to a factor. It
// is that of the residuals, given that coefficients may be anything.
type explanation struct {
	like  [chanceKinds][chanceClasses][chanceLevels]float64
	hits  int       // disturbed points, if some are
	steps []float64 // logarithms of how much too large they are
	cut   bool
	// unlike: the rest of the list speaks for it.
	unlike bool
}

// explain asks a series. One that is cut says nothing of how noisy it is under
// one law: its noise is that of its segments, its law the one that comes nearest.
func (c *chanceScratch) explain(g *grid, x *explanation) {
	out := c.d.detect(*g)
	rest, free := 0.0, 0
	if x.cut, x.unlike = out.segmented, out.segmented; x.cut {
		rest, free = c.d.segmentNoise(out.cuts)
	}
	c.prepare()
	top := math.Inf(-1)
	for kind := range chanceKinds {
		k := c.noise(kind, g)
		price, possible := -k.logDet, k.known && !(x.cut && kind == hitNoise)
		if possible {
			c.fitNoise(&c.laws, k, kind)
			if kind == hitNoise {
				price, possible = c.disturbance(k, x)
			}
		}
		for class := range chanceClasses {
			for l := range chanceLevels {
				v := math.Inf(-1)
				if possible {
					variance := chanceLevel(l) + g.within
					v = price + c.laws.mean(class, variance)
					if x.cut && !math.IsInf(v, -1) {
						v = -(float64(free)*math.Log(variance) + rest/variance) / 2
					}
				}
				x.like[kind][class][l] = v
				top = max(top, v)
			}
		}
	}
	x.exponentiate(top)
}

func (x *explanation) exponentiate(top float64) {
	for kind := range x.like {
		for class := range x.like[kind] {
			for l, v := range x.like[kind][class] {
				if x.like[kind][class][l] = math.Exp(v - top); math.IsNaN(v - top) {
					x.like[kind][class][l] = 0
				}
			}
		}
	}
}

// disturbance is the log density of how far disturbed points are out; false
// where the others say that they are not.
func (c *chanceScratch) disturbance(k kindOfNoise, x *explanation) (price float64, ok bool) {
	best := 0
	for h, rest := range c.laws.rest {
		if rest < c.laws.rest[best] {
			best = h
		}
	}
	y := c.law(&c.laws, best)
	if y == nil {
		return 0, false
	}
	x.hits, x.steps = len(k.out), nil
	span := c.d.pr.OutlierSpan
	for _, at := range k.out {
		step := -math.Log(y[at])
		if step <= 0 {
			return 0, false
		}
		x.steps = append(x.steps, step)
		price -= step*step/(2*span*span) + math.Log(span*math.Sqrt(math.Pi/2))
	}
	return price, true
}

// mean is the mean likelihood of the laws of a class, as a logarithm.
func (x *oneLaws) mean(class int, variance float64) float64 {
	from, to := lawsOf(class)
	logV := math.Log(variance)
	top, sum, count := math.Inf(-1), 0.0, 0
	for h := from; h < to; h++ {
		if math.IsNaN(x.rest[h]) {
			continue
		}
		count++
		switch v := x.like(h, class, variance, logV); {
		case v > top:
			sum = sum*math.Exp(top-v) + 1
			top = v
		case v > top-12: // the rest adds less than 1 in 500
			sum += math.Exp(v - top)
		}
	}
	return top + math.Log(sum/float64(max(count, 1)))
}
