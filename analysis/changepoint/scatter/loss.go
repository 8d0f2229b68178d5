package scatter

import "math"

// Outliers holds the expected shares of runs far above and below their level, spread over one log unit.
type Outliers struct{ Up, Down float64 }

// RunTimeOutliers returns the expected outliers of run times: 6 % slow and 1 % fast.
func RunTimeOutliers() Outliers { return Outliers{Up: 0.06, Down: 0.01} }

// Loss is the negative log likelihood of a residual, 0 at its best: a normal of
// scale Scale in a floor of outliers that is higher above than below. It is bounded
// (5.7 nats up and 7.5 down at 0.02), so one outlier costs a constant while
// three runs that agree on a new level cost three times as much.
type Loss struct {
	Scale    float64
	up, down float64 // floor relative to the peak of the normal
	zeroUp   float64
	zeroDown float64
	capUp    float64
	capDown  float64
}

// Loss returns the loss function for noise of scale s, in log units.
func (o Outliers) Loss(s float64) Loss {
	floor := math.Sqrt(2*math.Pi) * s / (1 - o.Up - o.Down)
	l := Loss{Scale: s, up: o.Up * floor, down: o.Down * floor}
	l.zeroUp, l.zeroDown = math.Log1p(l.up), math.Log1p(l.down)
	l.capUp, l.capDown = l.zeroUp-math.Log(l.up), l.zeroDown-math.Log(l.down)
	return l
}

// farAway is the residual, in scales, above which the normal part is neglected: exp(-32) is far below either
// floor.
const farAway = 8

// Floor returns the likelihood of residual r as an outlier, relative to the peak of the normal.
func (l *Loss) Floor(r float64) float64 {
	if r > 0 {
		return l.up
	}
	return l.down
}

// Cost returns the loss of residual r in nats.
func (l *Loss) Cost(r float64) float64 {
	z := r / l.Scale
	if z > farAway {
		return l.capUp
	} else if z < -farAway {
		return l.capDown
	}
	e := expOf(-z * z / 2)
	if r > 0 {
		return l.zeroUp - math.Log(e+l.up)
	}
	return l.zeroDown - math.Log(e+l.down)
}

// Likelihood returns exp(-Cost(r)).
func (l *Loss) Likelihood(r float64) float64 {
	floor := l.Floor(r)
	z := r / l.Scale
	if z > farAway || z < -farAway {
		return floor / (1 + floor)
	}
	return (expOf(-z*z/2) + floor) / (1 + floor)
}

// Weight returns the share of the normal in the likelihood of residual r: 1 for
// a run at the level, 0 for an outlier.
func (l *Loss) Weight(r float64) float64 {
	z := r / l.Scale
	if z > farAway || z < -farAway {
		return 0
	}
	e := expOf(-z * z / 2)
	if r > 0 {
		return e / (e + l.up)
	}
	return e / (e + l.down)
}

// Total returns the loss of x around level mu. Likelihoods are multiplied as
// long as that cannot underflow: a logarithm for each run was a third of all
// time.
func (l *Loss) Total(x []float64, mu float64) float64 {
	sum, product, n := 0.0, 1.0, 0
	for _, v := range x {
		r := v - mu
		switch z := r / l.Scale; {
		case z > farAway:
			sum += l.capUp
		case z < -farAway:
			sum += l.capDown
		case r > 0:
			sum += l.zeroUp
			product *= expOf(-z*z/2) + l.up
			n++
		default:
			sum += l.zeroDown
			product *= expOf(-z*z/2) + l.down
			n++
		}
		if n == 16 { // the floor is above 1e-7: not below 1e-112
			sum -= math.Log(product)
			product, n = 1, 0
		}
	}
	return sum - math.Log(product)
}

// Descend returns the level of x that iterated weighted means reach from mu, and the sum of the weights: the
// effective number of runs at it.
func (l *Loss) Descend(x []float64, mu float64) (to, weight float64) {
	sw := 0.0
	for range 12 {
		sw = 0
		s := 0.0
		for _, v := range x {
			w := l.Weight(v - mu)
			sw += w
			s += w * v
		}
		if sw < 1e-6 {
			break
		}
		last := mu
		mu = s / sw
		if math.Abs(mu-last) < 1e-3*l.Scale {
			break
		}
	}
	return mu, sw
}
