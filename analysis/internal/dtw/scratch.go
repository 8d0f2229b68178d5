package dtw

import "math"

// Scratch is memory that successive computations reuse; it grows as needed and never shrinks. Its zero value is
// ready to use. Only one goroutine may use it at a time.
type Scratch struct {
	prev, cur []float64
	fixed     []int64
	turn      []uint8
}

// Full is the band that admits all pairs.
const Full = -1

// rows returns two rows of m+2 cells.
func (s *Scratch) rows(m int) (prev, cur []float64) {
	if cap(s.prev) < m+2 {
		s.prev, s.cur = make([]float64, 2*(m+2)), make([]float64, 2*(m+2))
	}
	return s.prev[:m+2], s.cur[:m+2]
}

// fixedRows returns a row of m+1 cells in fixed point, and as many values.
func (s *Scratch) fixedRows(m int) (cells, values []int64) {
	if len(s.fixed) < 2*(m+1) {
		s.fixed = make([]int64, 4*(m+1))
	}
	return s.fixed[:m+1], s.fixed[m+1 : 2*(m+1)]
}

// limits returns the first and last column of row i (all from 1) within the
// band around the diagonal of an n by m table.
func limits(i, n, m, band int) (lo, hi int) {
	if band < 0 {
		return 1, m
	}
	// The diagonal crosses row i between these columns; where m > n that is
	// more than one of them.
	lo, hi = ((i-1)*m)/n+1, (i*m+n-1)/n
	return max(1, lo-band), min(m, hi+band)
}

var inf = math.Inf(1)

// start sets the cells before the first row: 0 at index 0, where every path begins, and infinity elsewhere.
func start(prev []float64) {
	for j := range prev {
		prev[j] = inf
	}
	prev[0] = 0
}

// seal sets the cells on both sides of lo..hi in row i to infinity, as far as row i+1 reads them, because they
// still have values of two rows before.
func seal(cur []float64, i, n, m, band, lo, hi int) {
	cur[lo-1] = inf
	if band < 0 {
		return
	}
	_, end := limits(i+1, n, m, band)
	for j := hi + 1; j <= end; j++ {
		cur[j] = inf
	}
}
