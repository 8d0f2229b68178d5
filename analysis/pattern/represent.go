package pattern

import (
	"math"
	"slices"
	"strconv"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// maxPoints bounds the length of a shape: it is drawn, not computed with.
const maxPoints = 512

// maxInstances bounds how many instances the shape is taken from, spread over
// the run: the 10th and 90th percentile of 2000 are certain to 1.3 percent
// points, and a day of 50 ms iterations has two million.
const maxInstances = 2000

// Represent returns the pattern of every period, in the same order.
func Represent(set series.Set, periods []periodicity.Period) []Pattern {
	out := make([]Pattern, 0, len(periods))
	for i, p := range periods {
		q := Pattern{
			ID:            id(i),
			Column:        p.Column,
			PeriodS:       p.PeriodS,
			PeriodLoS:     p.LoS,
			PeriodHiS:     p.HiS,
			PeriodSamples: p.PeriodSamples,
			PeriodCV:      p.PeriodCV,
			Confidence:    p.Confidence,
			Coverage:      p.Coverage,
			Instances:     len(p.Instances),
			Values:        series.Values{},
			P10:           series.Values{},
			P90:           series.Values{},
			Regions:       p.Regions,
		}
		some := spread(p.Instances)
		if c, ok := carrier(set, p.Column, some, points(p)); ok {
			q.ValuesColumn, q.ValuesUnit = c.Name, c.Unit
			q.Values, q.P10, q.P90 = shape(c.Values, some, points(p))
		}
		out = append(out, q)
	}
	return out
}

// id returns A, B, ... Z, then P27 and so on.
func id(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return "P" + strconv.Itoa(i+1)
}

func points(p periodicity.Period) int {
	return min(max(int(math.Round(p.PeriodSamples)), 1), maxPoints)
}

func spread(in []periodicity.Instance) []periodicity.Instance {
	if len(in) <= maxInstances {
		return in
	}
	out := make([]periodicity.Instance, maxInstances)
	for i := range out {
		out[i] = in[i*len(in)/maxInstances]
	}
	return out
}

// carrier returns the column of that name, or of the group of that name the one
// whose mean shape varies most.
func carrier(set series.Set, name string, in []periodicity.Instance, n int) (series.Column, bool) {
	if c, ok := set.Column(name); ok && c.Group == "" {
		return c, true
	}
	var best series.Column
	most := -1.0
	for _, c := range set.Columns {
		if c.Group != name {
			continue
		}
		mean := meanShape(c.Values, in, n)
		m, sd := robust.Mean(mean)
		// The mean over k instances still varies by the noise: m/k for
		// counts. A hot page must not win by its noise alone.
		v := sd*sd - m/float64(max(1, len(in)))
		if v > most && !math.IsNaN(v) {
			most, best = v, c
		}
	}
	return best, best.Name != ""
}

// meanShape is the mean over the instances at each of n points, leaving out
// missing samples.
func meanShape(v series.Values, in []periodicity.Instance, n int) []float64 {
	sum, count := make([]float64, n), make([]float64, n)
	for _, i := range in {
		for k := range n {
			if y := at(v, i, k, n); !math.IsNaN(y) {
				sum[k] += y
				count[k]++
			}
		}
	}
	for k := range sum {
		sum[k] /= count[k]
	}
	return sum
}

// shape returns mean, 10th and 90th percentile over the instances.
func shape(v series.Values, in []periodicity.Instance, n int) (mean, p10, p90 series.Values) {
	mean, p10, p90 = make(series.Values, n), make(series.Values, n), make(series.Values, n)
	vals := make([]float64, 0, len(in))
	for k := range n {
		vals = vals[:0]
		for _, i := range in {
			if y := at(v, i, k, n); !math.IsNaN(y) {
				vals = append(vals, y)
			}
		}
		slices.Sort(vals)
		m, _ := robust.Mean(vals)
		mean[k] = float32(m)
		p10[k] = float32(robust.SortedQuantile(vals, 0.1))
		p90[k] = float32(robust.SortedQuantile(vals, 0.9))
	}
	return mean, p10, p90
}

// at returns the value of an instance at point k of n, between two samples by
// linear interpolation; NaN if either is missing.
func at(v series.Values, in periodicity.Instance, k, n int) float64 {
	u := (float64(k)+0.5)*float64(in.Length)/float64(n) - 0.5
	i := int(math.Floor(u))
	f := u - float64(i)
	a := clampIndex(in.First+i, in, len(v))
	b := clampIndex(in.First+i+1, in, len(v))
	if a < 0 || b < 0 {
		return math.NaN()
	}
	if f < 1e-9 {
		return float64(v[a])
	}
	return float64(v[a])*(1-f) + float64(v[b])*f
}

// clampIndex keeps an index within its instance, or -1 outside the series.
func clampIndex(i int, in periodicity.Instance, n int) int {
	i = min(max(i, in.First), in.First+max(in.Length, 1)-1)
	if i < 0 || i >= n {
		return -1
	}
	return i
}
