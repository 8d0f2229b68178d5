package changepoint

import (
	"slices"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// loss is a bounded loss of residuals, with methods that fit levels by it.
type loss struct{ scatter.Loss }

// loss returns the loss function for noise s, in log units.
func (sc *scanner) loss(s float64) loss { return loss{sc.p.Outliers.Loss(s)} }

// level is a fitted level mu, in log units, with its total loss in nats and its effective number of runs.
type level struct{ mu, cost, weight float64 }

// descendFrom returns the level that iterated weighted means reach from mu.
func (l *loss) descendFrom(x []float64, mu float64) level {
	mu, sw := l.Descend(x, mu)
	return level{mu, l.Total(x, mu), sw}
}

// fitLevel returns the level of x with the least loss. Short pieces start at every run; long ones at the median
// and the lower quartile, because most outliers are slow. sorted is x with these ranks in place (ranked).
func (l *loss) fitLevel(x, sorted []float64) level {
	mid := robust.SortedMedian(sorted)
	best := l.descendFrom(x, mid)
	try := func(mu float64) {
		if v := l.descendFrom(x, mu); v.cost < best.cost-1e-9 {
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

// rankedQuartiles returns x in buf, ordered so that the median and the lower quartile are at their ranks; the
// lists of few runs are sorted as a whole.
func rankedQuartiles(buf, x []float64) []float64 {
	buf = append(buf[:0], x...)
	n := len(buf)
	robust.Rank(buf, n/2)
	if n > robust.FewToSort {
		robust.Rank(buf[:n/2], n/2-1)
		robust.Rank(buf[:n/2-1], n/4)
	}
	return buf
}

// abs returns the absolute value of i.
func abs(i int) int { return max(i, -i) }
