package changepoint

import (
	"math"

	"jobgait/analysis/internal/robust"

	"gonum.org/v1/gonum/stat/distuv"
)

// pairNoise is what is assumed of log ratios: normal, and on either side a
// share of spikes spread evenly over a range of logarithms. Both sides are
// alike, because either run of a pair may be the one that was disturbed.
type pairNoise struct{ share, span float64 }

// mixtureMean is the mean of the normal part of x with its standard error and
// degrees of freedom.
type mixtureMean struct{ mean, se, df float64 }

// fit finds the mean and spread of the normal part by expectation and
// maximisation from the median and the MAD: values that fit the spikes better
// count less. The spread divides by the effective number less one.
func (p pairNoise) fit(x []float64) mixtureMean {
	mu := robust.Median(x)
	s := p.start(x, mu)
	info := 0.0
	for range 100 {
		kappa := p.share * math.Sqrt(2*math.Pi) * s / ((1 - 2*p.share) * p.span)
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
	return mixtureMean{mean: mu, se: s / math.Sqrt(info), df: math.Max(info-1, 1)}
}

// flatSpread stands for the spread of ratios that are all alike, in logarithms:
// a clock that ticks in 1 ms over a run of 1000 s.
const flatSpread = 1e-6

// start is the MAD about the median, corrected for few values: it is 15 % low
// on the average at five values, 5 % at fifteen.
func (p pairNoise) start(x []float64, centre float64) float64 {
	d := make([]float64, len(x))
	for i, v := range x {
		d[i] = math.Abs(v - centre)
	}
	s := 1.4826 * robust.Median(d) * (1 + .8/float64(len(x)))
	if s < flatSpread {
		// More than half are alike: the others say how alike.
		_, s = robust.Mean(x)
	}
	return math.Max(s, flatSpread)
}

// interval is the two-sided interval of the mean at the level; lost is how many
// more degrees of freedom are given up where values are few.
func (m mixtureMean) interval(level, lost float64) (lo, hi float64) {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: math.Max(m.df-lost, 1)}
	h := t.Quantile(.5+level/2) * m.se
	return m.mean - h, m.mean + h
}

// p is the two-sided chance of a mean this far from zero.
func (m mixtureMean) p(lost float64) float64 {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: math.Max(m.df-lost, 1)}
	return 2 * t.Survival(math.Abs(m.mean)/m.se)
}
