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

// pieceRuns is the number of runs whose normal parts are computed at once.
const pieceRuns = 32

// normalParts sets out[i] to the normal part exp(-z*z/2) of the likelihood of each of up to pieceRuns runs x around
// level mu, and to 0 for residuals beyond farAway. It computes what expOf computes, without a call for each run.
func (l *Loss) normalParts(out *[pieceRuns]float64, x []float64, mu float64) {
	x = x[:min(len(x), pieceRuns)]
	for i, v := range x {
		z := (mu - v) / l.Scale
		if math.Abs(z) > farAway {
			out[i] = 0
			continue
		}
		power := -z * z / 2
		shifted := power*perLn2 + roundToInt
		cells := shifted - roundToInt
		k := int64(math.Float64bits(shifted)<<13) >> 13
		r := (power - cells*ln2High) - cells*ln2Low
		rest := r + r*r*(1./2+r*(1./6+r*(1./24+r*(1./120))))
		t := expTable[k&(expCells-1)]
		out[i] = math.Float64frombits(math.Float64bits(t+t*rest) + uint64(k>>expLogTwo)<<52)
	}
}

// isAbove returns 1 for a run above level mu and 0 for one at or below it, without a branch: half of them would be
// predicted wrong.
func isAbove(v, mu float64) uint64 { return math.Float64bits(mu-v) >> 63 }

// Total returns the loss of x around level mu. Likelihoods are multiplied as
// long as that cannot underflow: a logarithm for each run was a third of all
// time.
func (l *Loss) Total(x []float64, mu float64) float64 {
	floor, zero, most := [2]float64{l.down, l.up}, [2]float64{l.zeroDown, l.zeroUp}, [2]float64{l.capDown, l.capUp}
	var normal [pieceRuns]float64
	sum, product, n := 0.0, 1.0, 0
	for len(x) > 0 {
		piece := x[:min(len(x), pieceRuns)]
		x = x[len(piece):]
		l.normalParts(&normal, piece, mu)
		for i, v := range piece {
			above := isAbove(v, mu)
			if normal[i] == 0 {
				sum += most[above]
				continue
			}
			sum += zero[above]
			product *= normal[i] + floor[above]
			if n++; n == 16 { // the floor is above 1e-7: not below 1e-112
				sum -= math.Log(product)
				product, n = 1, 0
			}
		}
	}
	return sum - math.Log(product)
}

// Descend returns the level of x that iterated weighted means reach from mu, and the sum of the weights: the
// effective number of runs at it.
func (l *Loss) Descend(x []float64, mu float64) (to, weight float64) {
	floor := [2]float64{l.down, l.up}
	var normal [pieceRuns]float64
	sw := 0.0
	for range 12 {
		sw = 0
		s := 0.0
		for rest := x; len(rest) > 0; {
			piece := rest[:min(len(rest), pieceRuns)]
			rest = rest[len(piece):]
			l.normalParts(&normal, piece, mu)
			for i, v := range piece {
				e := normal[i]
				w := e / (e + floor[isAbove(v, mu)])
				sw += w
				s += w * v
			}
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
