package changepoint

import (
	"math"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// splitScale estimates the noise of x around the medians of its two sides. The
// zeros that odd sides make at their own median are left out, or three runs
// against three would look quieter than they are.
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
	return robust.SD * robust.Middle(buf)
}

// belief is what is known of the noise before a window is looked at.
type belief struct{ s, weight float64 }

const (
	// memoryRuns before a regime tell of its noise, each worth memoryEach
	// observations (a difference knows less than a residual) and all at most
	// memoryCap.
	memoryRuns = 60
	memoryEach = 0.4
	memoryCap  = 10
)

// memory returns the belief of the noise at the start of a regime: that before any
// run blended with the difference scale of the runs before it. Noise is a
// property of machine and code, it is not forgotten when the level changes.
func memory(buf, before []float64) belief {
	b := belief{scatter.BelievedSD, scatter.BelievedRuns}
	before = before[max(0, len(before)-memoryRuns):]
	if len(before) < 5 {
		return b
	}
	m := memoryEach * float64(len(before)-1)
	d := scatter.OfSteps(buf, before)
	b.s = math.Sqrt((b.weight*b.s*b.s + m*d*d) / (b.weight + m))
	b.weight = min(b.weight+m, memoryCap)
	return b
}

// noise is that of runs x around two levels, the first for k of them, on top of
// what is believed.
func (l *loss) noise(x []float64, k int, left, right float64, b belief) float64 {
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

// farOut is how many scales from its level a run is left out of recent noise: it is an
// outlier even if the noise has grown fivefold.
const farOut = 16

// recent returns the noise that the newest runs and those on the right show, 0
// if too few: noise that grew must not be judged by what it was. Runs far from
// the medians of their sides are left out.
func (sc *scanner) recent(x []float64, k int, left, right, s float64) [2]float64 {
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
		if math.Abs(v-mu) < farOut*s {
			sc.near = append(sc.near, v)
		}
	}
	var f [2]float64
	if n >= 12 && len(sc.near)-late >= 6 {
		f[0] = scatter.OfSteps(sc.buf, sc.near[late:])
	}
	if len(sc.near)-split >= 6 {
		f[1] = scatter.OfSteps(sc.buf, sc.near[split:])
	}
	return f
}

// raise moves s half way (in variance) to each larger figure.
func raise(s float64, floor [2]float64) float64 {
	for _, f := range floor {
		if f > s {
			s = math.Sqrt((s*s + f*f) / 2)
		}
	}
	return max(s, scatter.Least)
}
