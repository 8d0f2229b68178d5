package periodicity

import (
	"math"
	"slices"
)

// fundamental returns the fit of the period that x is a multiple of, down to an eighth of its lag, or x itself. It
// tries the shortest fraction first. A fraction is taken if it fits acceptably when it is followed itself, and the
// template loses little by folding and the fraction explains nearly as much (see isMultiple), or if the series
// resembles itself as much at the fraction as at the lag (see repeatsAtFraction).
func (h *searcher) fundamental(p *pyramid, x fit) fit {
	r := h.selfSimilarity(p, x)
	for m := 8; m >= 2; m-- {
		lag := x.lag / float64(m)
		repeats := r.repeatsAtFraction(m)
		if lag < shortestPeriod || lag < float64(h.minLag) || x.t.lostByFolding(m) > coarseBeyond && !repeats {
			continue
		}
		unit := int(x.lag)
		from, to := max(x.a, x.seed-8*unit-512), min(x.b, x.seed+8*unit+512)
		y, ok := h.fitLag(p, lag, x.a, x.b, from, to)
		if repeats {
			if z, held := h.splitUnits(p, x, m); held && z.score > y.score {
				y, ok = z, true
			}
		}
		if !ok || !isAcceptable(y, p.at(y.level).noise) || math.Abs(y.lag/lag-1) >= 0.1 {
			continue
		}
		if repeats || h.isMultiple(p, y, x, m) {
			return h.fundamental(p, y)
		}
	}
	return x
}

// splitUnits refits x with m equal periods in every unit, each their mean. The unit keeps its length, since an
// m-th of it may have too little signal over the noise.
func (h *searcher) splitUnits(p *pyramid, x fit, m int) (fit, bool) {
	lv := p.at(x.level)
	v := lv.slice(min(x.a>>x.level, lv.len()), min(x.b>>x.level, lv.len()))
	y := fit{level: x.level, a: x.a, b: x.b, seed: x.seed, t: x.t}
	y.t.periods *= m
	y.t = y.t.average(v, x.occ)
	h.refineTemplate(&y, v)
	y.occ = slices.Clone(y.occ)
	return y, y.score > 0
}

// selfSimilarity is the autocorrelation of the stretch in which a fit was found, up to twice its
// lag. The zero value says that nothing is known.
type selfSimilarity struct {
	r   []float32
	lag float64 // of the fit, points
}

// selfSimilarity returns the autocorrelation of the stretch of a fit, at the resolution at
// which it was followed.
func (h *searcher) selfSimilarity(p *pyramid, x fit) selfSimilarity {
	lv := p.at(x.level)
	middle := x.seed >> x.level
	v := lv.slice(max(x.a>>x.level, middle-similarityPoints/2), min(x.b>>x.level, middle+similarityPoints/2, lv.len()))
	lag := x.lag / float64(int(1)<<x.level)
	most := int(2*lag*(1+lagTolerance)) + 2
	if v.len() < 3*most {
		return selfSimilarity{}
	}
	return selfSimilarity{r: slices.Clone(h.lags.correlation(v, most)), lag: lag}
}

const (
	// similarityPoints bounds the points that are correlated, about the place where a fit began.
	similarityPoints = 4096
	// lagTolerance is how far from a fraction of a lag its peak may lie.
	lagTolerance = 0.03
	// minFractionPoints is the shortest fraction of a lag, in points, that has a peak of
	// its own: smooth series resemble themselves at any shorter one.
	minFractionPoints = 6
	// leastFall is the ratio of two correlations from which on one is taken to be higher.
	leastFall = 1.1
)

// repeatsAtFraction reports whether an m-th of the lag is the period of the series. The correlation must have a peak
// there that is higher, by the factor leastFall, than at all further multiples of lag/m up to the lag, and it must be
// higher by that factor at lag + lag/m than at twice the lag. If all cycles are equal, the correlation falls from one
// multiple of their length to the next, because jitter adds up with the distance. If cycles alternate, or if the two
// halves of a cycle are similar, it is higher at whole cycles than between them.
func (s selfSimilarity) repeatsAtFraction(m int) bool {
	at := s.lag / float64(m)
	if s.r == nil || at < minFractionPoints {
		return false
	}
	peak, k := s.highest(at)
	whole := float32(0)
	for j := 2; j <= m; j++ {
		r, _ := s.highest(s.lag * float64(j) / float64(m))
		whole = max(whole, r)
	}
	beyond, _ := s.highest(s.lag + at)
	twice, _ := s.highest(2 * s.lag)
	if peak < minHeight || peak < leastFall*whole || beyond < leastFall*twice {
		return false
	}
	return peak-slices.Min(s.r[1:k]) >= max(minContrast, peak/2)
}

// highest returns the largest correlation within the tolerance of a lag, and its index.
func (s selfSimilarity) highest(lag float64) (float32, int) {
	best := min(int(math.Round(lag)), len(s.r)-1)
	for k := int(lag * (1 - lagTolerance)); k <= min(int(math.Ceil(lag*(1+lagTolerance))), len(s.r)-1); k++ {
		if s.r[k] > s.r[best] {
			best = k
		}
	}
	return s.r[best], best
}

const (
	// preference is the share of the score of a period at which a fraction of
	// it is taken instead.
	preference = 0.85
	// maxBeyond is how much of a template's energy its fraction may lack
	// without having to explain the more for it: true multiples lack up to
	// 0.1, periods of two similar halves as little as 0.1.
	maxBeyond = 0.05
)

// isMultiple reports whether x is the m-fold of y and not a period itself: x loses little when it is folded to an m-th,
// and y explains nearly as much of the same stretch. The more is lost, the more y has to explain. If the points of x
// are coarser than those of y, which hides differences, x is refitted with those of y.
func (h *searcher) isMultiple(p *pyramid, y, x fit, m int) bool {
	share := preference
	lost := x.t.lostByFolding(m)
	if lost <= 2*maxBeyond && y.score >= x.score {
		return true
	}
	if z, ok := h.atFinerLevel(p, x, x.level-y.level); ok {
		x, lost = z, z.t.lostByFolding(m)
	}
	switch {
	case lost <= maxBeyond:
		share *= 0.9
	case lost > 2*maxBeyond:
		share = 1
	}
	return y.score >= share*x.score
}

// coarseBeyond is the share of energy that multiples may seem to lose if dips of a few samples are resolved by
// coarse points.
const coarseBeyond = 0.2

// nestedFrom is the ratio of lags from which one period may lie in another.
const nestedFrom = 2.5

// rank chooses between the best fit, fits[0], and those of other lags that overlap it, and returns the chosen one and
// its index. Of a period and its 2- to 4-fold, isMultiple decides. Of two otherwise related lags in the same stretch,
// the one with the larger merit there is chosen, where few cycles count little: five cycles between checkpoints do not
// replace two hundred steps. Lags within a factor nestedFrom that are not multiples do not compete.
func (h *searcher) rank(p *pyramid, fits []fit) (x fit, at int) {
	x = fits[0]
	for j, y := range fits {
		if min(x.b, y.b)-max(x.a, y.a) < int(2*min(x.lag, y.lag)) {
			continue
		}
		switch ratio := y.lag / x.lag; {
		case smallMultiple(ratio) > 1:
			if !h.isMultiple(p, h.refit(p, x, y.a, y.b), y, smallMultiple(ratio)) {
				x, at = y, j
			}
		case smallMultiple(1/ratio) > 1:
			if h.isMultiple(p, h.refit(p, y, x.a, x.b), x, smallMultiple(1/ratio)) {
				x, at = y, j
			}
		case ratio >= nestedFrom:
			inner := h.refit(p, x, y.a, y.b)
			least := max(x.merit(), inner.merit())
			if y.merit() < 0.6*least {
				continue
			}
			z, ok := h.atFinerLevel(p, y, y.level-visibleLevel(x.lag))
			if y.merit() > least || ok && z.merit() > least {
				x, at = y, j
			}
		case ratio <= 1/nestedFrom:
			if h.refit(p, y, x.a, x.b).merit() >= x.merit() {
				x, at = y, j
			}
		}
	}
	return x, at
}

// visibleLevel returns the coarsest level of the pyramid at which a period of the given lag inside another
// still has eight points or more.
func visibleLevel(lag float64) int { return max(0, int(math.Log2(lag/8))) }

// smallMultiple returns 2, 3 or 4 if the ratio of two lags is within 3 % of that, else 1.
func smallMultiple(ratio float64) int {
	if m := math.Round(ratio); m >= 2 && m <= 4 && math.Abs(ratio-m) < 0.03*m {
		return int(m)
	}
	return 1
}

// atFinerLevel returns the fit x recomputed with points the given number of levels finer. It returns false if there is
// no such level, if a unit has several periods, or if fewer than two occurrences are found.
func (h *searcher) atFinerLevel(p *pyramid, x fit, levels int) (fit, bool) {
	if levels < 1 || levels > x.level || x.t.periods > 1 {
		return fit{}, false
	}
	x.level -= levels
	lv := p.at(x.level)
	v := lv.slice(min(x.a>>x.level, lv.len()), min(x.b>>x.level, lv.len()))
	occ := make([]occurrence, len(x.occ))
	for i, o := range x.occ {
		for q := range o.at {
			occ[i].at[q] = o.at[q] << levels
		}
	}
	t := template{unit: x.t.unit << levels, periods: 1}
	for q := range t.cut {
		t.cut[q] = x.t.cut[q] << levels
	}
	x.t = t.average(v, occ)
	h.tracker.over(v)
	for range 2 {
		x.occ = h.tracker.places(x.t, false)
		if len(x.occ) < 2 {
			return fit{}, false
		}
		x.t = x.t.retime(x.occ).average(v, x.occ)
	}
	x.occ = slices.Clone(h.tracker.track(x.t, false))
	x.evaluate(v)
	return x, len(x.occ) >= 2
}

// refit follows the template of x through samples a to b and returns the fit with the occurrences and the score there;
// the score is 0 without occurrences.
func (h *searcher) refit(p *pyramid, x fit, a, b int) fit {
	lv := p.at(x.level)
	v := lv.slice(min(a>>x.level, lv.len()), min(b>>x.level, lv.len()))
	x.a, x.b = a, b
	x.occ = slices.Clone(h.tracker.over(v).track(x.t, false))
	if len(x.occ) == 0 {
		x.score = 0
		return x
	}
	x.evaluate(v)
	return x
}
