package changepoint

import "jobgait/analysis/internal/robust"

// ranked returns x in buf with those ranks in place from which a level is fitted:
// the middle and the lower quartile, all of few.
func ranked(buf, x []float64) []float64 {
	buf = append(buf[:0], x...)
	n := len(buf)
	robust.Rank(buf, n/2)
	if n > robust.FewToSort {
		robust.Rank(buf[:n/2], n/2-1)
		robust.Rank(buf[:n/2-1], n/4)
	}
	return buf
}
