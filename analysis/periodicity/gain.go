package periodicity

// gains fills the tables of gains. Level and energy are those of the stretch of
// one unit about the place, so neither a trend nor an outburst nearby counts.
func (d *tracker) gains(v vector, t template, maxDistance float64) {
	n := v.len()
	places := n - t.unit + 1
	d.local(v, t, maxDistance)
	for q := range parts {
		lo, hi := t.cut[q], t.cut[q+1]
		g := d.gain[q]
		last := n - (hi - lo) + 1
		clear(g[:last])
		for p := last; p <= n; p++ {
			g[p] = never
		}
		own := float32(-t.own * float64(hi-lo))
		base := float32(float64(hi-lo) / float64(t.unit) * (1 - 1/maxDistance))
		for k, x := range v.c {
			convolve(g[:last], x, t.v[k][lo:hi])
			level, mean := sum(t.v[k][lo:hi]), d.mean[k]
			for p := range last {
				g[p] -= level * mean[min(max(p-lo, 0), places-1)]
			}
		}
		for p := range last {
			g[p] = base + (g[p]+own)*d.inv[min(max(p-lo, 0), places-1)]
		}
	}
}

// local fills mean and inv, two over the energies that belong to a unit begun at
// each place, noise taken out.
func (d *tracker) local(v vector, t template, maxDistance float64) {
	n, u := v.len(), t.unit
	places := n - u + 1
	d.inv = resize(d.inv, places)
	clear(d.inv)
	for len(d.mean) < len(v.c) {
		d.mean = append(d.mean, nil)
	}
	for k, x := range v.c {
		d.mean[k] = resize(d.mean[k], places)
		s, s2 := 0.0, 0.0
		for _, y := range x[:u-1] {
			s += float64(y)
			s2 += float64(y) * float64(y)
		}
		mean, inv, old := d.mean[k], d.inv, x[:places]
		for j, y := range x[u-1:] {
			s += float64(y)
			s2 += float64(y) * float64(y)
			m := s / float64(u)
			mean[j] = float32(m)
			inv[j] += float32(s2 - s*m)
			z := float64(old[j])
			s -= z
			s2 -= z * z
		}
	}
	noise := float32(v.noise * float64(u*len(v.c)))
	own, scale := float32(t.energy), float32(2/maxDistance)
	for j, e := range d.inv {
		if e = max(e-noise, 0) + own; e > 0 {
			d.inv[j] = scale / e
		} else {
			d.inv[j] = 0
		}
	}
}

// convolve adds to g[p] the product of t with x from p on: four places and four
// points at a time, so that every number loaded is used four times.
func convolve(g, x, t []float32) {
	n := len(g)
	p := 0
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

func sum(x []float32) float32 {
	s := float32(0)
	for _, v := range x {
		s += v
	}
	return s
}
