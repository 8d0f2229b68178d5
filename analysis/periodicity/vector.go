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

// halve returns the means of pairs of samples.
func (v vector) halve() vector {
	h := vector{c: make([][]float32, len(v.c)), noise: v.noise / 2}
	for k, x := range v.c {
		y := make([]float32, len(x)/2)
		for i := range y {
			y[i] = (x[2*i] + x[2*i+1]) / 2
		}
		h.c[k] = y
	}
	return h
}

// pyramid is a vector at falling resolution: level l has means of 2^l samples.
type pyramid []vector

// minLevel is the number of points below which a level is of no use.
const minLevel = 48

func newPyramid(v vector) pyramid {
	p := pyramid{v}
	for p[len(p)-1].len() >= 2*minLevel {
		p = append(p, p[len(p)-1].halve())
	}
	return p
}

// slice returns samples a to b of every level that still has enough of them.
func (p pyramid) slice(a, b int) pyramid {
	var out pyramid
	for l, v := range p {
		lo, hi := a>>l, min(b>>l, v.len())
		if l > 0 && hi-lo < minLevel {
			break
		}
		out = append(out, v.slice(lo, hi))
	}
	return out
}
