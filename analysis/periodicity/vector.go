package periodicity

// vector is a regular series of vectors, one slice per component. noise is the
// variance of white noise in every sample of every component.
type vector struct {
	c     [][]float32
	noise float64
}

func (v vector) len() int {
	if len(v.c) == 0 {
		return 0
	}
	return len(v.c[0])
}

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

// pyramid is a vector at falling resolution: level l has means of 2^l samples.
type pyramid []vector

// minLevel is the number of points below which a level is of no use.
const minLevel = 48

// of returns the pyramid of v, in the memory of p above its first level.
func (p pyramid) of(v vector) pyramid {
	old := p
	p = append(p[:0:0], v)
	for l := 1; p[l-1].len() >= 2*minLevel; l++ {
		var h vector
		if l < len(old) {
			h = old[l]
		}
		p = append(p, p[l-1].halve(h))
	}
	return p
}
