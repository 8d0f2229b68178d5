package changepoint

import (
	"math"

	"jobgait/analysis/internal/robust"

	"gonum.org/v1/gonum/stat/distuv"
)

// paper judges one series by the report's algorithms. Levels are means without
// the values that its tests leave out; an effect has the interval of Student's t
// of the two levels beside it, which does not know that the place was chosen.
func (r *ready) paper(p PaperParams) Result {
	res := r.result()
	if r.quiet {
		return res
	}
	f := newFields(r)
	found := paperChanges(r.x, p)
	bounds := []int{0}
	for _, c := range found {
		bounds = append(bounds, c.index)
	}
	bounds = append(bounds, len(r.x))
	for k, c := range found {
		left, right := r.x[bounds[k]:c.index], r.x[c.index:bounds[k+2]]
		e := event{index: c.index, detected: c.detected, first: c.index, last: c.index, kind: Step}
		e.effect, e.lo, e.hi = paperEffect(trim(left, p), trim(right, p))
		ch := r.change(e)
		ch.Causes = f.causes(f.newSite(r.x, c.index, c.index, c.index, bounds[k], bounds[k+2], Default()))
		res.Changes = append(res.Changes, ch)
	}
	for k := range bounds[:len(bounds)-1] {
		r.paperRegime(&res, bounds[k], bounds[k+1], p)
	}
	res.Notes = append(res.Notes, f.notes...)
	return res
}

// paperEffect is the difference of two means with its interval at .95; both
// ends are the difference where either side is a single run.
func paperEffect(a, b []float64) (effect, lo, hi float64) {
	ma, sa := robust.Mean(a)
	mb, sb := robust.Mean(b)
	effect = mb - ma
	na, nb := float64(len(a)), float64(len(b))
	if na < 2 || nb < 2 {
		return effect, effect, effect
	}
	pooled := (sa*sa*(na-1) + sb*sb*(nb-1)) / (na + nb - 2)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: na + nb - 2}.Quantile(.975)
	h := t * math.Sqrt(pooled*(1/na+1/nb))
	return effect, effect - h, effect + h
}

// paperRegime adds the regime of runs first to end, and what was left out of it.
func (r *ready) paperRegime(res *Result, first, end int, p PaperParams) {
	w := r.x[first:end]
	kept := trim(w, p)
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
