package periodicity

// Sums over four components side by side: each of them is added up in the order of
// its samples, as one alone is, but none has to wait for the others.

// means4 are the means of four components of the same length, as mean32 has them.
func means4(x0, x1, x2, x3 []float32) [4]float32 {
	x1, x2, x3 = x1[:len(x0)], x2[:len(x0)], x3[:len(x0)]
	var a, b, c, d float32
	for i, v := range x0 {
		a, b, c, d = a+v, b+x1[i], c+x2[i], d+x3[i]
	}
	n := float32(max(1, len(x0)))
	return [4]float32{a / n, b / n, c / n, d / n}
}

// squares4 are their energies without the means m.
func squares4(x0, x1, x2, x3 []float32, m [4]float32) [4]float32 {
	x1, x2, x3 = x1[:len(x0)], x2[:len(x0)], x3[:len(x0)]
	var a, b, c, d float32
	m0, m1, m2, m3 := m[0], m[1], m[2], m[3]
	for i, v := range x0 {
		e, f, g, h := v-m0, x1[i]-m1, x2[i]-m2, x3[i]-m3
		a, b, c, d = a+e*e, b+f*f, c+g*g, d+h*h
	}
	return [4]float32{a, b, c, d}
}

// products4 adds the products of samples lo to hi, without the means, with those of w
// from a place on to s.
func products4(s *[4]float32, x [][]float32, lo, hi int, m [4]float32, w [][]float32, from int) {
	x0, x1, x2, x3 := x[0][lo:hi], x[1][lo:hi], x[2][lo:hi], x[3][lo:hi]
	n := len(x0)
	x1, x2, x3 = x1[:n], x2[:n], x3[:n]
	w0, w1, w2, w3 := w[0][from:][:n], w[1][from:][:n], w[2][from:][:n], w[3][from:][:n]
	a, b, c, d := s[0], s[1], s[2], s[3]
	m0, m1, m2, m3 := m[0], m[1], m[2], m[3]
	for i, v := range x0 {
		a, b, c, d = a+(v-m0)*w0[i], b+(x1[i]-m1)*w1[i], c+(x2[i]-m2)*w2[i], d+(x3[i]-m3)*w3[i]
	}
	*s = [4]float32{a, b, c, d}
}
