package scaling

import "math"

// A run that was disturbed is slower than its law; one that ended early is faster. One law with a few such points is
// an explanation of its own: without it, 5 % of positive outliers at one repetition gave 10 to 40 % false changes, and
// one run of 18 at .8 of its time gave 33 %.

const (
	// outlierPrior is the log probability that a point is disturbed, outlierSpan
	// the scale of the logarithm of how much too large it then is. For a point that is too small endedEarlyPrior is
	// added.
	outlierPrior, outlierSpan = -3.5, 1.2
	// endPrior and endSpan are those of the last point, where no later point distinguishes a disturbed run from a
	// change: the larger prior compensates for the advantage of a change before it. A last point up to 8 times too
	// large is taken for disturbed, one further out for a change. One that is too small is a change unless lastMayEndEarly
	// holds.
	endPrior, endSpan = 0.5, 0.7
	// manySizes is the number of sizes measured once from which the last run, too, may have ended early.
	manySizes = 16
)

// outliers is the scratch memory of the search for disturbed points.
type outliers struct {
	r, h    []float64 // residuals and leverages
	repeats bool      // the points are means of repetitions
	out     []bool
	best    []bool
	reduced frame
}

// disturbedLaw returns the log evidence for one law of the points that remain when up to a third of them are taken as
// disturbed, including the log probability of these. It leaves out the point furthest from the law, one after the
// other. The search is not refined if the evidence reaches enough or is far below it.
func (d *detector) disturbedLaw(enough float64) float64 {
	o, f := &d.outliers, &d.f
	n := f.n
	o.r, o.h = resized(o.r, n), resized(o.h, n)
	if cap(o.out) < n {
		o.out, o.best = make([]bool, n), make([]bool, n)
	}
	o.out, o.best = o.out[:n], o.best[:n]
	clear(o.out)
	o.repeats = d.prior.minVariance > 0
	top, price, lost := math.Inf(-1), 0.0, 0.0
	h := o.bestShape(&d.null, f)
	o.fit(f, h)
	for m := 1; m <= n/3 && n-m-2 >= 1; m++ {
		at, far := o.worstPoint(f)
		if at < 0 {
			break
		}
		o.out[at] = true
		lost += far
		rest := o.fit(f, h)
		if o.hasOutlierPair(n) {
			continue
		}
		v := d.prior.score(rest, n-m, 2, termPenalty) + lost
		if v > top {
			top, price = v, lost
			copy(o.best, o.out)
		}
		if v < enough-3*screenGap {
			break // one more will not do
		}
	}
	if top >= enough || top < enough-screenGap {
		return top
	}
	o.reduced.without(f, o.best)
	v := d.lawOnFrame(&o.reduced, enough, price)
	return max(top, v)
}

// mayEndEarly reports whether a point below the law of n points may be a run that ended early. With few points it is
// rather one of another law: with all, .007 of the changes of 5 to 10 points are lost.
func mayEndEarly(n int) bool { return n > badEndOthers }

// lastMayEndEarly reports whether the last of n points below the law of the others may be a run that ended early. It is
// rather a change where sizes are few, and where repetitions agree on it.
func (o *outliers) lastMayEndEarly(n int) bool { return n >= manySizes && !o.repeats }

// bestShape returns the index of the shape that, fitted with a constant, leaves the least residual squares if the point
// furthest from it is not counted. It reads the columns of s.
func (o *outliers) bestShape(s *nullScratch, f *frame) int {
	best, smallest := 0, math.Inf(1)
	n := f.n
	t, free := s.t[:n], resized(o.h, n) // what the constant leaves of each leverage
	for k, u := range f.u[:n] {
		free[k] = 1 - u*u/s.uu
	}
	lowest := 0.0
	if mayEndEarly(n) {
		lowest = math.Inf(-1)
	}
	for h := 0; h < shapes; h++ {
		col, by := s.c[h*n:(h+1)*n], s.by[h]
		gain := 0.0
		for k, c := range col {
			r := max(t[k]-by*c, lowest) // without a branch: which are below cannot be guessed
			gain = max(gain, r*r/max(free[k]-c*c, 1e-3))
		}
		if rest := s.tt - by*by - gain; rest < smallest {
			best, smallest = h, rest
		}
	}
	return best
}

// hasOutlierPair reports whether two neighbours at an end are left out: they are more likely a short segment
// than two accidents.
func (o *outliers) hasOutlierPair(n int) bool {
	return o.out[0] && o.out[1] || o.out[n-1] && o.out[n-2]
}

// fit fits a constant and shape h to the points that are not left out. It sets the residuals and leverages of all
// points and returns the residual sum of squares of those that are not left out.
func (o *outliers) fit(f *frame, h int) float64 {
	var uu, ut, uz, zz, tz float64
	for k, u := range f.u {
		if o.out[k] {
			continue
		}
		t, z := f.t[k], f.b[k*shapes+h]*u
		uu += u * u
		ut += u * t
		uz += u * z
		zz += z * z
		tz += t * z
	}
	q := zz - uz*uz/uu
	c := 0.0
	if q > 1e-11*zz {
		c = (tz - uz*ut/uu) / q
	} else {
		q = math.Inf(1)
	}
	m, c0, perU, perQ := uz/uu, ut/uu, 1/uu, 1/q
	rest := 0.0
	for k, u := range f.u {
		z := (f.b[k*shapes+h] - m) * u
		o.r[k] = f.t[k] - c0*u - c*z
		o.h[k] = u*u*perU + z*z*perQ
		if !o.out[k] {
			rest += o.r[k] * o.r[k]
		}
	}
	return rest
}

// worstPoint returns the index of the point furthest from the law, relative to its leverage, and the log density of
// such a distance for a disturbed run; -1 if none exists. It considers points above the law. Points below it count only
// if mayEndEarly holds, and the last point below only if lastMayEndEarly holds too.
func (o *outliers) worstPoint(f *frame) (at int, price float64) {
	at = -1
	gain := 0.0
	for k, r := range o.r {
		isChange := r <= 0 && (!mayEndEarly(f.n) || k == f.n-1 && !o.lastMayEndEarly(f.n))
		if o.out[k] || isChange || o.h[k] > 0.999 {
			continue
		}
		if g := r * r / (1 - o.h[k]); g > gain {
			gain, at = g, k
		}
	}
	if at < 0 {
		return at, 0
	}
	// How far above: the value over what the others foretell.
	e := o.r[at] / (1 - o.h[at])
	f0 := f.t[at] - e
	if f0 <= 0 {
		return -1, 0
	}
	span, prior := outlierSpan, outlierPrior
	if at == f.n-1 {
		span, prior = endSpan, endPrior
	}
	if e < 0 {
		prior += endedEarlyPrior
	}
	ratio := math.Log(f.t[at]/f0) / span
	// Half a normal distribution; every score goes without its 1/sqrt(2 pi).
	return at, prior - ratio*ratio/2 - math.Log(span/2)
}
