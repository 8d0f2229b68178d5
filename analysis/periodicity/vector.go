package periodicity

// vector is a regular series of vectors, one slice per component. noise is the
// variance of white noise in every sample of every component.
type vector struct {
	c     [][]float32
	noise float64
}

// len returns the number of samples.
func (v vector) len() int {
	if len(v.c) == 0 {
		return 0
	}
	return len(v.c[0])
}

// slice returns the samples [a, b), sharing memory.
func (v vector) slice(a, b int) vector {
	s := vector{c: make([][]float32, len(v.c)), noise: v.noise}
	for k := range v.c {
		s.c[k] = v.c[k][a:b]
	}
	return s
}

// halve returns the means of pairs of samples, in the memory of h.
func (v vector) halve(h vector) vector {
	if len(h.c) != len(v.c) {
		h.c = make([][]float32, len(v.c))
	}
	h.noise = v.noise / 2
	for k, x := range v.c {
		h.c[k] = resize(h.c[k], len(x)/2)
		y := h.c[k]
		for i := range y {
			p := x[2*i : 2*i+2 : 2*i+2]
			y[i] = (p[0] + p[1]) / 2
		}
	}
	return h
}

// pyramid is a vector at falling resolution: level l has means of 2^l samples. Levels are computed at their
// first use: following a known lag needs only one.
type pyramid struct {
	levels       []vector
	height, made int
}

// minLevel is the number of points below which a level is of no use.
const minLevel = 48

// over makes p the pyramid of v, reusing the memory of earlier levels.
func (p *pyramid) over(v vector) *pyramid {
	p.height, p.made = 1, 1
	for n := v.len(); n >= 2*minLevel; n /= 2 {
		p.height++
	}
	for len(p.levels) < p.height {
		p.levels = append(p.levels, vector{})
	}
	p.levels[0] = v
	return p
}

// at returns level l, which must be below height, computing it at its first use.
func (p *pyramid) at(l int) vector {
	for ; p.made <= l; p.made++ {
		p.levels[p.made] = p.levels[p.made-1].halve(p.levels[p.made])
	}
	return p.levels[l]
}
