package marks

import (
	"math"

	"jobgait/analysis/internal/robust"
)

// initialStates is a first guess of the state, 0 to k-1, of every bin.
type initialStates struct {
	k     int
	label []uint8
}

const clusters = 5

// initialGuesses returns first guesses of the states of all bins. For each page there are two guesses with two states:
// whether its share is above its mean, and whether it is above its 0.9-quantile. For each k from 3 to maxStates there
// is one whose state is the number of the bin's cluster modulo k.
func initialGuesses(b *bins) []initialStates {
	share := b.smoothed()
	var out []initialStates
	for _, row := range share {
		mean, _ := robust.Mean(row)
		for _, label := range [][]uint8{labelAbove(row, mean), labelAbove(row, robust.Quantile(row, 0.9))} {
			out = append(out, initialStates{2, label})
		}
	}
	cluster := clusterBins(share)
	for k := 3; k <= maxStates; k++ {
		label := make([]uint8, len(cluster))
		for i, z := range cluster {
			label[i] = z % uint8(k)
		}
		out = append(out, initialStates{k, label})
	}
	return out
}

// labelAbove returns 1 for each value above threshold, else 0.
func labelAbove(x []float64, threshold float64) []uint8 {
	label := make([]uint8, len(x))
	for i, v := range x {
		if v > threshold {
			label[i] = 1
		}
	}
	return label
}

// smoothed returns, for each page, its share of the samples in each bin, averaged over three bins because a single bin
// has only a handful of samples.
func (b *bins) smoothed() [][]float64 {
	share := make([][]float64, len(b.total))
	for p := range share {
		share[p] = make([]float64, b.len())
	}
	for i := range b.n {
		for _, h := range b.hitsOf(i) {
			x := float64(h.n) / b.n[i] / 3
			for _, j := range []int{i - 1, i, i + 1} {
				share[h.page][min(max(j, 0), b.len()-1)] += x
			}
		}
	}
	return share
}

// clusterBins returns for every bin the number, 0 to 4, of its cluster: k-means of the square roots of the page shares.
// share has one row per page. Square roots have about equal scatter whatever the share.
func clusterBins(share [][]float64) []uint8 {
	n := len(share[0])
	root := make([][]float64, n)
	for i := range root {
		root[i] = make([]float64, len(share))
		for p := range share {
			root[i][p] = math.Sqrt(share[p][i])
		}
	}
	center := make([][]float64, clusters)
	for c := range center {
		center[c] = append([]float64(nil), root[(2*c+1)*n/(2*clusters)]...)
	}
	label := make([]uint8, n)
	for range 12 {
		for i, r := range root {
			label[i] = nearestCenter(r, center)
		}
		for c := range center {
			recenter(center[c], root, label, uint8(c))
		}
	}
	return label
}

// nearestCenter returns the index of the centre with the least Euclidean distance to r.
func nearestCenter(r []float64, center [][]float64) uint8 {
	best, at := math.Inf(1), 0
	for c, m := range center {
		d := 0.0
		for p, x := range r {
			d += (x - m[p]) * (x - m[p])
		}
		if d < best {
			best, at = d, c
		}
	}
	return uint8(at)
}

// recenter moves centre c to the mean of the bins that have its label; without any it stays.
func recenter(center []float64, root [][]float64, label []uint8, c uint8) {
	sum, n := make([]float64, len(center)), 0.0
	for i, r := range root {
		if label[i] != c {
			continue
		}
		n++
		for p, x := range r {
			sum[p] += x
		}
	}
	if n > 0 {
		for p := range center {
			center[p] = sum[p] / n
		}
	}
}
