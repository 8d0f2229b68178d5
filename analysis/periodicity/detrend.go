package periodicity

// detrend writes x without its least squares line to y, and returns the sum of the squares of y. It adds up four sums
// side by side, because each addition waits for the one before.
func detrend(y, x []float32) float64 {
	base, rise := line(x)
	var s0, s1, s2, s3 float64
	y = y[:len(x)]
	f := float32(0)
	for ; len(x) >= 4; x, y = x[4:], y[4:] {
		a, b, c, d := x[0]-base-rise*f, x[1]-base-rise*(f+1), x[2]-base-rise*(f+2), x[3]-base-rise*(f+3)
		y[0], y[1], y[2], y[3] = a, b, c, d
		s0, s1, s2, s3 = s0+square(float64(a)), s1+square(float64(b)), s2+square(float64(c)), s3+square(float64(d))
		f += 4
	}
	for i, v := range x {
		y[i] = v - base - rise*(f+float32(i))
		s0 += square(float64(y[i]))
	}
	return s0 + s1 + s2 + s3
}

// line returns the first value and the slope of the least squares line of x.
func line(x []float32) (base, rise float32) {
	n := float64(len(x))
	at := -(n - 1) / 2
	var s0, s1, s2, s3, t0, t1, t2, t3 float64
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d := float64(x[0]), float64(x[1]), float64(x[2]), float64(x[3])
		s0, s1, s2, s3 = s0+a, s1+b, s2+c, s3+d
		t0, t1, t2, t3 = t0+a*at, t1+b*(at+1), t2+c*(at+2), t3+d*(at+3)
		at += 4
	}
	for _, v := range x {
		s0 += float64(v)
		t0 += float64(v) * at
		at++
	}
	slope := 0.0
	if n > 1 {
		slope = (t0 + t1 + t2 + t3) / (n * (n*n - 1) / 12)
	}
	return float32((s0+s1+s2+s3)/n - slope*(n-1)/2), float32(slope)
}
