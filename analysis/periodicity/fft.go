package periodicity

import "math"

// transform computes correlations of real series of one length, a power of two,
// by complex transforms of half of it. Single precision is enough: the result
// is compared with thresholds of a tenth. It keeps its tables and buffers.
//
// The spectrum is only wanted to be multiplied and taken back, so nothing is ever
// put in order: forward decimates in frequency and leaves the spectrum in reversed
// order of digits, back decimates in time and takes it so. Real and imaginary parts
// are apart, for the lanes; a product of Go's complex64 is computed in double.
type transform struct {
	n      int       // complex points; the series has 2n
	re, im []float32 // buffer
	stages []stageOf // of four, the longest first
	half   []float32 // factors of the stage of two in front, if n is no power of four
	turn   []complex64
	at     []int32 // where the spectrum at k = 0..n-1 is
}

// stageOf is a stage of butterflies of four, h points apart; w are the factors
// w1, w2, w3, real and imaginary part of each, h of them one after the other.
type stageOf struct {
	h int
	w []float32
}

func newTransform(size int) *transform {
	n := size / 2
	t := &transform{n: n, re: make([]float32, n), im: make([]float32, n), at: make([]int32, n)}
	for i := range n/2 + 1 {
		t.turn = append(t.turn, turned(float64(i)/float64(2*n)))
	}
	length := n
	if !powerOfFour(n) {
		length = n / 2
		t.half = factors(n, length, 1)
	}
	for ; length > 4; length /= 4 {
		t.stages = append(t.stages, stageOf{length / 4, factors(length, length/4, 3)})
	}
	t.order()
	return t
}

// turned is exp(-2 pi i x).
func turned(x float64) complex64 {
	s, c := math.Sincos(-2 * math.Pi * x)
	return complex(float32(c), float32(s))
}

// factors are exp(-2 pi i m j / length) for m = 1..most, j < h.
func factors(length, h, most int) []float32 {
	w := make([]float32, 2*h*most)
	for m := range most {
		for j := range h {
			f := turned(float64((m+1)*j) / float64(length))
			w[2*m*h+j], w[2*m*h+h+j] = real(f), imag(f)
		}
	}
	return w
}

func powerOfFour(n int) bool {
	for ; n > 1; n /= 4 {
		if n%4 != 0 {
			return false
		}
	}
	return true
}

// order fills at: the digits of k in the order in which the stages take them.
func (t *transform) order() {
	for k := range t.at {
		place, rest, block := 0, k, t.n
		if len(t.half) > 0 {
			block /= 2
			place, rest = rest%2*block, rest/2
		}
		for block > 1 {
			block /= 4
			place, rest = place+rest%4*block, rest/4
		}
		t.at[k] = int32(place)
	}
}

// forward transforms the buffer in place into reversed order.
func (t *transform) forward() {
	if h := len(t.half) / 2; h > 0 {
		for j := range h {
			a, b, c, d := t.re[j], t.im[j], t.re[h+j], t.im[h+j]
			t.re[j], t.im[j] = a+c, b+d
			t.re[h+j], t.im[h+j] = product(a-c, b-d, t.half[j], t.half[h+j])
		}
	}
	for _, s := range t.stages {
		s.split(t.re, t.im)
	}
	neighbours(t.re, t.im)
}

// back transforms the buffer, in reversed order, in place into natural order, by
// the factors of forward: given a conjugated spectrum it is the inverse, conjugated.
func (t *transform) back() {
	neighbours(t.re, t.im)
	for i := len(t.stages) - 1; i >= 0; i-- {
		t.stages[i].join(t.re, t.im)
	}
	if h := len(t.half) / 2; h > 0 {
		for j := range h {
			a, b := t.re[j], t.im[j]
			c, d := product(t.re[h+j], t.im[h+j], t.half[j], t.half[h+j])
			t.re[j], t.im[j], t.re[h+j], t.im[h+j] = a+c, b+d, a-c, b-d
		}
	}
}

// power adds the power spectrum of x, followed by zeros, to p[0..n].
func (t *transform) power(x []float32, p []float32) {
	re, im := t.re, t.im
	m := len(x) / 2
	for i := range m {
		re[i], im[i] = x[2*i], x[2*i+1]
	}
	clear(re[m:])
	clear(im[m:])
	if len(x)%2 == 1 {
		re[m] = x[len(x)-1]
	}
	t.forward()
	// Unpack the transform of even + i odd samples into that of the series.
	n := t.n
	for k := 0; k <= n/2; k++ {
		i, j := t.at[k], t.at[(n-k)&(n-1)]
		ur, ui, vr, vi := re[i], im[i], re[j], -im[j]
		even, evenI := (ur+vr)/2, (ui+vi)/2
		o, oi := product((ui-vi)/2, (vr-ur)/2, real(t.turn[k]), imag(t.turn[k]))
		xr, xi, yr, yi := even+o, evenI+oi, even-o, evenI-oi // y conjugated belongs to n - k
		p[k] += xr*xr + xi*xi
		if k != n-k {
			p[n-k] += yr*yr + yi*yi
		}
	}
}

// correlate returns in c the correlation at lags 0..len(c)-1 whose power
// spectrum is p[0..n].
func (t *transform) correlate(p []float32, c []float32) {
	n, re, im := t.n, t.re, t.im
	// The spectrum is real and even: as a packed transform of even and odd
	// lags, conjugated so that the forward transform inverts it.
	for k := 0; k <= n/2; k++ {
		even, half := (p[k]+p[n-k])/2, (p[k]-p[n-k])/2
		w := t.turn[k]
		or, oi := real(w)*half, -imag(w)*half // half * conj(w)
		i, j := t.at[k], t.at[(n-k)&(n-1)]
		if k > 0 && k < n/2 {
			re[j], im[j] = even+oi, -or
		}
		re[i], im[i] = even-oi, -or
	}
	t.back()
	scale := 1 / float32(n)
	for i := range c {
		if i%2 == 0 {
			c[i] = re[i/2] * scale
		} else {
			c[i] = -im[i/2] * scale
		}
	}
}
