package periodicity

// gains fills d.open: for each part of the template and each point, what the part adds to the gain if it begins there.
// Level and energy are those of one unit around the place, so that neither a trend nor an outburst nearby counts.
func (d *tracker) gains(t template, maxDistance float64) {
	n := d.v.len()
	d.local(t, maxDistance)
	for q := range parts {
		lo, hi := t.cut[q], t.cut[q+1]
		last := n - (hi - lo) + 1
		g := d.open[q][d.pad:][:last]
		for k, x := range d.v.c {
			convolve(g, x, t.v[k][lo:hi], k > 0)
			subtractLevel(g, d.mean[k], lo, sum(t.v[k][lo:hi]))
		}
		own := float32(-t.own * float64(hi-lo))
		base := float32(float64(hi-lo) / float64(t.unit) * (1 - 1/maxDistance))
		scale(g, d.inv, lo, base, own)
		for p := last; p <= n; p++ {
			d.open[q][d.pad+p] = never
		}
	}
}

// subtractLevel subtracts from each g[p] level times the mean of the unit that begins lo points earlier, mean[p-lo]; at
// either end, that of the first or the last whole unit.
func subtractLevel(g, mean []float32, lo int, level float32) {
	first, last := level*mean[0], level*mean[len(mean)-1]
	for p := range lo {
		g[p] -= first
	}
	g = g[lo:]
	for p := takeTimesLanes(g, mean, level); p < len(mean); p++ {
		g[p] -= level * mean[p]
	}
	g = g[len(mean):]
	for p := range g {
		g[p] -= last
	}
}

// scale converts each product g[p] to a gain: base + (g[p]+own) times the factor inv of the unit that begins lo points
// earlier, inv[p-lo]; at either end, that of the first or the last whole unit.
func scale(g, inv []float32, lo int, base, own float32) {
	for p := range lo {
		g[p] = base + (g[p]+own)*inv[0]
	}
	g = g[lo:]
	for p := scaleLanes(g, inv, base, own); p < len(inv); p++ {
		g[p] = base + (g[p]+own)*inv[p]
	}
	g = g[len(inv):]
	for p := range g {
		g[p] = base + (g[p]+own)*inv[len(inv)-1]
	}
}

// local fills mean and inv: for a unit that begins at each place, its mean, and 2/maxDistance over its energy
// without noise plus that of the template.
func (d *tracker) local(t template, maxDistance float64) {
	if t.unit != d.unit {
		d.slides(t.unit)
	}
	d.inv = resize(d.inv, len(d.energy))
	copy(d.inv, d.energy)
	invert(d.inv, float32(d.v.noise*float64(t.unit*len(d.v.c))), float32(t.energy), float32(2/maxDistance))
}

// slides fills d.mean and d.energy: for units of the given number of points, by the point at which they begin, the mean
// of each component, and the squared deviations from it, summed over the components.
func (d *tracker) slides(unit int) {
	d.unit = unit
	places := d.v.len() - unit + 1
	d.energy = zeros(d.energy, places)
	for len(d.mean) < len(d.v.c) {
		d.mean = append(d.mean, nil)
	}
	for k, x := range d.v.c {
		d.mean[k] = resize(d.mean[k], places)
		slidingMeans(x, unit, d.mean[k], d.energy)
	}
}

// sums returns the sum and the sum of squares of x.
func sums(x []float32) (sum, energy float64) {
	for _, y := range x {
		sum += float64(y)
		energy += float64(y) * float64(y)
	}
	return sum, energy
}

// slidingMeans writes the means of u points from each place on, and adds to energy the sums of squared
// deviations from them. Two windows go side by side, as every sum waits for the last.
func slidingMeans(x []float32, u int, mean, energy []float32) {
	half, per := (len(mean)-1)/2, 1/float64(u)
	s, e := sums(x[:u])
	t, f := sums(x[half : half+u])
	old, next, mean1, energy1 := x[:half], x[u:][:half], mean[:half], energy[:half]
	old2, next2, mean2, energy2 := x[half:][:half], x[half+u:][:half], mean[half:][:half], energy[half:][:half]
	for j := range half {
		m, n := s*per, t*per
		mean1[j], mean2[j] = float32(m), float32(n)
		energy1[j] += float32(e - s*m)
		energy2[j] += float32(f - t*n)
		y, z := float64(next[j]), float64(old[j])
		v, w := float64(next2[j]), float64(old2[j])
		s += y - z
		e += (y - z) * (y + z)
		t += v - w
		f += (v - w) * (v + w)
	}
	for j := 2 * half; j < len(mean); j++ {
		m := t * per
		mean[j] = float32(m)
		energy[j] += float32(f - t*m)
		if j+1 < len(mean) {
			y, z := float64(x[j+u]), float64(x[j])
			t += y - z
			f += (y - z) * (y + z)
		}
	}
}

// invert replaces each energy by scale / (max(energy-noise, 0) + own), where own is the energy of the template; all
// become 0 if own is not positive.
func invert(energy []float32, noise, own, scale float32) {
	if !(own > 0) {
		clear(energy)
		return
	}
	for j := invertLanes(energy, noise, own, scale); j < len(energy); j++ {
		energy[j] = scale / (max(energy[j]-noise, 0) + own)
	}
}

// convolve writes to each g[p], or adds to it if add is set, the sum of t[i]*x[p+i]. It computes four places and four
// points at a time, so that every number loaded is used four times.
func convolve(g, x, t []float32, add bool) {
	n := len(g)
	p := convolveLanes(g, x, t, add)
	if !add {
		clear(g[p:])
	}
	for ; p+4 <= n; p += 4 {
		y := x[p : p+3+len(t)]
		var s0, s1, s2, s3 float32
		w := t
		for len(w) >= 4 && len(y) >= 7 {
			a, b, c, d := w[0], w[1], w[2], w[3]
			y0, y1, y2, y3, y4, y5, y6 := y[0], y[1], y[2], y[3], y[4], y[5], y[6]
			s0 += a*y0 + b*y1 + c*y2 + d*y3
			s1 += a*y1 + b*y2 + c*y3 + d*y4
			s2 += a*y2 + b*y3 + c*y4 + d*y5
			s3 += a*y3 + b*y4 + c*y5 + d*y6
			w, y = w[4:], y[4:]
		}
		for i, a := range w {
			z := y[i : i+4 : i+4]
			s0 += a * z[0]
			s1 += a * z[1]
			s2 += a * z[2]
			s3 += a * z[3]
		}
		q := g[p : p+4 : p+4]
		q[0] += s0
		q[1] += s1
		q[2] += s2
		q[3] += s3
	}
	for ; p < n; p++ {
		s := float32(0)
		for i, w := range t {
			s += w * x[p+i]
		}
		g[p] += s
	}
}

// sum returns the sum of x.
func sum(x []float32) float32 {
	s := float32(0)
	for _, v := range x {
		s += v
	}
	return s
}
