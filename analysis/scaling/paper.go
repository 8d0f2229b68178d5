package scaling

import "math"

// The constants of the paper, section 3.1.
const (
	paperWindow  = 5   // points in a subset
	paperLeast   = 6   // below it there is one window and nothing to compare
	paperTheta   = 0.5 // absolute nRSS above which the data are segmented
	paperOne     = 0.1 // nRSS above which one window is heterogeneous
	paperEpsilon = 4   // relative nRSS above which the data are segmented
	// paperEta keeps the ratio finite; the paper names no value. Its 5e18 in
	// Table 1 would take an nRSS of 3.5e-20, less than floats give.
	paperEta = 1e-16
)

// verdict is the result of the paper's method: whether the points are segmented, and where.
type verdict struct {
	segmented bool
	changes   []Change // ascending
	located   bool     // every change that was detected has a place
}

// paperWindows returns the model and nRSS of every window of five: one term of
// the twenty, the one with the least residual sum of squares in sample. This
// reading reproduces the paper's Table 1; leave-one-out errors do not.
func paperWindows(p, y []float64) (models []Model, nrss []float64) {
	b := newBasis(paperPairs(), p)
	for first := 0; first+paperWindow <= len(p); first++ {
		m, rss := b.oneTerm(y, first, first+paperWindow-1)
		mean := 0.0
		for _, v := range y[first : first+paperWindow] {
			mean += v / paperWindow
		}
		models = append(models, m)
		nrss = append(nrss, math.Sqrt(rss)/math.Max(math.Abs(mean), math.SmallestNonzeroFloat64))
	}
	return models, nrss
}

// paperRatios returns the relative nRSS of the paper: ratio i is that of window i+1 over window i. The last
// window has none.
func paperRatios(nrss []float64) []float64 {
	var ratios []float64
	for i := 0; i+1 < len(nrss); i++ {
		ratios = append(ratios, nrss[i+1]/(nrss[i]+paperEta))
	}
	return ratios
}

// paperSegmented applies the rule of section 3.1: it reports whether the windows' nRSS show more than one law.
// The paper's "applied only when 0.1 <= nRSS <= 0.5" does not say to which nRSS. Here it applies to the second
// window of the ratio. Applied to the largest nRSS instead, it gives 7 to 12 % false positives at 10 and 15 %
// noise; without it there are up to 35 %.
func paperSegmented(nrss []float64) bool {
	for _, e := range nrss {
		if e > paperTheta {
			return true
		}
	}
	for i, eps := range paperRatios(nrss) {
		if eps > paperEpsilon && nrss[i+1] >= paperOne && nrss[i+1] <= paperTheta {
			return true
		}
	}
	return false
}

// segmentPaper finds the changes by section 3 of the paper; p must be ascending. With fewer than paperLeast points the
// series is not segmented.
func segmentPaper(p, y []float64) verdict {
	v := verdict{located: true}
	if len(p) < paperLeast {
		return v
	}
	_, nrss := paperWindows(p, y)
	v.segmented = paperSegmented(nrss)
	v.recurse(p, nrss, 0, len(p)-1)
	return v
}

// recurse adds the changes among points first..last to v, in ascending order. It divides the points at the first change
// and continues in both parts. If a part has more than one law but the change cannot be located, it sets located to
// false. nrss has the nRSS of every window of the whole series.
func (v *verdict) recurse(p, nrss []float64, first, last int) {
	if last-first+1 < paperLeast {
		return
	}
	part := nrss[first : last-paperWindow+2]
	if !paperSegmented(part) {
		return
	}
	start, ones := locatingOnes(part)
	if ones == 0 {
		v.located = false
		return
	}
	// The second window of the pattern is start+1; its third point is this one.
	third := first + start + 1 + 2
	if ones == 3 {
		common := p[third]
		v.recurse(p, nrss, first, third)
		v.changes = append(v.changes, Change{Cut: third, Lo: third, Hi: third + 1, Common: &common})
		v.recurse(p, nrss, third, last)
		return
	}
	v.recurse(p, nrss, first, third)
	v.changes = append(v.changes, Change{Cut: third + 1, Lo: third + 1, Hi: third + 1})
	v.recurse(p, nrss, third+1, last)
}

// locatingOnes returns the start and the length of the first run of windows whose nRSS exceeds paperOne ("ones"), if
// each such run has three or four windows: each is a change then. Otherwise ones is 0: the paper does not say what
// other lengths mean (2 to 5 % of detections on p = 1..10, 37 to 47 % on powers of two).
func locatingOnes(nrss []float64) (start, ones int) {
	for i := 0; i < len(nrss); {
		j := i
		for j < len(nrss) && nrss[j] > paperOne {
			j++
		}
		switch j - i {
		case 0:
		case 3, 4:
			if ones == 0 {
				start, ones = i, j-i
			}
		default:
			return 0, 0
		}
		i = j + 1
	}
	return start, ones
}

// modelPaper fits the model of the paper (method Paper) to the values y at p: a constant plus the term, of the
// twenty of paperPairs, with the least residual sum of squares. If no term can be fitted or the term is
// negligible, the model is a constant. parameter is the name of p. It returns nil for fewer than leastForModel
// points or if a number overflows.
func modelPaper(parameter string, p, y []float64) *Model {
	if len(p) < leastForModel {
		return nil
	}
	m, rss := newBasis(paperPairs(), p).oneTerm(y, 0, len(p)-1)
	if math.IsInf(rss, 1) || isNegligible(m, p, y) {
		m = constantModel(y)
	}
	return m.withErrors(parameter, p, y)
}

// isNegligible reports whether the terms contribute less than leastShare to every value.
func isNegligible(m Model, p, y []float64) bool {
	for k := range p {
		f := 0.0
		for _, t := range m.Terms {
			f += t.Coefficient * t.Shape(p[k])
		}
		if math.Abs(f) >= leastShare*math.Abs(y[k]) && f != 0 {
			return false
		}
	}
	return true
}

const (
	// leastForModel: two points lie on a line of every shape, so that a model of
	// them would be an arbitrary choice.
	leastForModel = 3
	// enoughPoints is how many points a model takes (Calotoiu et al., and the
	// paper's windows).
	enoughPoints = 5
	// leastShare is the share of a value below which Extra-P drops a
	// coefficient, and at which the constant is taken for rounding.
	leastShare = 5e-4
)
