package changepoint

import (
	"slices"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// loss is what runs off a level cost, and fits levels by it.
type loss struct{ scatter.Loss }

// loss is that of noise s.
func (sc *scanner) loss(s float64) loss { return loss{sc.p.Outliers.Loss(s)} }

// level is a fitted height: its loss and how many runs carry it.
type level struct{ mu, cost, weight float64 }

// from returns the level that weighted means reach from mu.
func (l *loss) from(x []float64, mu float64) level {
	mu, sw := l.Descend(x, mu)
	return level{mu, l.Total(x, mu), sw}
}

// fit returns the cheapest level of x. Short pieces start at every run; long
// ones at the median and the lower quartile, because most outliers are slow.
// sorted is x with these ranks in place (ranked).
func (l *loss) fit(x, sorted []float64) level {
	mid := robust.SortedMiddle(sorted)
	best := l.from(x, mid)
	try := func(mu float64) {
		if v := l.from(x, mu); v.cost < best.cost-1e-9 {
			best = v
		}
	}
	if len(x) <= robust.FewToSort {
		for q, mu := range sorted {
			if mu != mid && (q == 0 || mu != sorted[q-1]) { // else the same again
				try(mu)
			}
		}
	} else {
		try(sorted[len(sorted)/4])
	}
	return best
}

// ascending returns x sorted in buf.
func ascending(buf, x []float64) []float64 {
	buf = append(buf[:0], x...)
	slices.Sort(buf)
	return buf
}

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

func abs(i int) int { return max(i, -i) }
