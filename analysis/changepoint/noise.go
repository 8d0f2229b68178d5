package changepoint

import (
	"math"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// splitScale estimates the noise of x, in log units, around the medians of its first k runs and of the others.
// The zeros that odd sides make at their own median are left out, or three runs against three would look
// quieter than they are.
func splitScale(buf, x []float64, k int, left, right float64) float64 {
	buf = buf[:0]
	for i, v := range x {
		if i < k {
			buf = append(buf, math.Abs(v-left))
		} else {
			buf = append(buf, math.Abs(v-right))
		}
	}
	if zeros := k%2 + (len(x)-k)%2; zeros < len(buf) {
		robust.Rank(buf, zeros)
		buf = buf[zeros:]
	}
	return robust.SD * robust.MedianInPlace(buf)
}

// noisePrior is the prior of the noise of a window: its standard deviation s, in log units, and its weight in
// observations.
type noisePrior struct{ s, weight float64 }

const (
	// The noise prior of a regime comes from the memoryRuns runs before it. Each counts as memoryEach
	// observations, because a difference of two runs has less information than a residual, and all together as at
	// most memoryCap.
	memoryRuns = 60
	memoryEach = 0.4
	memoryCap  = 10
)

// priorNoise returns the prior of the noise at the start of a regime: the general prior combined with the
// differences between consecutive runs before it. Noise is a property of machine and code, it is not forgotten
// when the level changes.
func priorNoise(buf, before []float64) noisePrior {
	b := noisePrior{scatter.PriorSD, scatter.PriorRuns}
	before = before[max(0, len(before)-memoryRuns):]
	if len(before) < 5 {
		return b
	}
	m := memoryEach * float64(len(before)-1)
	d := scatter.NoiseOfSteps(buf, before)
	b.s = math.Sqrt((b.weight*b.s*b.s + m*d*d) / (b.weight + m))
	b.weight = min(b.weight+m, memoryCap)
	return b
}

// noiseAround returns the noise of runs x around two levels, left for the first k of them, combined with prior
// b.
func (l *loss) noiseAround(x []float64, k int, left, right float64, b noisePrior) float64 {
	ss, sw := 0.0, 0.0
	for q, v := range x {
		r := v - left
		if q >= k {
			r = v - right
		}
		w := l.Weight(r)
		ss += w * r * r
		sw += w
	}
	return math.Sqrt((b.weight*b.s*b.s + ss) / (b.weight + max(sw-2, 0.5)))
}

// maxScales is the distance from its level, in scales of the noise, above which a run is left out of recent
// noise: it is an outlier even if the noise has grown fivefold.
const maxScales = 16

// recentNoise returns the noise of the newest runs and of those on the right, 0 if they are too few: noise that
// has grown must not be underestimated. Runs far from the medians of their sides are left out.
func (sc *scanner) recentNoise(x []float64, k int, left, right, s float64) [2]float64 {
	n := len(x)
	sc.near = sc.near[:0]
	late := 0 // of those kept, the first of the newest 12
	split := 0
	for q, v := range x {
		mu := left
		if q >= k {
			mu = right
		}
		if q == n-12 {
			late = len(sc.near)
		}
		if q == k {
			split = len(sc.near)
		}
		if math.Abs(v-mu) < maxScales*s {
			sc.near = append(sc.near, v)
		}
	}
	var f [2]float64
	if n >= 12 && len(sc.near)-late >= 6 {
		f[0] = scatter.NoiseOfSteps(sc.buf, sc.near[late:])
	}
	if len(sc.near)-split >= 6 {
		f[1] = scatter.NoiseOfSteps(sc.buf, sc.near[split:])
	}
	return f
}

// raiseNoise raises s half way, in variance, to each of the two figures that is larger; at least scatter.LeastNoise.
func raiseNoise(s float64, floor [2]float64) float64 {
	for _, f := range floor {
		if f > s {
			s = math.Sqrt((s*s + f*f) / 2)
		}
	}
	return max(s, scatter.LeastNoise)
}
