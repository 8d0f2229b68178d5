package periodicity

import (
	"cmp"
	"math"
	"slices"
)

// stage is the stage at which a search ended; the furthest one is reported.
type stage int

const (
	noVariance stage = iota
	noValley
	notTracked
	notSignificant
	lowCoverage
	found
	foundUnsure // found, with too little confidence to be reported
)

// maxLags is the most lags that are followed in one stretch.
const maxLags = 6

const (
	// maxTested is the most fits that are compared with permutations.
	maxTested = 3
	// shortLag is the number of samples below which a period is short: it may be found
	// as a multiple instead.
	shortLag = 8
)

// leastScore is the score below which a fit is not worth a test: a period that
// covers 5 % of a profile fills more of the stretch it was found in.
const leastScore = 0.12

// search returns the best new period in samples a to b, with its significance and its inner period, and found; or no
// fit and the stage at which the search ended. It follows the best maxLags candidates, replaces each by its
// fundamental, and tests up to maxTested of them against permutations, the best first.
func (h *searcher) search(p *pyramid, a, b int) (fit, stage) {
	if b-a < minLevel {
		return fit{}, noValley
	}
	cand := h.lags.candidates(p, a, b, h.minLag, h.par)
	if len(cand) == 0 {
		return fit{}, noValley
	}
	var fits []fit
	for _, c := range cand[:min(maxLags, len(cand))] {
		if isMultipleOfFit(c.lag, fits) {
			continue
		}
		lo, hi := widenPlace(c, a, b)
		if x, ok := h.fitLag(p, c.lag, lo, hi, c.a, c.b); ok && isAcceptable(x, p.at(x.level).noise) {
			fits = append(fits, h.fundamental(p, x))
		}
	}
	slices.SortStableFunc(fits, func(x, y fit) int { return cmp.Compare(y.merit(), x.merit()) })
	reached := notTracked
	for tried := 0; len(fits) > 0 && tried < maxTested; tried++ {
		x, i := h.rank(p, fits)
		if x.score < leastScore {
			break
		}
		z, ok := h.significance(p, x)
		if ok {
			x.z = z
			x.children = h.inner(p, x, cand)
			return x, found
		}
		fits = slices.Delete(fits, i, i+1)
		reached = notSignificant
	}
	return fit{}, reached
}

// followShown follows only the lag that an excerpt showed, h.shown, in samples a to b, starting in turn from the parts
// of which the excerpt was made. It returns the first significant fit and found, else the stage reached. If there is no
// such lag or a period was found already, the stage is noValley.
func (h *searcher) followShown(p *pyramid, a, b int) (fit, stage) {
	if h.shown == 0 || len(h.found) > 0 || float64(b-a) < 3*h.shown {
		return fit{}, noValley
	}
	reached := noValley
	w := int(max(shownWindow, 8*h.shown))
	for k := range excerptParts {
		mid := a + (2*k+1)*(b-a)/(2*excerptParts)
		c := candidate{lag: h.shown, a: max(a, mid-w/2), b: min(b, mid+w/2)}
		lo, hi := widenPlace(c, a, b)
		x, ok := h.fitLag(p, c.lag, lo, hi, c.a, c.b)
		if !ok || x.score < leastScore || !isAcceptable(x, p.at(x.level).noise) {
			continue
		}
		reached = notSignificant
		if x.z, ok = h.significance(p, x); ok {
			return x, found
		}
	}
	return fit{}, reached
}

// shownWindow is the least number of samples in which the first template is searched.
const shownWindow = 2048

// isMultipleOfFit reports whether a fit with a score above 0.9 has a lag that is the given lag or a fraction of it,
// down to an eighth.
func isMultipleOfFit(lag float64, fits []fit) bool {
	for _, x := range fits {
		if m := math.Round(lag / x.lag); x.score > 0.9 && m < 9 && math.Abs(lag/x.lag-m) < 0.03*m {
			return true
		}
	}
	return false
}

// merit returns the score of a fit weighted by its number of instances: as in the confidence, ten are little
// and forty are enough.
func (f fit) merit() float64 {
	return f.score * (1 - math.Exp(-float64(len(f.occ)*f.t.periods)/10))
}

// widenPlace widens the place where a candidate was found to about sixty periods, within [a, b).
func widenPlace(c candidate, a, b int) (lo, hi int) {
	w := max(2048, int(30*c.lag))
	mid := (c.a + c.b) / 2
	return max(a, min(c.a, mid-w)), min(b, max(c.b, mid+w))
}

// maxDrift is the largest step of level from one unit to the next, as energy
// over that of the template. A piece of a steady rise without its mean looks
// like the next piece (12); what recurs comes back to its level.
const maxDrift = 1

const (
	// maxDistance is the normalised squared distance between an instance and
	// the template, counting noise taken out, at which an instance is worth
	// nothing: 0 = equal, 1 = unrelated, 2 = opposite (the paper's "close to
	// 0" made a ratio). More lets heavier jitter pass, and chance. meanDistance is
	// the largest mean over the instances.
	maxDistance, meanDistance = 0.6, 0.42
	// minInstances is the smallest number of instances that is a period.
	minInstances = 3
	// minSignal is the least energy of a unit's template over the noise of
	// one sample: below 12 (3.5 standard deviations) noise can be bent into it.
	minSignal = 12
)

// isAcceptable reports whether a fit meets the minimum requirements of a period: at least minInstances instances in two
// units or more, distances from the template that are small enough, a template well above the noise, and no drift of
// level.
func isAcceptable(x fit, noise float64) bool {
	units := float64(len(x.occ)) * (1 - x.distance/maxDistance)
	n := len(x.occ) * x.t.periods
	return n >= minInstances && len(x.occ) >= 2 && units >= 2 && x.distance <= meanDistance &&
		x.t.energy >= minSignal*noise && x.drift <= maxDrift
}
