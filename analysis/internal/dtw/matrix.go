package dtw

import (
	"math"
	"slices"
)

// Matrix holds the distances of all pairs of n items, each once.
type Matrix struct {
	n int
	d []float32
}

// NewMatrix computes the paper's distance of all pairs: n (n-1) / 2 alignments
// without a band.
func NewMatrix(items [][]float64) Matrix {
	n := len(items)
	m := Matrix{n: n, d: make([]float32, 0, n*(n-1)/2)}
	var s Scratch
	for i := range items {
		for j := range i {
			m.d = append(m.d, float32(s.Mean(items[i], items[j])))
		}
	}
	return m
}

// At returns the distance of items i and j.
func (m Matrix) At(i, j int) float64 {
	if i == j {
		return 0
	}
	i, j = max(i, j), min(i, j)
	return float64(m.d[i*(i-1)/2+j])
}

// Clusters returns the number of the single-linkage cluster of each item: items at a distance of at most cut are in one
// cluster. Clusters are numbered from 0 in the order of their first items.
func (m Matrix) Clusters(cut float64) []int {
	set := newDisjoint(m.n)
	k := 0
	for i := range m.n {
		for j := range i {
			if float64(m.d[k]) <= cut {
				set.join(i, j)
			}
			k++
		}
	}
	return set.labels()
}

// Medoid returns the member with the smallest sum of distances to the others;
// of equals the first. It is -1 for no members.
func (m Matrix) Medoid(members []int) int {
	best, at := math.Inf(1), -1
	for _, i := range members {
		sum := 0.0
		for _, j := range members {
			sum += m.At(i, j)
		}
		if sum < best {
			best, at = sum, i
		}
	}
	return at
}

// Nearest returns the median over the items of the distance to the nearest
// other one: the floor that noise gives to any cut. NaN for fewer than two.
func (m Matrix) Nearest() float64 {
	if m.n < 2 {
		return math.NaN()
	}
	near := make([]float64, m.n)
	for i := range near {
		near[i] = math.Inf(1)
		for j := range m.n {
			if j != i {
				near[i] = min(near[i], m.At(i, j))
			}
		}
	}
	slices.Sort(near)
	return (near[(m.n-1)/2] + near[m.n/2]) / 2
}
