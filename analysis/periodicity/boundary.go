package periodicity

import "math"

// boundaries returns the first sample and the end of every occurrence, in samples limited to [a, b). Occurrences are
// given in points of a pyramid level; at each finer level all boundaries are doubled and sharpened (see sharpenMarks).
// A boundary shared by two occurrences stays shared.
func boundaries(p *pyramid, level int, occ []occurrence, a, b int) [][2]int {
	marks := make([]int, 0, len(occ)+8)
	index := make([][2]int, len(occ))
	for i, o := range occ {
		if i > 0 && occ[i-1].at[parts] == o.at[0] {
			index[i][0] = len(marks) - 1
		} else {
			marks = append(marks, o.at[0])
			index[i][0] = len(marks) - 1
		}
		marks = append(marks, o.at[parts])
		index[i][1] = len(marks) - 1
	}
	unit := occ[0].length()
	for l := level - 1; l >= 0; l-- {
		unit *= 2
		for i := range marks {
			marks[i] *= 2
		}
		sharpenMarks(p.at(l), marks, min(unit/4, 128))
	}
	out := make([][2]int, len(occ))
	prev := a
	for i := range marks {
		marks[i] = max(prev, min(marks[i], b))
		prev = marks[i]
	}
	for i, ix := range index {
		out[i] = [2]int{marks[ix[0]], marks[ix[1]]}
	}
	return out
}

// sharpenMarks moves each mark by up to two samples to the place whose surroundings, h samples on both sides, are most
// like the mean surroundings of the marks. Marks nearer than h to an end of v do not move beyond it.
func sharpenMarks(v vector, marks []int, h int) {
	const reach = 2
	n := v.len()
	mean := make([][]float32, len(v.c))
	step := max(1, len(marks)/256)
	for k, x := range v.c {
		mean[k] = make([]float32, 2*h)
		count := 0
		for j := 0; j < len(marks); j += step {
			m := marks[j]
			if m-h < 0 || m+h > n {
				continue
			}
			count++
			for i, y := range x[m-h : m+h] {
				mean[k][i] += y
			}
		}
		for i := range mean[k] {
			mean[k][i] /= float32(max(1, count))
		}
	}
	for j, m := range marks {
		best, at := float32(math.MaxFloat32), m
		for _, s := range [2*reach + 1]int{0, -1, 1, -2, 2} {
			if m+s-h < 0 || m+s+h > n {
				continue
			}
			d := float32(0)
			for k, x := range v.c {
				d += squaredDistance(x[m+s-h:m+s+h], mean[k], best-d)
			}
			if d < best {
				best, at = d, m+s
			}
		}
		marks[j] = at
	}
}

// squaredDistance returns the squared distance of x and y, or any number above limit if it exceeds that.
func squaredDistance(x, y []float32, limit float32) float32 {
	d := float32(0)
	y = y[:len(x)]
	for len(x) >= 16 {
		for i := range 16 {
			e := x[i] - y[i]
			d += e * e
		}
		if d > limit {
			return d
		}
		x, y = x[16:], y[16:]
	}
	for i := range x {
		e := x[i] - y[i]
		d += e * e
	}
	return d
}
