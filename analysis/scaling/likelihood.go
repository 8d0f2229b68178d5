package scaling

import "math"

// The thresholds (threshold.go) hold for these values and those beside their
// uses in this package only.
const (
	// minSegment is the least number of points between two changes. A change before the last point alone is
	// considered too; it is reported at the last but one point, which then belongs to both laws.
	minSegment = 2
	// termPenalty is the log likelihood that a law of one term must gain over a constant; kinkPenalty is that of a
	// kink over a change with a jump.
	termPenalty, kinkPenalty = -0.5, 1.5
	// jumpGain is the evidence that two changes need if one alone is not found.
	jumpGain = 3
)

// grid is the input of the detector: one element per distinct ascending p.
type grid struct {
	p []float64
	// y is the mean at p, of groups where they are known, after outlying
	// repetitions were left out.
	y []float64
	// within is the variance of y[k], relative to y[k] squared, that the
	// repetitions at all points show together: a lower bound of the noise,
	// never an estimate of it. 0 is not known.
	within float64
	dof    float64 // degrees of freedom of within
	// group numbers the groups a point belongs to when all of its runs are of
	// one group, else -1.
	group []int
}

// part returns the points [from,to).
func (g grid) part(from, to int) grid {
	g.p, g.y, g.group = g.p[from:to], g.y[from:to], g.group[from:to]
	return g
}

// detection is the detector's result for one grid. Scores are log evidences on one scale, so that exp(a-b) is a
// ratio of odds.
type detection struct {
	segmented bool
	cuts      []int // numbers of points before each change, ascending
	changes   []Change
	evidence  float64 // of changes, the most of those that were looked for
	strength  float64 // split evidence over that of the best single law
	short     float64 // by how much strength is below threshold, after the complete search for the best law (locate)
	threshold float64 // of strength, at this number of points and residual
	quiet     bool    // one law leaves little
	// whole is the score of the best law over all points, split[s] that of a change after s points (-Inf if no
	// split exists): index 0..n.
	whole float64
	split []float64
	// last[s] is the probability that the last law starts at point s; last[0]
	// is that of one law over all of it. They add to 1.
	last []float64
}

// detector is the default one: one law against two or more, by evidence.
//
// Errors are relative to the value, Gaussian, of an unknown level: evidence is
// summed over levels of 0.3 to 13 % (score.go). Two laws, each a constant with
// or without one of 23 terms, change after any point that leaves two on both
// sides, or one at the end, or share a point: a kink, for a coefficient less
// (likelihood.go, segment.go). One law is whatever else explains the series: a term with any
// exponents, a sum of two (null.go), some runs that were disturbed
// (outlier.go), noise that is not in proportion (null_noise.go), days that
// several points share (group.go). Repetitions say how noisy a point is at
// least; they never say how much points differ beside that. The strength is the
// evidence of the changes, averaged over their places, over that of the best of
// these; its thresholds are measured (threshold.go). Two changes
// where one is not seen, and more where one is, are found by dynamic
// programming (dynamic.go).
//
// It keeps the scratch memory of detections, and is not safe for
// concurrent use.
type detector struct {
	caution  float64 // added to the thresholds
	prior    prior
	bars     []thresholdPair // by number of points
	f        frame
	group    []int // of each point, as in grid
	cost     costs
	null     nullScratch
	split    []float64
	whole    float64 // best score of one law
	rest     float64 // least residual sum of squares of one under proportional noise
	searched int     // number of kinds that were tried
	dynamic  dynamic
	outliers outliers
}

// newDetector returns a detector with the prior of noise levels and no memory yet.
func newDetector() *detector { return &detector{prior: newPrior()} }

// thresholds returns the thresholds at n points, with the caution added.
func (d *detector) thresholds(n int) thresholdPair {
	for len(d.bars) <= n {
		t := thresholdsAt(len(d.bars))
		d.bars = append(d.bars, thresholdPair{t.quiet + d.caution, t.loud + d.caution})
	}
	return d.bars[n]
}

// detect searches for changes of law and returns whether there are any and where. For fewer than leastPoints points it
// finds none. If one change is not found, it tries two. The next call reuses the memory of the scores in the result.
func (d *detector) detect(g grid) detection {
	n := len(g.y)
	out := detection{cuts: []int{}, changes: []Change{}, strength: math.Inf(-1), evidence: math.Inf(-1)}
	if n < leastPoints {
		return out
	}
	d.f.prepare(g)
	d.group = g.group
	d.prior.setLeastVariance(g.within)
	d.cost.ends(&d.f)
	d.split = d.splitScores(n, d.split)
	out.split = d.split
	d.searched, d.whole, d.rest = 0, math.Inf(-1), math.Inf(1)
	d.compareLaws(&out, logSumExp(d.split)-math.Log(float64(n-2*minSegment+1)))
	var two segmentation
	jumped := false
	if !out.segmented && n >= leastForTwo {
		// One change alone may explain nothing where two do.
		two = d.three()
		any := two.score - jumpGain
		out.evidence = max(out.evidence, any)
		if any-out.whole > out.threshold {
			// The search was cut off at the lower mark: continue it.
			d.searched = 0
			before := out.strength
			if d.compareLaws(&out, any); out.segmented {
				jumped = true
			} else {
				out.strength = max(out.strength, before)
			}
		}
	}
	if out.segmented {
		d.placeChanges(&out, two, jumped)
	}
	return out
}

// compareLaws compares the evidence any of changes with that of the best single law, and sets evidence, whole,
// strength, quiet, threshold and segmented of out.
func (d *detector) compareLaws(out *detection, any float64) {
	n := d.f.n
	t := d.thresholds(n)
	out.evidence = max(out.evidence, any)
	out.whole = d.oneLaw(any - min(t.quiet, t.loud))
	out.strength = any - out.whole
	out.quiet = d.rest < quietResidual*quietResidual*float64(n-2)
	out.threshold = t.loud
	if out.quiet {
		out.threshold = t.quiet
	}
	out.segmented = out.strength > out.threshold
}

// leastForTwo is the least number of points at which two changes are searched if one is not found: three for
// each law.
const leastForTwo = 9

// oneLaw returns the score of the best explanation without a change. It tries explanations in order of cost and
// stops when a score reaches enough; a later call continues.
func (d *detector) oneLaw(enough float64) float64 {
	stages := [...]func(float64) float64{d.shapeLaw, d.smoothLaw, d.disturbedLaw, d.unevenLaw, d.groupedLaw}
	for ; d.searched < len(stages) && d.whole < enough; d.searched++ {
		d.whole = max(d.whole, stages[d.searched](enough))
	}
	return d.whole
}

// leastPoints is the least number of points for a detection.
const leastPoints = 5

// splitScores returns, in the memory of s, 2n+1 scores: at index c, 0 to n, that of a change after c points, and at
// n+1+k that of a kink at point k: two laws that share this point, which takes one coefficient less. -Inf means that no
// change can be there. A change before the last point alone counts as one before the last two.
func (d *detector) splitScores(n int, s []float64) []float64 {
	s = resized(s, 2*n+1)
	for i := range s {
		s[i] = math.Inf(-1)
	}
	pen := termPenalty
	for c := minSegment; c <= n-minSegment; c++ {
		l, r := d.cost.left[c], d.cost.right[c]
		s[c] = max(d.prior.score(l.constant+r.constant, n, 2, 0),
			d.prior.score(min(l.constant+r.term, l.term+r.constant), n, 3, pen),
			d.prior.score(l.term+r.term, n, 4, 2*pen))
	}
	// The last point alone, where two that the last law has to itself were too
	// many. It stands as a change before these.
	l, last := d.cost.left[n-1], n-minSegment
	s[last] = max(s[last], d.prior.score(l.constant, n, 2, 0), d.prior.score(l.term, n, 3, pen))
	for c := minSegment; c < n-minSegment; c++ {
		l, r := d.cost.left[c+1], d.cost.right[c]
		s[n+1+c] = max(d.prior.score(min(l.constant+r.term, l.term+r.constant), n, 2, pen),
			d.prior.score(l.term+r.term, n, 3, 2*pen)) - kinkPenalty
	}
	return s
}

// logSumExp returns log(sum(exp(x))).
func logSumExp(x []float64) float64 {
	m := math.Inf(-1)
	for _, v := range x {
		m = max(m, v)
	}
	if math.IsInf(m, -1) {
		return m
	}
	sum := 0.0
	for _, v := range x {
		sum += math.Exp(v - m)
	}
	return m + math.Log(sum)
}

// resized returns x with length n, its memory reused where it reaches.
func resized(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}
