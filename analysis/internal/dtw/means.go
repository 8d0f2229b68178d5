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
// series are not finite or not all of one even length. Of each row it computes the columns in which one of the four
// tables can be within its limit, as Mean does.
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
	t := fourTables{cells: cells, y: q, columns: m, pairs: f[0].pairs(), first: 1}
	for l, x := range xs {
		for i, v := range x {
			for j, last := limits(i+1, n, m, 0); j <= last; j++ {
				t.limit[l] += distance(f[l].of(v), q[lanes*j+l])
			}
		}
		t.limit[l] |= t.pairs
	}
	for i := 0; i < n; i += 2 {
		for l, x := range xs {
			t.rows.v[l], t.rows.w[l] = f[l].of(x[i]), f[l].of(x[i+1])
		}
		t.addTwo()
	}
	for l := range lanes {
		out[l] = f[l].mean(cells[lanes*m+l])
	}
	return true
}

// fourTables are four tables side by side: cell j of table l is cells[lanes*j+l]. Only columns from first to last have
// a cell within the limit of its table, see table.
type fourTables struct {
	cells, y    []int64
	columns     int
	pairs       int64 // mask of the number of pairs
	limit       [lanes]int64
	first, last int
	rows        twoRowsState
}

// twoRowsState is what twoRows needs beside the cells of a row: the next two values of x, and the cells from which a
// path enters the next column: diagonally before that of the first row, left of it, and left of that of the second row.
// Its layout is known to the assembly.
type twoRowsState struct{ v, w, diagonal, above, left [lanes]int64 }

// addTwo computes, in each of the four tables, the rows of the next two values of x, which are in t.rows, and keeps
// only the second. It computes the columns from first to last and then further ones until no path within a limit enters
// the next column. Then it sets first and last for the new row.
func (t *fourTables) addTwo() {
	const further = 8 // columns computed at a time behind the last one
	before := lanes * (t.first - 1)
	for l := range lanes {
		t.rows.diagonal[l], t.rows.above[l], t.rows.left[l] = t.cells[before+l], unreachable, unreachable
		t.cells[before+l] = unreachable
	}
	from, to := t.first, t.last
	for {
		if to >= from {
			twoRows(&t.cells[lanes*(from-1)], &t.y[lanes*(from-1)], &t.rows.v[0], to-from+1, t.pairs)
			from = to + 1
		}
		if to == t.columns || from > t.first && !t.within(t.rows.above[:]) && !t.within(t.rows.left[:]) {
			break
		}
		to = min(max(to, from-1)+further, t.columns)
	}
	for t.last = to; t.last > t.first && !t.within(t.cells[lanes*t.last:]); {
		t.last--
	}
	for t.first < t.last && !t.within(t.cells[lanes*t.first:]) {
		t.first++
	}
}

// within reports whether one of four cells side by side is within the limit of its table.
func (t *fourTables) within(cells []int64) bool {
	return cells[0] <= t.limit[0] || cells[1] <= t.limit[1] || cells[2] <= t.limit[2] || cells[3] <= t.limit[3]
}
