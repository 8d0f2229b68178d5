package periodicity

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
)

// unitPoints is the least number of points in one unit: periods are tracked at
// the level of the pyramid where they have between that and twice as many, and
// shorter ones several at a time. 32 points place a boundary within 3 % (it is
// refined afterwards) and average what noise there is.
const unitPoints = 32

// fit is a template with the occurrences that were found of it in a stretch of samples.
type fit struct {
	t     template
	level int
	lag   float64 // samples in one period
	a, b  int     // the stretch it was judged on, samples
	seed  int     // where the first template was taken, samples
	occ   []occurrence
	// score is the gain per sample of the stretch, shifts and entries paid: 1
	// if all of it is perfect repetition.
	score    float64
	distance float64 // of the occurrences
	drift    float64 // step of level between them, see maxDrift
	z        float64 // see significant
	children []childFit
}

// unitOf returns how a period of lag samples is followed in a stretch of n samples: the pyramid level, the points of
// one unit at that level, and the periods of one unit. A unit has at least unitPoints points, or a seventh of the
// stretch; if one period is shorter, several are followed at a time.
func unitOf(lag float64, n int) (level, points, periods int) {
	least := min(float64(unitPoints), float64(n)/7)
	periods = 1
	for lag/float64(int(2)<<level) >= unitPoints {
		level++
	}
	at := lag / float64(int(1)<<level)
	if at < least {
		// Of the multiples that are long enough take the one nearest to a
		// whole number of samples.
		m := int(math.Ceil(least / at))
		best := 1.0
		for k := m; k <= 2*m && float64(k)*at <= 2*unitPoints; k++ {
			if off := math.Abs(float64(k)*at - math.Round(float64(k)*at)); off < best-0.02 {
				best, periods = off, k
			}
		}
	}
	return level, int(math.Round(at * float64(periods))), periods
}

// fitLag follows a period of the given lag through samples a to b, starting between from and to where units are most
// alike, and returns the best fit of up to two such starts. It returns false if it finds no occurrences with a positive
// score, or if the lag is too short or too long for the pyramid.
func (h *searcher) fitLag(p *pyramid, lag float64, a, b, from, to int) (fit, bool) {
	level, unit, periods := unitOf(lag, b-a)
	if float64(b-a) < 6*lag && level > 0 {
		// Of few units none may be lost to rounding.
		level, unit = level-1, 2*unit
	}
	if level >= p.height || unit < 2*parts {
		return fit{}, false
	}
	v := p.at(level).slice(min(a>>level, p.at(level).len()), min(b>>level, p.at(level).len()))
	lo := max(from>>level-a>>level, 0)
	hi := min(to>>level-a>>level, v.len())
	places := h.seeds(v, unit, lo, hi)
	if h.quick && len(places) > 1 {
		places = places[:1]
	}
	best := fit{}
	for _, s := range places {
		f := fit{level: level, a: a, b: b, seed: a + s<<level, t: firstTemplate(v, unit, periods, s)}
		h.refineTemplate(&f, v)
		if f.score > best.score {
			f.occ = slices.Clone(f.occ)
			best = f
		}
		if best.score > goodSeed {
			break
		}
	}
	return best, best.score > 0
}

// refineTemplate recomputes the template of f from the occurrences it finds, twice, or once in quick mode. Then it
// follows the template once more, aligns its phase to the start of the stretch if that is better, and evaluates the
// fit.
func (h *searcher) refineTemplate(f *fit, v vector) {
	rounds := 2
	if h.quick {
		rounds = 1
	}
	// The steepest place of a mean of two or three units is good enough for a
	// phase, and every later template keeps it.
	f.t = f.t.rotate(f.t.edge())
	h.tracker.over(v)
	for range rounds {
		f.occ = h.tracker.places(f.t, false)
		if len(f.occ) < 2 {
			break
		}
		f.t = f.t.retime(f.occ).average(v, f.occ)
	}
	f.occ = h.tracker.track(f.t, false)
	h.alignToStart(f, v)
	f.evaluate(v)
}

// alignToStart moves the phase of a fit of few occurrences to the beginning of its stretch if that gains an instance or
// fits better; else f is unchanged. Otherwise, of four iterations between two steepest edges and a fraction at both
// ends, one would be lost or squeezed. v is the series that the tracker is over.
func (h *searcher) alignToStart(f *fit, v vector) {
	n := len(f.occ)
	if n == 0 || n > 2*fewUnits || f.t.periods > 1 || !isUnbroken(f.occ) {
		return
	}
	lead := f.occ[0].at[0]
	if lead == 0 || lead >= f.t.unit {
		return
	}
	was, before := distance(f.occ), slices.Clone(f.occ)
	t := f.t.rotate(f.t.unit - lead)
	if occ := h.tracker.places(t, false); len(occ) >= n {
		t = t.retime(occ).average(v, occ)
		if occ = h.tracker.track(t, false); len(occ) > n || len(occ) == n && distance(occ) < was {
			f.t, f.occ = t, occ
			return
		}
	}
	f.occ = before
}

// fewUnits is a number of units in which each counts.
const fewUnits = 4

// goodSeed is the score at which no second place to start from is tried.
const goodSeed = 0.6

// evaluate computes score, distance, drift and lag of a fit from its occurrences in v, which need their match (see
// track). Without occurrences score and lag are 0.
func (f *fit) evaluate(v vector) {
	length, cost := 0.0, 0.0
	price := f.t.shiftPrice(v.noise)
	for i, o := range f.occ {
		length += float64(o.length())
		if i == 0 || f.occ[i-1].at[parts] != o.at[0] {
			cost += entryCost
		}
		for q := range parts {
			cost += price * square(float64(o.at[q+1]-o.at[q]-f.t.cut[q+1]+f.t.cut[q]))
		}
	}
	f.drift = levelDrift(v, f.occ) * float64(f.t.unit) / f.t.energy
	f.distance, f.score, f.lag = distance(f.occ), 0, 0
	if n := float64(len(f.occ)); n > 0 {
		f.score = ((1-f.distance/maxDistance)*length - cost*length/n) / float64(v.len())
		f.lag = length / n / float64(f.t.periods) * float64(int(1)<<f.level)
	}
}

// levelDrift returns the median squared difference between the means of consecutive occurrences, less the part that
// noise gives; it may be negative. It is 0 if no occurrence directly follows another.
func levelDrift(v vector, occ []occurrence) float64 {
	var steps []float64
	for i := 1; i < len(occ); i++ {
		a, b := occ[i-1], occ[i]
		if a.at[parts] != b.at[0] {
			continue
		}
		d := -2 * v.noise * float64(len(v.c)) / float64(a.length())
		for _, x := range v.c {
			d += square(float64(mean32(x[a.at[0]:a.at[parts]]) - mean32(x[b.at[0]:min(b.at[parts], len(x))])))
		}
		steps = append(steps, d)
	}
	if len(steps) == 0 {
		return 0
	}
	return robust.Median(steps)
}

// seeds returns up to two places in [lo, hi) at which a unit correlates best with the one after it, over three units if
// there is room; none if there is room for less than two units.
func (h *searcher) seeds(v vector, unit, lo, hi int) []int {
	span := 2 * unit // two pairs: three units in a row
	if lo+span+unit > hi {
		span = unit
	}
	if lo+span+unit > hi {
		return nil
	}
	agree := h.pairCorrelation(v, unit, span, lo, hi-lo-span-unit+1)
	first := largest(agree, -2*unit, -2*unit)
	out := []int{lo + first}
	if second := largest(agree, first-2*unit+1, first+2*unit); second >= 0 {
		out = append(out, lo+second)
	}
	return out
}

// largest returns the index of the largest of x outside of [a, b), or -1.
func largest(x []float64, a, b int) int {
	best := -1
	for i, y := range x {
		if (i < a || i >= b) && (best < 0 || y > x[best]) {
			best = i
		}
	}
	return best
}

// pairCorrelation returns, for n places from lo on, the correlation of span samples with those one unit later: the
// covariance divided by the energy, both without noise. A share of the median energy is added to the divisor, so that
// flat stretches do not count as similar.
func (h *searcher) pairCorrelation(v vector, unit, span, lo, n int) []float64 {
	w := span + unit
	h.num, h.den = zeros(h.num, n), zeros(h.den, n)
	num, den := h.num, h.den
	for _, x := range v.c {
		var d, s, s2 float64
		y := x[lo:]
		for i := 0; i < n+w-1; i++ {
			f := float64(y[i])
			s += f
			s2 += f * f
			if i >= unit {
				d += square(f - float64(y[i-unit]))
			}
			if i < w-1 {
				continue
			}
			j := i - w + 1
			e := s2 - s*s/float64(w) - v.noise*float64(w)
			num[j] += e*float64(span)/float64(w) - (d-2*v.noise*float64(span))/2
			den[j] += e * float64(span) / float64(w)
			f = float64(y[j])
			s -= f
			s2 -= f * f
			d -= square(float64(y[j+unit]) - f)
		}
	}
	some := make([]float64, 0, 128)
	for j := 0; j < n; j += 1 + n/128 {
		some = append(some, den[j])
	}
	mid := max(robust.Median(some), 0)
	for j := range num {
		// A flat stretch agrees with itself perfectly and says nothing.
		num[j] /= max(den[j], 0) + 0.3*mid + 1e-30
	}
	return num
}

// square returns the square of x.
func square(x float64) float64 { return x * x }

// firstTemplate returns the mean of up to three units of v from point s on.
func firstTemplate(v vector, unit, periods, s int) template {
	n := min(3, (v.len()-s)/unit)
	mean := make([][]float32, len(v.c))
	for k, x := range v.c {
		mean[k] = make([]float32, unit)
		for j := range n {
			for i := range unit {
				mean[k][i] += x[s+j*unit+i] / float32(n)
			}
		}
	}
	return newTemplate(mean, periods, n, v.noise)
}
