package dtw

// Directions from which a path enters a cell.
const (
	diagonal uint8 = iota
	up
	left
)

// Align returns the same distance as Squared and calls visit with the indexes i of x and j of y of each pair on the
// best path, from the last pair to the first. For an empty series it returns infinity and calls nothing.
func (s *Scratch) Align(x, y []float64, band int, visit func(i, j int)) float64 {
	n, m := len(x), len(y)
	if n == 0 || m == 0 {
		return inf
	}
	prev, cur := s.rows(m)
	start(prev)
	if cap(s.turn) < n*m {
		s.turn = make([]uint8, n*m+n*m/8)
	}
	turn := s.turn[:n*m]
	for i := 1; i <= n; i++ {
		lo, hi := limits(i, n, m, band)
		row := turn[(i-1)*m : i*m]
		before, corner := inf, prev[lo-1]
		v := x[i-1]
		for j := lo; j <= hi; j++ {
			above := prev[j]
			c, t := corner, diagonal
			if above < c {
				c, t = above, up
			}
			if before < c {
				c, t = before, left
			}
			c += (v - y[j-1]) * (v - y[j-1])
			cur[j], row[j-1] = c, t
			before, corner = c, above
		}
		seal(cur, i, n, m, band, lo, hi)
		prev, cur = cur, prev
	}
	for i, j := n, m; i > 0 && j > 0; {
		visit(i-1, j-1)
		switch turn[(i-1)*m+j-1] {
		case diagonal:
			i--
			j--
		case up:
			i--
		default:
			j--
		}
	}
	return prev[m]
}
