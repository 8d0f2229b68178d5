package scaling

import "math"

// lawSpace is the laws that a prediction averages over: one term with exponents
// on a grid much finer than the paper's, and sums of two of the paper's terms.
// The fine grid is what makes intervals hold for functions outside the paper's
// space; with the paper's twenty alone they are too short there.
type lawSpace struct {
	n      int         // points; columns hold the targets after them
	dense  []cell      // laws of one term
	sums   [][]float64 // columns of which pairs are summed
	beyond []float64   // doublings beyond the last point
	// Logarithms of p over the largest p, and of its logarithm over that of
	// the largest p.
	logP, logLog []float64
}

// cell is a term and the ranges of exponents for which it stands: half a width
// to each side.
type cell struct {
	i, j           float64
	widthI, widthJ float64
	prior          float64 // logarithm
	column         []float64
}

const (
	cellI, cellJ = 1. / 16, 1. / 4
	// Exponents reach from -2 to 3, and from 0 to 2 for the logarithm.
	fromI, toI, toJ = -32, 48, 8
)

// newLawSpace evaluates the shapes at p and at targets. Parameters are scaled by
// the largest one, so that no power overflows.
func newLawSpace(p, targets []float64) lawSpace {
	all := append(append([]float64(nil), p...), targets...)
	w := lawSpace{n: len(p)}
	logs := p[0] >= 1 && p[len(p)-1] > 1
	pmax := p[len(p)-1]
	w.beyond, w.logP, w.logLog = make([]float64, len(all)), make([]float64, len(all)), make([]float64, len(all))
	root := make([]float64, len(all)) // scaled p^(1/16)
	quarter := make([]float64, len(all))
	for k, v := range all {
		root[k] = math.Pow(v/pmax, 1./16)
		w.logP[k] = math.Log(v / pmax)
		w.beyond[k] = max(0, w.logP[k]/math.Ln2)
		if logs {
			l := math.Log2(max(v, 1)) / math.Log2(pmax)
			quarter[k] = math.Sqrt(math.Sqrt(l))
			w.logLog[k] = math.Log(l)
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
			c := cell{i: float64(i) * cellI, j: float64(j) * cellJ, widthI: cellI, column: x}
			if i >= 0 && logs {
				c.widthJ = cellJ
			}
			w.dense = append(w.dense, c)
			paper := i >= 0 && i%8 == 0 && j%4 == 0
			if paper || i == -8 || i == -16 || i == -32 {
				w.sums = append(w.sums, x)
			}
		}
	}
	return w
}

// raise is x^n by squaring.
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

// split is the quarters of a cell, or its halves where it has no logarithm.
func (w lawSpace) split(c cell) []cell {
	js := []float64{c.j}
	if c.widthJ > 0 {
		// The cells of no logarithm reach to one side only.
		js = []float64{max(c.j-c.widthJ/4, 0), c.j + c.widthJ/4}
	}
	var out []cell
	prior := c.prior - math.Log(float64(2*len(js)))
	for _, i := range []float64{c.i - c.widthI/4, c.i + c.widthI/4} {
		for _, j := range js {
			s := cell{i, j, c.widthI / 2, c.widthJ / 2, prior, make([]float64, len(w.logP))}
			for k, l := range w.logP {
				v := i * l
				if j > 0 {
					v += j * w.logLog[k]
				}
				s.column[k] = math.Exp(v)
			}
			out = append(out, s)
		}
	}
	return out
}
