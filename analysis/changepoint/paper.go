package changepoint

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// The parameters of algorithms 1 to 3 of the Albany Land-Ice report, by its own
// names where it has any, as its published page was made.
const (
	// paperAlpha is the significance level of one window; nothing controls it over
	// time.
	paperAlpha float64 = .005
	// paperK is the number of largest steps between neighbours that are tried. The critical value is that of K
	// tests even where fewer exist.
	paperK = 10
	// paperAgree is m, how many windows in a row must name the same change.
	paperAgree = 3
	// paperWindow is w, how far back a window reaches.
	paperWindow = 30
	// trimShare and trimMAD limit the outliers that are left out of a half: at most this share of it, and only
	// values this many MAD from its median.
	trimShare         = .1
	trimMAD   float64 = 3
)

// paperChange is one entry of the algorithm's list: the first run of the new
// level and the run with which it was seen.
type paperChange struct{ index, detected int }

// paperChanges runs algorithm 3 on the logarithms x and returns the changes found. Three resolutions of what
// the report leaves open matter to the result: the window begins at the change that was found last, the winner
// is the largest absolute sum of statistics (the report's signed one never finds an improvement), and after a
// change the scan repeats from there, so that an entry may be detected before an earlier one.
func paperChanges(x []float64) []paperChange {
	var found []paperChange
	critical := criticalValues()
	votes := make([]map[int]float64, paperAgree)
	i, j := 0, 1
	for j <= len(x) {
		copy(votes, votes[1:])
		votes[paperAgree-1] = paperCandidates(x, i, j, critical)
		if nu, ok := commonCandidate(votes); ok {
			found = append(found, paperChange{index: nu, detected: j - 1})
			i, j = nu, nu+1
			clear(votes)
			continue
		}
		j++
		i = max(i, j-paperWindow)
	}
	return found
}

// criticalValues returns the critical values of |t| by the length of the window.
func criticalValues() []float64 {
	c := make([]float64, paperWindow+1)
	for n := 3; n <= paperWindow; n++ {
		c[n] = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 2)}.Quantile(1 - paperAlpha/(2*float64(paperK)))
	}
	return c
}

// paperCandidates runs algorithm 1 with outliers removed from each half: it returns the significant splits of
// x[i:j) with their t statistics.
func paperCandidates(x []float64, i, j int, critical []float64) map[int]float64 {
	w := x[i:j]
	if len(w) <= 2 {
		return nil
	}
	var kept map[int]float64
	for _, k := range largestSteps(w) {
		t := compareLevels(reportMoments(w[:k]), reportMoments(w[k:])).T()
		if math.Abs(t) >= critical[len(w)] {
			if kept == nil {
				kept = make(map[int]float64)
			}
			kept[i+k] = t
		}
	}
	return kept
}

// largestSteps returns the indexes of the paperK largest steps between neighbours.
func largestSteps(w []float64) []int {
	at := make([]int, len(w)-1)
	for q := range at {
		at[q] = q + 1
	}
	slices.SortStableFunc(at, func(a, b int) int {
		da, db := math.Abs(w[a]-w[a-1]), math.Abs(w[b]-w[b-1])
		return cmp.Or(cmp.Compare(db, da), b-a)
	})
	return at[:min(paperK, len(at))]
}

// Trimmed returns x without outliers, as the report does: values that are both among the tenth farthest from
// the median and more than three MAD away. Fewer than ten values are returned unchanged, as the same slice.
func Trimmed(x []float64) []float64 {
	drop := int(trimShare * float64(len(x)))
	if drop == 0 {
		return x
	}
	s := slices.Clone(x)
	slices.Sort(s)
	centre := robust.SortedMedian(s)
	far := make([]float64, len(x))
	for i, v := range x {
		far[i] = math.Abs(v - centre)
	}
	copy(s, far)
	slices.Sort(s)
	limit := trimMAD * robust.SD * robust.SortedMedian(s)
	least := s[len(s)-drop]
	kept := make([]float64, 0, len(x))
	for i, v := range x {
		// Of values equally far, the first are left out, and no more than drop.
		if drop > 0 && far[i] > 0 && far[i] >= least && far[i] >= limit {
			drop--
			continue
		}
		kept = append(kept, v)
	}
	return kept
}

// commonCandidate returns the change that all windows name, the strongest if there are several; false if none
// exists.
func commonCandidate(votes []map[int]float64) (nu int, ok bool) {
	best := -1.0
	for c := range votes[0] {
		sum, all := 0.0, true
		for _, v := range votes {
			t, named := v[c]
			sum += t
			all = all && named
		}
		// The earlier of two equally strong ones, so that the order of a map
		// does not decide.
		if s := math.Abs(sum); all && (s > best || s == best && c < nu) {
			nu, best, ok = c, s, true
		}
	}
	return nu, ok
}

// analysePaper analyses one series by the report's algorithms. Levels are means without the values that its
// tests leave out; an effect has the interval of Student's t of the two levels beside it, which does not know
// that the place was chosen.
func (r *preparedSeries) analysePaper() SeriesResult {
	res := r.emptyResult()
	if r.quiet {
		return res
	}
	f := newFields(r)
	found := paperChanges(r.x)
	bounds := []int{0}
	for _, c := range found {
		bounds = append(bounds, c.index)
	}
	bounds = append(bounds, len(r.x))
	for k, c := range found {
		left, right := r.x[bounds[k]:c.index], r.x[c.index:bounds[k+2]]
		e := event{index: c.index, detected: c.detected, first: c.index, last: c.index, kind: Step}
		e.effect, e.lo, e.hi = paperEffect(left, right)
		ch := r.changeOf(e)
		ch.Causes = f.causes(f.newSite(r.x, c.index, c.index, c.index, bounds[k], bounds[k+2], -1, scatter.RunTimeOutliers()))
		res.Changes = append(res.Changes, ch)
	}
	for k := range bounds[:len(bounds)-1] {
		r.paperRegime(&res, bounds[k], bounds[k+1])
	}
	res.Notes = append(res.Notes, f.notes...)
	return res
}

// paperEffect returns the difference of the trimmed means of two levels with its 95 % interval; both ends equal the
// difference if either level is a single run.
func paperEffect(a, b []float64) (effect, lo, hi float64) {
	d := CompareTrimmed(a, b)
	if len(a) < 2 || len(b) < 2 {
		return d.Value, d.Value, d.Value
	}
	lo, hi = d.Interval()
	return d.Value, lo, hi
}

// paperRegime adds to the result the regime of the runs [first,end), and its outliers.
func (r *preparedSeries) paperRegime(res *SeriesResult, first, end int) {
	w := r.x[first:end]
	kept := Trimmed(w)
	y := make([]float64, len(kept))
	for i, v := range kept {
		y[i] = math.Exp(v)
	}
	mean, sd := robust.Mean(y)
	res.Regimes = append(res.Regimes, Regime{First: r.at[first], Last: r.at[end-1], N: len(w),
		Mean: mean, Median: robust.Median(y), SD: sd})
	if len(kept) == len(w) {
		return
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range kept {
		lo, hi = math.Min(lo, v), math.Max(hi, v)
	}
	for i, v := range w {
		if v < lo || v > hi {
			res.Outliers = append(res.Outliers, r.at[first+i])
		}
	}
}
