package marks

import (
	"math"

	"jobgait/analysis/internal/robust"
)

// A start is a first guess of the state of every bin.
type start struct {
	k     int
	label []uint8
}

const clusters = 5

// starts guesses where the states of a run may lie: where a page has much of the time,
// and in clusters of the mixtures.
func starts(b *bins) []start {
	share := b.smoothed()
	var out []start
	for _, row := range share {
		mean, _ := robust.Mean(row)
		for _, label := range [][]uint8{above(row, mean), above(row, robust.Quantile(row, 0.9))} {
			out = append(out, start{2, label})
		}
	}
	cluster := clustered(share)
	for k := 3; k <= maxStates; k++ {
		label := make([]uint8, len(cluster))
		for i, z := range cluster {
			label[i] = z % uint8(k)
		}
		out = append(out, start{k, label})
	}
	return out
}

func above(x []float64, least float64) []uint8 {
	label := make([]uint8, len(x))
	for i, v := range x {
		if v > least {
			label[i] = 1
		}
	}
	return label
}

// smoothed are the shares of each page over three bins: single bins have a handful of samples.
func (b *bins) smoothed() [][]float64 {
	share := make([][]float64, len(b.total))
	for p := range share {
		share[p] = make([]float64, b.len())
	}
	for i := range b.n {
		for _, h := range b.of(i) {
			x := float64(h.n) / b.n[i] / 3
			for _, j := range []int{i - 1, i, i + 1} {
				share[h.page][min(max(j, 0), b.len()-1)] += x
			}
		}
	}
	return share
}

// clustered puts every bin into one of five clusters of the square roots of its shares
// (k-means; the roots scatter alike whatever the share).
func clustered(share [][]float64) []uint8 {
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
			label[i] = nearest(r, center)
		}
		for c := range center {
			recenter(center[c], root, label, uint8(c))
		}
	}
	return label
}

func nearest(r []float64, center [][]float64) uint8 {
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

// recenter moves a centre to the mean of its bins; without any it stays.
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
