package periodicity

// parts is the number of parts of a template that may move against each other:
// an iteration that takes 5 % longer does so somewhere, not evenly.
const parts = 4

// template is the mean shape of one unit: one period, or several if the period
// is short. Its components have mean 0, so that levels do not matter.
type template struct {
	v       [][]float32 // [component][point]
	unit    int         // points
	periods int         // periods in one unit
	cut     [parts + 1]int
	energy  float64 // sum of squares, noise taken out
	// own is what the noise of an occurrence that is part of the mean adds,
	// per point, to its product with the template. Without taking it out, a
	// template of few long units looks better than one of many short ones.
	own float64
}

// newTemplate makes a template of v, the mean of n occurrences whose samples have the given noise. It may keep
// v and subtract its mean in place. A unit of several periods is folded into their mean, repeated: otherwise
// every multiple of a fraction of the period would pass for the fraction.
func newTemplate(v [][]float32, periods, n int, noise float64) template {
	t := template{v: v, unit: len(v[0]), periods: periods}
	for q := range t.cut {
		t.cut[q] = q * t.unit / parts
	}
	if periods > 1 {
		v = fold(v, periods)
	}
	own := noise / float64(n*periods)
	t.v, t.own = v, own*float64(len(v))
	for _, x := range v {
		m := float32(0)
		for _, y := range x {
			m += y
		}
		m /= float32(len(x))
		for i := range x {
			x[i] -= m
			t.energy += float64(x[i]) * float64(x[i])
		}
	}
	t.energy = max(t.energy-own*float64(t.unit*len(v)), 0.02*t.energy)
	return t
}

// occurrence is one unit in the series: where its parts begin, where it ends.
type occurrence struct {
	at [parts + 1]int
	// dot is the product with the template, energy the sum of the energies
	// of both, noise taken out of either.
	dot, energy float64
}

// distance returns the normalised squared distance of occurrences to their
// template, noise taken out: 0 = equal, 1 = unrelated. It is a ratio of sums: of
// a single occurrence with more noise than signal it can be anything.
func distance(occ []occurrence) float64 {
	var dot, energy float64
	for _, o := range occ {
		dot += o.dot
		energy += o.energy
	}
	if energy <= 0 {
		return 1
	}
	return max(0, 1-2*dot/energy)
}

// length returns the length of the occurrence in points.
func (o occurrence) length() int { return o.at[parts] - o.at[0] }

// average returns the template that is the mean of the occurrences in v, part by part from where each part begins. Each
// part has the length that it has in t. Points beyond the end of v have the last value.
func (t template) average(v vector, occ []occurrence) template {
	mean := make([][]float32, len(v.c))
	w := 1 / float32(len(occ))
	for k, x := range v.c {
		m := make([]float32, t.unit)
		level := float32(0)
		for _, o := range occ {
			for q := range parts {
				to := m[t.cut[q]:t.cut[q+1]]
				lo := o.at[q]
				from := x[min(lo, len(x)):min(lo+len(to), len(x))]
				for i, y := range from {
					to[i] += y
				}
				if miss := len(to) - len(from); miss > 0 {
					level = x[len(x)-1]
					for i := len(from); i < len(to); i++ {
						to[i] += level
					}
				}
			}
		}
		for i := range m {
			m[i] *= w
		}
		mean[k] = m
	}
	return newTemplate(mean, t.periods, len(occ), v.noise)
}

// retime returns the template resampled to the median length of the occurrences.
func (t template) retime(occ []occurrence) template {
	n := medianLength(occ)
	if n == t.unit || n < 2*parts {
		return t
	}
	return t.resampled(n)
}

// resampled returns the template with n points.
func (t template) resampled(n int) template {
	if n == t.unit {
		return t
	}
	r := template{v: make([][]float32, len(t.v)), unit: n, periods: t.periods, own: t.own,
		energy: t.energy * float64(n) / float64(t.unit)}
	for k, x := range t.v {
		r.v[k] = stretch(x, n)
	}
	for q := range r.cut {
		r.cut[q] = q * n / parts
	}
	return r
}

// stretch resamples one unit, which is cyclic, to n points.
func stretch(x []float32, n int) []float32 {
	y := make([]float32, n)
	for i := range y {
		u := float64(i) * float64(len(x)) / float64(n)
		j := int(u)
		f := float32(u - float64(j))
		y[i] = x[j]*(1-f) + x[(j+1)%len(x)]*f
	}
	return y
}

// rotate returns the template with its unit begun s points later; the points before s follow at the end.
func (t template) rotate(s int) template {
	r := t
	r.v = make([][]float32, len(t.v))
	for k, x := range t.v {
		r.v[k] = append(append([]float32(nil), x[s:]...), x[:s]...)
	}
	return r
}

// edge returns the point of the largest change of level: the phase at which
// units are cut, so that regions found apart are in step, and so that an
// instance begins where a reader would begin it.
func (t template) edge() int {
	w := max(1, t.unit/24)
	best, at := -1.0, 0
	for i := range t.unit {
		d := 0.0
		for _, x := range t.v {
			s := 0.0
			for j := 0; j < w; j++ {
				s += float64(x[(i+j)%t.unit] - x[(i-1-j+2*t.unit)%t.unit])
			}
			d += s * s
		}
		if d > best {
			best, at = d, i
		}
	}
	return at
}

// commonPoints is the number of points that shapes of different length are
// compared at.
const commonPoints = 64

// onePeriod returns the first period of the template at commonPoints points, smoothed over three of them, so that an
// edge half a point later does not count as another shape.
func (t template) onePeriod() template {
	r := t.resampled(commonPoints * t.periods)
	c := r
	c.unit, c.periods = commonPoints, 1
	c.v = make([][]float32, len(r.v))
	for k, x := range r.v {
		x = x[:commonPoints]
		y := make([]float32, commonPoints)
		for i := range y {
			y[i] = (x[(i+commonPoints-1)%commonPoints] + 2*x[i] + x[(i+1)%commonPoints]) / 4
		}
		c.v[k] = y
	}
	c.own = r.own * 3 / 8
	return c
}

// distanceTo returns the normalised squared distance between two shapes in phase, less the part of their own
// noise.
func (t template) distanceTo(u template) float64 { return t.rotatedFrom(u, 0) }

// rotatedFrom returns the normalised squared distance between t and u begun s points later, less the part of their own
// noise: 0 = equal, 1 = unrelated. Both have the same number of points.
func (t template) rotatedFrom(u template, s int) float64 {
	d, e := 0.0, 0.0
	for k, x := range t.v {
		y := u.v[k]
		a, b := float32(0), float32(0)
		for i, z := range x[:len(x)-s] {
			w := y[i+s]
			a += (z - w) * (z - w)
			b += z*z + w*w
		}
		for i, z := range x[len(x)-s:] {
			w := y[i]
			a += (z - w) * (z - w)
			b += z*z + w*w
		}
		d += float64(a)
		e += float64(b)
	}
	noise := (t.own + u.own) * float64(t.unit)
	return max(0, d-noise) / max(e-noise, 0.05*e, 1e-30)
}

// likeness returns the smallest distance between the shape t and rotations of u,
// and the rotation as a share of the unit.
func (t template) likeness(u template) (distance, shift float64) {
	distance = 2
	for s := range commonPoints {
		if d := t.rotatedFrom(u, s); d < distance {
			distance, shift = d, float64(s)/commonPoints
		}
	}
	return distance, shift
}

// mean32 returns the mean of x, 0 if it is empty.
func mean32(x []float32) float32 {
	s := float32(0)
	for _, v := range x {
		s += v
	}
	return s / float32(max(1, len(x)))
}
