// Package evidence holds the two curves with which the Albany Land-Ice report
// lets people look behind a verdict: how strongly each split of a window speaks
// for a change there (its figure 2), and whether the logarithms of the times are
// as normal as its test assumes (its section 2). Values come in, curves go out.
//
// They are pictures, not verdicts: the curve tries every split and corrects for
// that by the threshold only, and a change that was found does not need a peak
// above it (nor is each peak above it one: see package changepoint).
package evidence

import (
	"math"
	"slices"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/internal/robust"

	"gonum.org/v1/gonum/stat/distuv"
)

// maxEvidence limits the evidence: a smaller p cannot be represented.
const maxEvidence = 300

// Splits returns for each split of times the evidence for two levels: -log10 of the p value, 0 to maxEvidence, of a
// pooled two-sample t test of the logarithms before and after the split, trimmed as in the report's test. Entry i is
// for a new level from times[i] on; entries without two values on both sides are NaN. No time may be missing.
func Splits(times []float64) []float64 {
	out, x := make([]float64, len(times)), make([]float64, len(times))
	for i, t := range times {
		x[i] = math.Log(t)
	}
	for i := range out {
		out[i] = math.NaN()
		if i >= 2 && i+2 <= len(x) {
			p := changepoint.CompareTrimmed(x[:i], x[i:]).PValue()
			out[i] = math.Max(0, math.Min(maxEvidence, -math.Log10(p)))
		}
	}
	return out
}

// Threshold returns the evidence that a split of n values needs at level alpha if each split is one of n-1
// tests (Bonferroni), as in the report's figure.
func Threshold(n int, alpha float64) float64 {
	return -math.Log10(alpha / math.Max(1, float64(n-1)))
}

// Residuals returns the logarithms of the runs less the mean logarithm of their
// regime, in units of its standard deviation, ascending. Outliers and missing
// values are left out, and regimes of fewer than five runs: their spread is no
// yardstick.
func Residuals(y []float64, regimes []changepoint.Regime, outliers []int) []float64 {
	odd := make(map[int]bool, len(outliers))
	for _, k := range outliers {
		odd[k] = true
	}
	const fewest = 5
	var out []float64
	for _, g := range regimes {
		var x []float64
		for k := max(0, g.First); k <= g.Last && k < len(y); k++ {
			if y[k] > 0 && !math.IsInf(y[k], 0) && !odd[k] {
				x = append(x, math.Log(y[k]))
			}
		}
		mean, sd := robust.Mean(x)
		if len(x) < fewest || !(sd > 0) {
			continue
		}
		for _, v := range x {
			out = append(out, (v-mean)/sd)
		}
	}
	slices.Sort(out)
	return out
}

// Normal returns the expected values of n sorted normal numbers, in standard deviations: the other axis of a
// normal plot.
func Normal(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = distuv.UnitNormal.Quantile((float64(i) + 0.625) / (float64(n) + 0.25))
	}
	return out
}

// Normality returns the p value of the report's test of normality; false for fewer than 20 residuals.
func Normality(residuals []float64) (p float64, ok bool) {
	const fewest = 20 // below it the test's p is rough
	if len(residuals) < fewest {
		return 0, false
	}
	_, p, ok = robust.Normality(residuals)
	return p, ok
}
