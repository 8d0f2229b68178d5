package scaling

import "math"

// Noise need not be in proportion to the value: timers and start-up add the
// same to every run, large runs share more with strangers, small ones are
// measured worse. One law under such noise is an explanation of its own.

const (
	// unevenPenalty is the penalty, in log evidence, of noise that is not in proportion to the value.
	unevenPenalty = 2.0
	// screenGap is how much evidence a closer look may add: without it the same is
	// found in a fifth more time.
	screenGap = 10.0
)

// noiseKinds is the number of kinds of noise tried beside the proportional one.
const noiseKinds = 3

// noiseKind fills s with the logarithm of the noise at each point over the proportional one, up to a constant, for kind
// 0 (noise equal everywhere), 1 (growing with p) or 2 (shrinking with p).
func (f *frame) noiseKind(kind int, s []float64) {
	n := float64(f.n - 1)
	for k, u := range f.u {
		switch kind {
		case 0: // the same everywhere
			s[k] = math.Log(u)
		case 1: // growing ninefold with p
			s[k] = 2.2 * float64(k) / n
		case 2: // shrinking ninefold
			s[k] = -2.2 * float64(k) / n
		}
	}
}

// unevenLaw returns the log evidence for one law with noise that is not proportional to the value, for the best kind of
// noise (see noiseKind), less unevenPenalty. It tries no further kinds once the evidence reaches enough.
func (d *detector) unevenLaw(enough float64) float64 {
	f, o := &d.f, &d.outliers
	o.r = resized(o.r, f.n)
	best := math.Inf(-1)
	r := &o.reduced
	enough += unevenPenalty
	for kind := 0; kind < noiseKinds && best < enough; kind++ {
		f.noiseKind(kind, o.r)
		mean := 0.0
		for _, v := range o.r {
			mean += v / float64(f.n)
		}
		r.n, r.logs = f.n, f.logs
		r.b, r.ln, r.lln = f.b, f.ln, f.lln
		r.t, r.u = resized(r.t, f.n), resized(r.u, f.n)
		for k, v := range o.r {
			w := math.Exp(mean - v)
			r.t[k], r.u[k] = f.t[k]*w, f.u[k]*w
		}
		best = max(best, d.lawOnFrame(r, enough, 0))
	}
	// The frames shared their columns.
	*r = frame{t: r.t, u: r.u}
	return best - unevenPenalty
}

// lawOnFrame returns the log evidence for one law on another frame. It first tests one term, to decide whether
// the full search is worthwhile: not if that reaches enough or is far below it. extra is added to every score.
func (d *detector) lawOnFrame(r *frame, enough, extra float64) float64 {
	sums := &d.dynamic.sums
	sums.resize(r.n)
	sums.reset()
	for k := 0; k < r.n; k++ {
		sums.add(r, k)
	}
	c := sums.lowest()
	v := max(d.prior.score(c.constant, r.n, 1, 0), d.prior.score(c.term, r.n, 2, termPenalty)) + extra
	if v >= enough || v < enough-screenGap {
		return v
	}
	d.f, *r = *r, d.f
	score, _ := d.richLaw(enough - extra)
	v = max(v, score+extra)
	d.f, *r = *r, d.f
	return v
}
