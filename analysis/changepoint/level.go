package changepoint

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
)

// loss is the negative log likelihood of a residual, 0 at its best: a normal of
// scale s in a floor of outliers that is higher above than below. It is bounded
// (5.7 nats up and 7.5 down at s = 0.02), so one outlier costs a constant while
// three runs that agree on a new level cost three times as much.
type loss struct {
	s        float64
	up, down float64 // floor relative to the peak of the normal
	zeroUp   float64
	zeroDown float64
	capUp    float64
	capDown  float64
}

func newLoss(s float64, p Params) loss {
	floor := math.Sqrt(2*math.Pi) * s / ((1 - p.OutlierUp - p.OutlierDown) * p.OutlierRange)
	l := loss{s: s, up: p.OutlierUp * floor, down: p.OutlierDown * floor}
	l.zeroUp, l.zeroDown = math.Log1p(l.up), math.Log1p(l.down)
	l.capUp, l.capDown = l.zeroUp-math.Log(l.up), l.zeroDown-math.Log(l.down)
	return l
}

// farAway is the residual in scales beyond which the normal no longer counts:
// exp(-32) is far below either floor.
const farAway = 8

// cost returns the loss of residual r.
func (l *loss) cost(r float64) float64 {
	z := r / l.s
	if z > farAway {
		return l.capUp
	} else if z < -farAway {
		return l.capDown
	}
	e := math.Exp(-z * z / 2)
	if r > 0 {
		return l.zeroUp - math.Log(e+l.up)
	}
	return l.zeroDown - math.Log(e+l.down)
}

// likelihood is exp(-cost).
func (l *loss) likelihood(r float64) float64 {
	floor := l.down
	if r > 0 {
		floor = l.up
	}
	z := r / l.s
	if z > farAway || z < -farAway {
		return floor / (1 + floor)
	}
	return (math.Exp(-z*z/2) + floor) / (1 + floor)
}

// weight returns the share of the normal in the likelihood of residual r: 1 for
// a run at the level, 0 for an outlier.
func (l *loss) weight(r float64) float64 {
	z := r / l.s
	if z > farAway || z < -farAway {
		return 0
	}
	e := math.Exp(-z * z / 2)
	if r > 0 {
		return e / (e + l.up)
	}
	return e / (e + l.down)
}

// total returns the loss of x around level mu. Likelihoods are multiplied as
// long as that cannot underflow: a logarithm for each run was a third of all
// time.
func (l *loss) total(x []float64, mu float64) float64 {
	sum, product, n := 0.0, 1.0, 0
	for _, v := range x {
		r := v - mu
		switch z := r / l.s; {
		case z > farAway:
			sum += l.capUp
		case z < -farAway:
			sum += l.capDown
		case r > 0:
			sum += l.zeroUp
			product *= math.Exp(-z*z/2) + l.up
			n++
		default:
			sum += l.zeroDown
			product *= math.Exp(-z*z/2) + l.down
			n++
		}
		if n == 16 { // the floor is above 1e-7: not below 1e-112
			sum -= math.Log(product)
			product, n = 1, 0
		}
	}
	return sum - math.Log(product)
}

// level is a fitted height: its loss and how many runs carry it.
type level struct{ mu, cost, weight float64 }

// from returns the level that weighted means reach from mu.
func (l *loss) from(x []float64, mu float64) level {
	mu, sw := l.descend(x, mu)
	return level{mu, l.total(x, mu), sw}
}

// descend is from without the loss.
func (l *loss) descend(x []float64, mu float64) (to, weight float64) {
	sw := 0.0
	for range 12 {
		sw = 0
		s := 0.0
		for _, v := range x {
			w := l.weight(v - mu)
			sw += w
			s += w * v
		}
		if sw < 1e-6 {
			break
		}
		last := mu
		mu = s / sw
		if math.Abs(mu-last) < 1e-3*l.s {
			break
		}
	}
	return mu, sw
}

// fit returns the cheapest level of x. Short pieces start at every run; long
// ones at the median and the lower quartile, because most outliers are slow.
// sorted is x with these ranks in place (ranked).
func (l *loss) fit(x, sorted []float64) level {
	mid := middle(sorted)
	best := l.from(x, mid)
	try := func(mu float64) {
		if v := l.from(x, mu); v.cost < best.cost-1e-9 {
			best = v
		}
	}
	if len(x) <= robust.FewToSort {
		for q, mu := range sorted {
			if mu != mid && (q == 0 || mu != sorted[q-1]) { // else the same again
				try(mu)
			}
		}
	} else {
		try(sorted[len(sorted)/4])
	}
	return best
}

// ascending returns x sorted in buf.
func ascending(buf, x []float64) []float64 {
	buf = append(buf[:0], x...)
	slices.Sort(buf)
	return buf
}
