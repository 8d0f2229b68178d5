package robust

import "math"

// Spikes is the assumed distribution of logarithms: normal, and on either side a Share of spikes spread evenly
// over Range.
type Spikes struct{ Share, Range float64 }

// SpikedMean is the mean of the normal part with its standard error and degrees
// of freedom.
type SpikedMean struct{ Mean, SE, DF float64 }

// Mean estimates the mean of the normal part and its standard error by expectation maximisation, starting from the
// median and the MAD: values that fit the spikes better have less weight. DF is the effective number of values less
// one.
func (p Spikes) Mean(x []float64) SpikedMean {
	mu := Median(x)
	s := p.start(x, mu)
	info := 0.0
	for range 100 {
		kappa := p.Share * math.Sqrt(2*math.Pi) * s / ((1 - 2*p.Share) * p.Range)
		var sw, sum, squares float64
		info = 0
		for _, v := range x {
			z := (v - mu) / s
			e := math.Exp(-z * z / 2)
			w := e / (e + kappa)
			sw += w
			info += w * (1 - z*z*(1-w))
			sum += w * v
			squares += w * (v - mu) * (v - mu)
		}
		m := sum / sw
		next := math.Max(math.Sqrt(squares/math.Max(sw-1, .5)), flatSpread)
		done := math.Abs(m-mu) < 1e-9 && math.Abs(next-s) < 1e-6*s
		mu, s = m, next
		if done {
			break
		}
	}
	info = math.Max(info, 1)
	return SpikedMean{Mean: mu, SE: s / math.Sqrt(info), DF: math.Max(info-1, 1)}
}

// flatSpread is the spread that is assumed if all ratios are equal, in log units: that of a clock with a
// resolution of 1 ms over a run of 1000 s.
const flatSpread = 1e-6

// start returns the first estimate of the spread: the MAD about centre, corrected for few values; uncorrected it is 15
// % too low on average at five values, 5 % at fifteen. If more than half of the values are equal, it returns the
// standard deviation instead. The result is at least flatSpread.
func (p Spikes) start(x []float64, centre float64) float64 {
	d := make([]float64, len(x))
	for i, v := range x {
		d[i] = math.Abs(v - centre)
	}
	s := SD * Median(d) * (1 + .8/float64(len(x)))
	if s < flatSpread {
		// More than half are alike: the others say how alike.
		_, s = Mean(x)
	}
	return math.Max(s, flatSpread)
}
