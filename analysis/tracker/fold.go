package tracker

import "math"

// fold is a template: the shape of some mixtures of the columns in one cycle, or in several if it is short.
// Each mixture has mean 0.
type fold struct {
	v      [][]float32 // [mixture][point]
	energy float64
}

// normalise subtracts the means and computes the energy.
func (f *fold) normalise() {
	f.energy = 0
	for _, x := range f.v {
		mean := float32(0)
		for _, y := range x {
			mean += y
		}
		mean /= float32(len(x))
		for i := range x {
			x[i] -= mean
			f.energy += float64(x[i]) * float64(x[i])
		}
	}
}

// points returns the number of points of the template.
func (f *fold) points() int { return len(f.v[0]) }

// likeness returns the cosine between the template and a window with the given sum of squares about its means:
// 1 = equal up to a factor, 0 = unrelated.
func (f *fold) likeness(window [][]float32, squares float64) float64 {
	dot := 0.0
	for k, x := range f.v {
		dot += product(x, window[k])
	}
	if e := f.energy * squares; e > 0 {
		return dot / math.Sqrt(e)
	}
	return 0
}

// product returns the dot product of x and y, computed as four sums for speed.
func product(x, y []float32) float64 {
	y = y[:len(x)]
	var a, b, c, d float32
	i := 0
	for ; i+4 <= len(x); i += 4 {
		a += x[i] * y[i]
		b += x[i+1] * y[i+1]
		c += x[i+2] * y[i+2]
		d += x[i+3] * y[i+3]
	}
	for ; i < len(x); i++ {
		a += x[i] * y[i]
	}
	return float64(a) + float64(b) + float64(c) + float64(d)
}

// add moves the template towards a window by the given share.
func (f *fold) add(window [][]float32, share float32) {
	for k, x := range f.v {
		w := window[k][:len(x)]
		mean := float32(0)
		for _, y := range w {
			mean += y
		}
		mean /= float32(len(w))
		for i := range x {
			x[i] += share * (w[i] - mean - x[i])
		}
	}
	f.normalise()
}

// stretched returns the template with n points; it is cyclic.
func (f *fold) stretched(n int) fold {
	g := fold{v: make([][]float32, len(f.v))}
	for k, x := range f.v {
		g.v[k] = make([]float32, n)
		for i := range n {
			u := float64(i) * float64(len(x)) / float64(n)
			j := int(u)
			part := float32(u - float64(j))
			g.v[k][i] = x[j]*(1-part) + x[(j+1)%len(x)]*part
		}
	}
	g.normalise()
	return g
}
