package summary

import (
	"math"
	"slices"

	"jobgait/analysis/series"
)

// decimate reduces the named columns to at most bins bins. Smallest, mean and largest sample are kept, so that
// no peak is lost; a bin without samples is missing.
func decimate(set series.Set, names []string, bins int) Timeline {
	n := set.Len()
	t := Timeline{StartS: set.StartS, StepS: set.StepS, Columns: []TimelineColumn{}}
	if n == 0 || bins < 1 {
		return t
	}
	per := (n + bins - 1) / bins
	t.StepS = set.StepS * float64(per)
	seen := make(map[string]bool)
	for _, name := range names {
		c, ok := set.Column(name)
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		out := TimelineColumn{Name: c.Name, Unit: c.Unit, Scope: string(c.Scope)}
		for i := 0; i < n; i += per {
			lo, mean, hi := extent(c.Values[i:min(i+per, n)])
			out.Min = append(out.Min, lo)
			out.Mean = append(out.Mean, mean)
			out.Max = append(out.Max, hi)
		}
		t.Columns = append(t.Columns, out)
	}
	return t
}

// means reduces values to at most n means, each of per consecutive values of which the missing ones are left out. A
// mean is missing if all its values are.
func means(v series.Values, n int) (out series.Values, per int) {
	per = max(1, (len(v)+n-1)/n)
	for part := range slices.Chunk(v, per) {
		_, mean, _ := extent(part)
		out = append(out, mean)
	}
	return out, per
}

// extent returns the smallest, mean and largest of the samples that are not missing; missing values if all are.
func extent(v series.Values) (lo, mean, hi float32) {
	sum, n := 0.0, 0
	for _, x := range v {
		if math.IsNaN(float64(x)) {
			continue
		}
		if n == 0 || x < lo {
			lo = x
		}
		if n == 0 || x > hi {
			hi = x
		}
		sum += float64(x)
		n++
	}
	if n == 0 {
		return series.Missing(), series.Missing(), series.Missing()
	}
	return lo, float32(sum / float64(n)), hi
}
