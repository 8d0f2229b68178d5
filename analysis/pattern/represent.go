package pattern

import (
	"math"
	"slices"
	"strconv"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

const (
	// storedPoints is the most points of a shape that is stored and drawn.
	storedPoints = 512
	// maxInstances is the most instances, distributed over the run, that are averaged: a day of 50 ms iterations
	// has two million. maxSpread is that for the percentiles: the 10th of 256 is certain to two percentage points.
	maxInstances, maxSpread = 2000, 256
)

// Represent returns the pattern of every period, in the same order, with shapes as
// they are stored.
func Represent(set series.Set, periods []periodicity.Period) []Pattern {
	return RepresentAt(set, periods, storedPoints)
}

// RepresentAt is Represent with shapes of at most maxPoints points; 0 keeps one point per sample.
func RepresentAt(set series.Set, periods []periodicity.Period, maxPoints int) []Pattern {
	out := make([]Pattern, 0, len(periods))
	for i, p := range periods {
		q := Pattern{
			ID:        id(i),
			Column:    p.Column,
			Kind:      p.Kind,
			Axis:      p.Axis,
			Timing:    p.WithMean(),
			CPUS:      p.CPUS,
			Instances: len(p.Instances),
			Values:    series.Values{},
			P10:       series.Values{},
			P90:       series.Values{},
			Regions:   p.Regions,
		}
		n := max(int(math.Round(p.PeriodSamples)), 1)
		if maxPoints > 0 {
			n = min(n, maxPoints)
		}
		if c, ok := carrier(set, p.Column, evenlyChosen(p.Instances, maxInstances), n); ok {
			q.ValuesColumn, q.ValuesUnit = c.Name, c.Unit
			q.draw(c, p, n, set.StepS)
		}
		out = append(out, q)
	}
	return out
}

// draw sets the values and the percentiles at n points, from the column that carries the pattern, and with them WGSS,
// Aligned and Low. Instances are aligned first if needsAlignment says so. stepS is the length of a sample in seconds.
func (q *Pattern) draw(c series.Column, p periodicity.Period, n int, stepS float64) {
	g, ok := newGroup(c, p)
	if ok && g.needsAlignment() {
		q.Values, q.P10, q.P90 = g.average(n)
	} else {
		q.Values = toValues(meanShape(c.Values, evenlyChosen(p.Instances, maxInstances), n))
		q.P10, q.P90 = percentiles(c.Values, evenlyChosen(p.Instances, maxSpread), n)
	}
	if ok {
		q.WGSS, q.Aligned = g.wgss(q.Values, len(p.Instances)), len(g.items)
	}
	q.Low = lowRegions(q.Values, c.Values, p, stepS)
}

// Averaged returns the pattern with the given values, the barycentre average of the paper's method, and their
// within-group sum of squares.
func (q Pattern) Averaged(values []float64, wgss float64) Pattern {
	q.Values, q.WGSS, q.Aligned = toValues(values), wgss, q.Instances
	return q
}

// id returns the id of pattern number i: A, B, ... Z, then P27 and so on.
func id(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return "P" + strconv.Itoa(i+1)
}

// evenlyChosen returns at most limit instances, evenly chosen.
func evenlyChosen(in []periodicity.Instance, limit int) []periodicity.Instance {
	if len(in) <= limit {
		return in
	}
	out := make([]periodicity.Instance, limit)
	for i := range out {
		out[i] = in[i*len(in)/limit]
	}
	return out
}

// carrier returns the column from which a pattern's shape is drawn: that of the given name or, of the columns of the
// group of that name, the one whose mean shape over the instances varies most beyond counting noise. If the set has a
// single column it returns that, whatever its name. It returns false if none exists.
func carrier(set series.Set, name string, in []periodicity.Instance, n int) (series.Column, bool) {
	if len(set.Columns) == 1 {
		return set.Columns[0], true
	}
	if c, ok := set.Column(name); ok && c.Group == "" {
		return c, true
	}
	var best series.Column
	highest := -1.0
	for _, c := range set.Columns {
		if c.Group != name {
			continue
		}
		mean := meanShape(c.Values, in, n)
		m, sd := robust.Mean(mean)
		// The mean over k instances still varies by the noise: m/k for
		// counts. A hot page must not win by its noise alone.
		v := sd*sd - m/float64(max(1, len(in)))
		if v > highest && !math.IsNaN(v) {
			highest, best = v, c
		}
	}
	return best, best.Name != ""
}

// meanShape returns the mean over the instances at each of n points of a cycle; missing samples are left out, and a
// point without samples is NaN.
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

// percentiles returns the 10th and the 90th percentile over the instances at each of n points of a cycle; missing
// samples are left out.
func percentiles(v series.Values, in []periodicity.Instance, n int) (p10, p90 series.Values) {
	p10, p90 = make(series.Values, n), make(series.Values, n)
	vals := make([]float64, 0, len(in))
	for k := range n {
		vals = vals[:0]
		for _, i := range in {
			if y := at(v, i, k, n); !math.IsNaN(y) {
				vals = append(vals, y)
			}
		}
		p10[k], p90[k] = percentilePair(vals)
	}
	return p10, p90
}

// percentilePair returns the 10th and 90th percentile of vals, which it sorts.
func percentilePair(vals []float64) (lo, hi float32) {
	slices.Sort(vals)
	return float32(robust.SortedQuantile(vals, 0.1)), float32(robust.SortedQuantile(vals, 0.9))
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

// toValues converts x to single precision.
func toValues(x []float64) series.Values {
	out := make(series.Values, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}
