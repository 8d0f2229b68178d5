package changepoint

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"jobgait/analysis/internal/robust"
)

// MeanDifference is the difference between the mean logarithms of two levels without their outliers, as Student's
// pooled t-test compares them.
type MeanDifference struct {
	// Value is the second mean less the first, StandardError that of Value; both in log units.
	Value, StandardError float64
	DegreesOfFreedom     float64
}

// leastError is added to a standard error, in log units, so that levels without spread do not divide by zero, as in
// the report.
const leastError = 1e-8

// levelMoments is what the test needs of a level: mean, variance and number of values.
type levelMoments struct{ mean, variance, n float64 }

// CompareTrimmed compares levels a and b of at least two logarithms each. Variances divide by n-1 and counts are
// those of the values that Trimmed keeps, so that p values are those of the textbook.
func CompareTrimmed(a, b []float64) MeanDifference {
	return compareLevels(textbookMoments(a), textbookMoments(b))
}

// textbookMoments returns the moments of the values of x that Trimmed keeps, with divisor n-1.
func textbookMoments(x []float64) levelMoments {
	kept := Trimmed(x)
	mean, sd := robust.Mean(kept)
	return levelMoments{mean, sd * sd, float64(len(kept))}
}

// reportMoments returns the moments as the report's authors compute them: the variance divides by n, and the
// count is that before trimming. With three values against three, t is 22 % above the textbook's value, so that it has
// no p value; the report's algorithm decides by it.
func reportMoments(x []float64) levelMoments {
	kept := Trimmed(x)
	mean, sd := robust.Mean(kept)
	n := float64(len(kept))
	return levelMoments{mean, sd * sd * (n - 1) / n, float64(len(x))}
}

// compareLevels returns the difference of two levels with the pooled variance.
func compareLevels(a, b levelMoments) MeanDifference {
	df := a.n + b.n - 2
	pooled := (a.variance*(a.n-1) + b.variance*(b.n-1)) / df
	return MeanDifference{b.mean - a.mean, math.Sqrt(pooled * (1/a.n + 1/b.n)), df}
}

// T returns Student's statistic.
func (d MeanDifference) T() float64 { return d.Value / (d.StandardError + leastError) }

// PValue returns the two-sided p value, 0 where it is too small for a float64.
func (d MeanDifference) PValue() float64 {
	return 2 * d.distribution().Survival(math.Abs(d.T()))
}

// Interval returns the confidence interval of 95 %, in log units.
func (d MeanDifference) Interval() (lo, hi float64) {
	h := d.distribution().Quantile(.975) * d.StandardError
	return d.Value - h, d.Value + h
}

// distribution is that of T without a difference.
func (d MeanDifference) distribution() distuv.StudentsT {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: d.DegreesOfFreedom}
}
