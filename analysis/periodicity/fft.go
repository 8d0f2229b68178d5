package periodicity

import (
	"math"
	"math/bits"
)

// transform computes correlations of real series of one length, a power of two,
// by complex transforms of half of it. Single precision is enough: the result
// is compared with thresholds of a tenth. It keeps its tables and buffers.
type transform struct {
	n    int         // complex points; the series has 2n
	w    []complex64 // the factors of each stage, one stage after the other
	rev  []int32
	a    []complex64
	turn []complex64 // exp(-i pi k / n), for the packing
}

func newTransform(size int) *transform {
	n := size / 2
	t := &transform{n: n, rev: make([]int32, n), a: make([]complex64, n), turn: make([]complex64, n/2+1)}
	for h := 4; h < n; h *= 2 {
		for j := range h {
			s, c := math.Sincos(-math.Pi * float64(j) / float64(h))
			t.w = append(t.w, complex(float32(c), float32(s)))
		}
	}
	shift := 32 - bits.TrailingZeros(uint(n))
	for i := range t.rev {
		t.rev[i] = int32(bits.Reverse32(uint32(i)) >> shift)
	}
	for i := range t.turn {
		s, c := math.Sincos(-math.Pi * float64(i) / float64(n))
		t.turn[i] = complex(float32(c), float32(s))
	}
	return t
}

// run transforms t.a in place.
func (t *transform) run() {
	a, n := t.a, t.n
	for i, r := range t.rev {
		if int(r) > i {
			a[i], a[r] = a[r], a[i]
		}
	}
	if n == 2 {
		a[0], a[1] = a[0]+a[1], a[0]-a[1]
		return
	}
	for i := 0; i+3 < n; i += 4 { // two stages at once
		q := a[i : i+4 : i+4]
		u, v, x, y := q[0]+q[1], q[0]-q[1], q[2]+q[3], q[2]-q[3]
		y = complex(imag(y), -real(y)) // times -i
		q[0], q[1], q[2], q[3] = u+x, v+y, u-x, v-y
	}
	w := t.w
	for h := 4; h < n; h *= 2 {
		for b := 0; b < n; b += 2 * h {
			lo, hi, w := a[b:b+h], a[b+h:b+2*h], w[:h]
			hi = hi[:len(lo)]
			w = w[:len(lo)]
			for j, u := range lo {
				w, v := w[j], hi[j]
				x := real(w)*real(v) - imag(w)*imag(v)
				y := real(w)*imag(v) + imag(w)*real(v)
				lo[j] = complex(real(u)+x, imag(u)+y)
				hi[j] = complex(real(u)-x, imag(u)-y)
			}
		}
		w = w[h:]
	}
}

// power adds the power spectrum of x, followed by zeros, to p[0..n].
func (t *transform) power(x []float32, p []float32) {
	a := t.a
	m := len(x) / 2
	for i := range m {
		a[i] = complex(x[2*i], x[2*i+1])
	}
	clear(a[m:])
	if len(x)%2 == 1 {
		a[m] = complex(x[len(x)-1], 0)
	}
	t.run()
	// Unpack the transform of even + i odd samples into that of the series.
	n := t.n
	for k := 0; k <= n/2; k++ {
		u, v := t.a[k], t.a[(n-k)&(n-1)]
		v = complex(real(v), -imag(v))
		even := complex((real(u)+real(v))/2, (imag(u)+imag(v))/2)
		odd := complex((imag(u)-imag(v))/2, (real(v)-real(u))/2)
		w := t.turn[k]
		o := complex(real(w)*real(odd)-imag(w)*imag(odd), real(w)*imag(odd)+imag(w)*real(odd))
		x, y := even+o, even-o // y conjugated belongs to n - k
		p[k] += real(x)*real(x) + imag(x)*imag(x)
		if k != n-k {
			p[n-k] += real(y)*real(y) + imag(y)*imag(y)
		}
	}
}

// correlate returns in c the correlation at lags 0..len(c)-1 whose power
// spectrum is p[0..n].
func (t *transform) correlate(p []float32, c []float32) {
	n, a := t.n, t.a
	// The spectrum is real and even: as a packed transform of even and odd
	// lags, conjugated so that the forward transform inverts it.
	for k := 0; k <= n/2; k++ {
		even, half := (p[k]+p[n-k])/2, (p[k]-p[n-k])/2
		w := t.turn[k]
		or, oi := real(w)*half, -imag(w)*half // half * conj(w)
		u := complex(even-oi, or)
		v := complex(even+oi, or)
		a[k] = complex(real(u), -imag(u))
		if k > 0 && k < n/2 {
			a[n-k] = complex(real(v), -imag(v))
		}
	}
	t.run()
	scale := 1 / float32(n)
	for i := range c {
		if z := a[i/2]; i%2 == 0 {
			c[i] = real(z) * scale
		} else {
			c[i] = -imag(z) * scale
		}
	}
}
