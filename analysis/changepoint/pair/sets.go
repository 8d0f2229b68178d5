package pair

import (
	"math"
	"slices"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/internal/robust"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

// mostOfSet is the most runs of a set that are compared: of more, that number is taken evenly from the sorted
// values, which keeps the ranks.
const mostOfSet = 1000

// CompareSets compares two sets of runs that nothing pairs: the median of all ratios b/a with the interval that belongs
// to the rank-sum test, exact for few. Sets too few for any difference to be significant give no interval and no p, but
// a note. It assumes that the sets differ in level only and that their runs are independent: unlike pairs, it cannot
// detect that the machine was slow while one of the sets ran.
func CompareSets(a, b changepoint.Series) Comparison {
	c := newComparison(setLevel)
	xa, xb := usableLogs(&a), usableLogs(&b)
	c.Used = len(xa) + len(xb)
	c.Dropped = len(a.Y) + len(b.Y) - c.Used
	xa, xb = thinOut(xa), thinOut(xb)
	if len(xa) == 0 || len(xb) == 0 {
		c.Notes = append(c.Notes, note.New(note.TooFewSets, "the two series are not compared: the first has %d runs "+
			"that can be used, the second %d: add runs, 4 of each are enough", len(xa), len(xb)))
		return c
	}
	shift, lo, hi, ok := robust.Shift(xa, xb, c.Level)
	p := robust.RankSum(xa, xb)
	if !ok {
		rel := quantity.PercentOfLogs(shift)
		c.RelativePct = &rel
		c.Notes = append(c.Notes, note.New(note.TooFewSets,
			"%d and %d runs are too few for any difference to be significant at %.2g: add runs, 4 of each are enough",
			len(xa), len(xb), 1-c.Level))
		more := max(4-min(len(xa), len(xb)), 1)
		c.Need = &more
		return c
	}
	c.figures(shift, lo, hi, p)
	// Spread of one run of each: both sets add to the uncertainty.
	c.setNeed(math.Hypot(robust.MAD(xa), robust.MAD(xb)), min(len(xa), len(xb)))
	return c
}

// usableLogs returns the logarithms of the usable runs of a series.
func usableLogs(s *changepoint.Series) []float64 {
	var x []float64
	for i, y := range s.Y {
		if s.Usable(i) {
			x = append(x, math.Log(y))
		}
	}
	return x
}

// thinOut returns the values in ascending order, at most mostOfSet of them, evenly taken.
func thinOut(x []float64) []float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	if len(s) <= mostOfSet {
		return s
	}
	t := make([]float64, mostOfSet)
	for i := range t {
		t[i] = s[(2*i+1)*len(s)/(2*mostOfSet)]
	}
	return t
}
