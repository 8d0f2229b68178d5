package periodicity

import "math"

// fold returns the mean of a unit and its rotations by 1, 2, .. periods, with as many points as the unit: of its
// harmonics those whose numbers are multiples of periods. In this form it is exact even if a period is no whole number
// of points.
func fold(v [][]float32, periods int) [][]float32 {
	out := make([][]float32, len(v))
	circle := make([][2]float64, len(v[0])) // cosine and sine
	for i := range circle {
		s, c := math.Sincos(2 * math.Pi * float64(i) / float64(len(circle)))
		circle[i] = [2]float64{c, s}
	}
	for k, x := range v {
		out[k] = make([]float32, len(x))
		for h := 0; h <= len(x)/2; h += periods {
			addHarmonic(out[k], x, circle, h)
		}
	}
	return out
}

// addHarmonic adds the harmonic h of x, the part of h cycles over its length, to out. circle has the cosine and sine of
// each point.
func addHarmonic(out, x []float32, circle [][2]float64, h int) {
	n := len(x)
	var re, im float64
	at := 0
	for _, y := range x {
		c := &circle[at]
		re += float64(y) * c[0]
		im += float64(y) * c[1]
		if at += h; at >= n {
			at -= n
		}
	}
	w := 2 / float64(n)
	if h == 0 || 2*h == n {
		w = 1 / float64(n)
	}
	at = 0
	for i := range out {
		c := &circle[at]
		out[i] += float32(w * (re*c[0] + im*c[1]))
		if at += h; at >= n {
			at -= n
		}
	}
}

// lostByFolding returns the share of the energy of t, without noise, that is lost when t is folded to a period
// shorter by the factor m. Where noise is over-estimated, as with short bursts in an idle process, the tracked
// distances of a period and of its fraction are both 0, and only this share distinguishes them.
func (t template) lostByFolding(m int) float64 {
	lost, all := 0.0, 0.0
	folded := fold(t.v, m*t.periods)
	for k, x := range t.v {
		for i, y := range x {
			d := float64(y - folded[k][i])
			lost += d * d
			all += float64(y) * float64(y)
		}
	}
	noise := t.own * float64(t.unit)
	return max(0, lost-noise*float64(m-1)/float64(m)) / max(all-noise, 0.02*all)
}
