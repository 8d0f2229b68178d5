// Package robust holds order statistics and intervals that the analyses share.
// Numbers come in, numbers go out; the input is never changed. An empty input
// has no statistic: the answer is NaN, which callers must not print.
package robust

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Quantile returns the q-quantile of x by linear interpolation between order statistics (type 7 of Hyndman
// and Fan). NaNs in x are left out; without other values the result is NaN.
func Quantile(x []float64, q float64) float64 {
	s := make([]float64, 0, len(x))
	for _, v := range x {
		if !math.IsNaN(v) {
			s = append(s, v)
		}
	}
	i, j, part := place(len(s), q)
	if j < 0 {
		return math.NaN()
	}
	Rank(s, j)
	if i < j {
		s[i] = slices.Max(s[:j])
	}
	return s[i] + part*(s[j]-s[i])
}

// place returns the ranks of n values between which the q-quantile lies, and its distance from the first, 0 to
// 1; -1 for no values.
func place(n int, q float64) (i, j int, part float64) {
	h := q * float64(n-1)
	i = min(max(int(h), 0), n-1)
	return i, min(i+1, n-1), h - float64(i)
}

// SortedQuantile returns the q-quantile of x, which must be ascending and without NaN.
func SortedQuantile(x []float64, q float64) float64 {
	i, j, part := place(len(x), q)
	if j < 0 {
		return math.NaN()
	}
	return x[i] + part*(x[j]-x[i])
}

// Median returns the median of x.
func Median(x []float64) float64 { return Quantile(x, 0.5) }

// MAD returns the median absolute deviation from the median, times 1.4826 so
// that it estimates the standard deviation of a normal sample.
func MAD(x []float64) float64 {
	_, mad := MedianAndMAD(x)
	return mad
}

// MedianAndMAD returns Median and MAD in less time than one after the other.
func MedianAndMAD(x []float64) (median, mad float64) {
	median = Median(x)
	d := make([]float64, len(x))
	for i, v := range x {
		d[i] = math.Abs(v - median)
	}
	return median, SD * Median(d)
}

// Mean returns the arithmetic mean and the sample standard deviation; the latter is 0 for fewer than two
// values, the mean of none is NaN.
func Mean(x []float64) (mean, sd float64) {
	if len(x) == 0 {
		return math.NaN(), 0
	}
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	if len(x) < 2 {
		return mean, 0
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(sd / float64(len(x)-1))
}

// MeanInterval returns the mean of x and its confidence interval by Student's
// t at the given level (0.95). With fewer than two values both ends are the mean.
func MeanInterval(x []float64, level float64) (mean, lo, hi float64) {
	mean, sd := Mean(x)
	if len(x) < 2 {
		return mean, mean, mean
	}
	n := float64(len(x))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.5 + level/2)
	h := t * sd / math.Sqrt(n)
	return mean, mean - h, mean + h
}
