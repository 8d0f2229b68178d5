package periodicity

import "math"

// fold returns the mean of the unit and its rotations by 1, 2, .. periods: of
// its harmonics those that are multiples of the number of periods. In this form
// it is exact when a period is no whole number of points.
func fold(v [][]float32, periods int) [][]float32 {
	out := make([][]float32, len(v))
	for k, x := range v {
		n := len(x)
		out[k] = make([]float32, n)
		for h := 0; h <= n/2; h += periods {
			var re, im float64
			for i, y := range x {
				s, c := math.Sincos(2 * math.Pi * float64(h*i%n) / float64(n))
				re += float64(y) * c
				im += float64(y) * s
			}
			w := 2 / float64(n)
			if h == 0 || 2*h == n {
				w = 1 / float64(n)
			}
			for i := range n {
				s, c := math.Sincos(2 * math.Pi * float64(h*i%n) / float64(n))
				out[k][i] += float32(w * (re*c + im*s))
			}
		}
	}
	return out
}

// beyond is the share of the energy of t, noise taken out, that a period shorter
// by the factor m cannot have: what folding t to it takes away. Where noise is
// over-estimated, as with short bursts in an idle process, the tracked distances
// of a period and of its fraction are both nothing, and only this tells them.
func (t template) beyond(m int) float64 {
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
