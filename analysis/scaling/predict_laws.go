package scaling

import "math"

// lawSpace holds the laws over which a prediction averages: one term with exponents on a grid much finer than
// the paper's, and sums of two of the paper's terms. The fine grid is what makes intervals hold for functions
// outside the paper's space; with the paper's twenty alone they are too short there.
type lawSpace struct {
	n      int         // points; columns hold the targets after them
	dense  [][]float64 // columns of laws of one term
	sums   [][]float64 // columns of which pairs are summed
	beyond []float64   // doublings beyond the last point
}

// Exponents reach from -2 to 3 in steps of 1/16, and from 0 to 2 in steps of 1/4 for
// the logarithm.
const fromI, toI, toJ = -32, 48, 8

// newLawSpace evaluates the shapes at p and at targets. Parameters are scaled by
// the largest one, so that no power overflows.
func newLawSpace(p, targets []float64) lawSpace {
	all := append(append([]float64(nil), p...), targets...)
	w := lawSpace{n: len(p)}
	logs := p[0] >= 1 && p[len(p)-1] > 1
	pmax := p[len(p)-1]
	w.beyond = make([]float64, len(all))
	root := make([]float64, len(all)) // scaled p^(1/16)
	quarter := make([]float64, len(all))
	for k, v := range all {
		root[k] = math.Pow(v/pmax, 1./16)
		w.beyond[k] = max(0, math.Log2(v/pmax))
		if logs {
			quarter[k] = math.Sqrt(math.Sqrt(math.Log2(max(v, 1)) / math.Log2(pmax)))
		}
	}
	for i := fromI; i <= toI; i++ {
		for j := 0; j <= toJ; j++ {
			if i == 0 && j == 0 || j > 0 && (i < 0 || !logs) {
				continue
			}
			x := make([]float64, len(all))
			for k := range x {
				x[k] = raise(root[k], i) * raise(quarter[k], j)
			}
			w.dense = append(w.dense, x)
			paper := i >= 0 && i%8 == 0 && j%4 == 0
			if paper || i == -8 || i == -16 || i == -32 {
				w.sums = append(w.sums, x)
			}
		}
	}
	return w
}

// raise returns x^n by squaring.
func raise(x float64, n int) float64 {
	if n < 0 {
		return 1 / raise(x, -n)
	}
	r := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			r *= x
		}
		x *= x
	}
	return r
}
