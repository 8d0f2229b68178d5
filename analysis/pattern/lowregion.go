package pattern

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

const (
	// minSeparation is the share of a shape's variance that its division into a low
	// and a high class explains: a sine has 0.81, three even levels 0.67. minDepth is
	// the step between them as a share of the high level. Below either there are no
	// low regions.
	minSeparation, minDepth = 0.5, 0.1
	// lowSamples and lowShare are the shortest low region, in samples and as a share
	// of the period.
	lowSamples, lowShare = 4, 0.02
	// MinRepeatability is the share of instances in which a low region has to be low.
	MinRepeatability = 0.5
)

// lowRegions returns the stretches of a shape at a low level, in the order of their offsets: below the middle
// of the two classes that its values divide into best. It leaves out short stretches and those that fewer than
// MinRepeatability of the instances in v show.
func lowRegions(shape, v series.Values, p periodicity.Period, stepS float64) []LowRegion {
	level, floor, top, ok := classes(shape)
	if !ok {
		return nil
	}
	n := len(shape)
	pointS := p.PeriodS / float64(n)
	atLeast := max(lowSamples*stepS, lowShare*p.PeriodS)
	some := evenlyChosen(p.Instances, maxSpread)
	var out []LowRegion
	for _, r := range stretchesBelow(shape, level) {
		l := LowRegion{OffsetS: float64(r.at) * pointS, DurationS: float64(r.n) * pointS, Above: top, Level: floor}
		if l.DurationS < atLeast {
			continue
		}
		l.Level = 0
		for k := range r.n {
			l.Level += float64(shape[(r.at+k)%n]) / float64(r.n)
		}
		l.setRepeatability(v, some, r, n, level, stepS)
		l.Share = l.DurationS / p.PeriodS * p.Coverage
		l.SecondsPerHour = 3600 * l.Share * l.Repeatability
		if l.Repeatability >= MinRepeatability {
			out = append(out, l)
		}
	}
	return out
}

// classes divides the values of a shape into a low and a high class and returns the middle between the two class means,
// and the means. A low class with more than half of the values is divided again. ok is false if a value is missing or
// infinite, if a division explains less than minSeparation of the variance, or if the step is below minDepth.
func classes(shape series.Values) (level, low, high float64, ok bool) {
	x := make([]float64, 0, len(shape))
	for _, v := range shape {
		if f := float64(v); !math.IsNaN(f) && !math.IsInf(f, 0) {
			x = append(x, f)
		}
	}
	if len(x) < len(shape) {
		return 0, 0, 0, false
	}
	slices.Sort(x)
	half := len(x) / 2
	for {
		k, share := divide(x)
		if k == 0 || share < minSeparation {
			return 0, 0, 0, false
		}
		low, _ = robust.Mean(x[:k])
		high, _ = robust.Mean(x[k:])
		if k <= half {
			return (low + high) / 2, low, high, high-low >= minDepth*math.Abs(high)
		}
		x = x[:k]
	}
}

// divide divides ascending values into a low and a high class by Otsu's method. k is the number of values in the low
// class, share the share of the variance that the division explains; both are 0 if all values are equal.
func divide(x []float64) (k int, share float64) {
	total := 0.0
	for _, v := range x {
		total += v
	}
	_, sd := robust.Mean(x)
	n, sum := float64(len(x)), 0.0
	for i := range len(x) - 1 {
		sum += x[i]
		m := float64(i + 1)
		step := (total-sum)/(n-m) - sum/m
		if between := m * (n - m) / (n * n) * step * step; between > share {
			k, share = i+1, between
		}
	}
	if variance := sd * sd * (n - 1) / n; variance > 0 {
		return k, share / variance
	}
	return 0, 0
}

// run is a stretch of a cyclic shape: n points from at on.
type run struct{ at, n int }

// stretchesBelow returns the stretches of a cyclic shape at or below a level, in the order of their first points. A
// single point above the level does not end one, and one may continue from the end of the shape to its beginning. It
// returns nil if the whole shape is below.
func stretchesBelow(shape series.Values, level float64) []run {
	n := len(shape)
	is := make([]bool, n)
	for i, v := range shape {
		is[i] = float64(v) <= level
	}
	for i := range is {
		if !is[i] && float64(shape[(i+n-1)%n]) <= level && float64(shape[(i+1)%n]) <= level {
			is[i] = true
		}
	}
	from := slices.Index(is, false)
	if from < 0 {
		return nil
	}
	var out []run
	for k := 0; k < n; {
		i := (from + k) % n
		if !is[i] {
			k++
			continue
		}
		r := run{at: i}
		for k < n && is[(from+k)%n] {
			r.n++
			k++
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b run) int { return a.at - b.at })
	return out
}

// setRepeatability sets Repeatability, the share of the instances whose mean in the region is at or below the level,
// and DurationSDS, the standard deviation of the region's length in these. v has the samples, r the region among the n
// points of the shape. Instances without samples there do not count.
func (l *LowRegion) setRepeatability(v series.Values, in []periodicity.Instance, r run, n int, level, stepS float64) {
	var lengths []float64
	low, seen := 0, 0
	for _, i := range in {
		scale := float64(i.Length) / float64(n)
		a := i.First + int(math.Round(float64(r.at)*scale))
		b := i.First + int(math.Round(float64(r.at+r.n)*scale))
		if a < 0 || b > len(v) || b <= a {
			continue
		}
		mean, m := 0.0, 0
		for _, y := range v[a:b] {
			if !series.IsMissing(y) {
				mean += float64(y)
				m++
			}
		}
		if m == 0 {
			continue
		}
		seen++
		if mean/float64(m) > level {
			continue
		}
		low++
		reach := (b-a)/2 + 1 // what is further off belongs to another region
		lengths = append(lengths, float64(lowAround(v, (a+b)/2, a-reach, b+reach, level))*stepS)
	}
	l.Repeatability = float64(low) / float64(max(1, seen))
	_, l.DurationSDS = robust.Mean(lengths)
}

// lowAround returns the length, in samples, of the stretch around sample i, within [lo, hi), that is at or below the
// level. Single samples above the level are bridged; sample i counts in any case.
func lowAround(v series.Values, i, lo, hi int, level float64) int {
	lo, hi = max(lo, 0), min(hi, len(v))
	high := func(k int) bool { return k < lo || k >= hi || !(float64(v[k]) <= level) }
	a, b := i, i
	for !high(a-1) || !high(a-2) {
		a--
	}
	for !high(b+1) || !high(b+2) {
		b++
	}
	return b - a + 1
}
