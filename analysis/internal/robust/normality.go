package robust

import "math"

// Normality runs the test of D'Agostino and Pearson (1973): it returns the deviation of the skewness and
// kurtosis of x from those of a normal sample, as a chi-squared statistic with two degrees of freedom, and its
// p. It needs 8 values that are not all equal; with fewer than 20 p is inexact.
func Normality(x []float64) (statistic, p float64, ok bool) {
	n := float64(len(x))
	mean, _ := Mean(x)
	var m2, m3, m4 float64
	for _, v := range x {
		d := v - mean
		m2, m3, m4 = m2+d*d, m3+d*d*d, m4+d*d*d*d
	}
	if len(x) < 8 || !(m2 > 0) {
		return 0, 0, false
	}
	m2, m3, m4 = m2/n, m3/n, m4/n
	if m2*m2 == 0 || math.IsInf(m4, 0) {
		return 0, 0, false
	}
	statistic = math.Pow(skewnessZ(m3/math.Pow(m2, 1.5), n), 2) + math.Pow(kurtosisZ(m4/(m2*m2), n), 2)
	return statistic, math.Exp(-statistic / 2), !math.IsNaN(statistic)
}

// skewnessZ returns D'Agostino's transformation of a skewness to a normal variate.
func skewnessZ(skew, n float64) float64 {
	y := skew * math.Sqrt((n+1)*(n+3)/(6*(n-2)))
	beta := 3 * (n*n + 27*n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
	w2 := -1 + math.Sqrt(2*(beta-1))
	return math.Asinh(y/math.Sqrt(2/(w2-1))) / math.Sqrt(0.5*math.Log(w2))
}

// kurtosisZ returns the transformation of a kurtosis to a normal variate by Anscombe and Glynn.
func kurtosisZ(kurtosis, n float64) float64 {
	mean := 3 * (n - 1) / (n + 1)
	variance := 24 * n * (n - 2) * (n - 3) / ((n + 1) * (n + 1) * (n + 3) * (n + 5))
	x := (kurtosis - mean) / math.Sqrt(variance)
	beta := 6 * (n*n - 5*n + 2) / ((n + 7) * (n + 9)) * math.Sqrt(6*(n+3)*(n+5)/(n*(n-2)*(n-3)))
	a := 6 + 8/beta*(2/beta+math.Sqrt(1+4/(beta*beta)))
	t := (1 - 2/a) / (1 + x*math.Sqrt(2/(a-4)))
	return ((1 - 2/(9*a)) - math.Cbrt(t)) / math.Sqrt(2/(9*a))
}
