package changepoint

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
	"jobgait/analysis/quantity"
)

// Creep is a slow movement (ramp) of many runs, found in the whole history; the scan reports it as several
// changes, as a drift or not at all. Later runs may change it, unlike Changes.
type Creep struct {
	// FirstIndex and LastIndex are the runs between which the level moves, N is their number. The creep explains
	// the changes in [Since, Until).
	FirstIndex, LastIndex, N int
	Since, Until             int
	// From and To are the levels before and after, in the unit of the input.
	From, To  float64
	EffectPct float64
}

// Explains reports whether the creep explains a change at the given run; it does not explain the change at its
// beginning.
func (c *Creep) Explains(index int) bool { return c != nil && c.Since < index && index < c.Until }

// withoutCreep returns values y with the creep removed, so that its runs scatter around the level at its end.
func (c *Creep) withoutCreep(y []float64) []float64 {
	y = slices.Clone(y)
	for k := c.Since; k < min(c.Until, len(y)); k++ {
		y[k] *= math.Pow(c.To/c.From, 1-rampFraction(k, c.FirstIndex, c.LastIndex))
	}
	return y
}

const (
	// creepRuns is the shortest creep: a shorter ramp looks like two steps.
	creepRuns = 20
	// creepMost is the most runs that are searched, creepChanges the most changes, creepPlaces the number of
	// places tried for each end before the best is refined.
	creepMost, creepChanges, creepPlaces = 480, 8, 40
	// creepSteps is how many steps are compared with a ramp. creepMargin is the required log-likelihood margin of
	// the ramp over each number of steps, in nats: a margin of 3 keeps 90 % of the detections that 1 gives
	// (MEASURED.md).
	creepSteps, creepMargin = 12, 1
)

// movingStretch is a ramp fitted to the runs [from,until).
type movingStretch struct {
	ramp
	from, until int
}

// findCreep returns the longest stretch, the newest of equals, which one ramp explains better than up to
// creepSteps steps do; nil if none exists. A stretch starts and ends at a change or at an end of the history,
// and may span changes; only the newest creepChanges changes and creepMost runs are considered. flips is the
// evidence of recorded fields for a step at each run, nil without fields: a change at which one flipped is a
// step.
func findCreep(x []float64, ev []event, flips []float64, o scatter.Outliers) *movingStretch {
	ev = ev[max(0, len(ev)-creepChanges):]
	starts, ends := []int{0}, []int{len(x)}
	for _, e := range ev {
		starts, ends = append(starts, e.resumed), append(ends, e.index)
	}
	var stretches []movingStretch
	for _, from := range starts {
		for _, until := range ends {
			caused := func(e event) bool { return from < e.index && e.index < until && flips != nil && flips[e.index] > 0 }
			if from = max(from, until-creepMost); until-from >= creepRuns && !slices.ContainsFunc(ev, caused) {
				stretches = append(stretches, movingStretch{from: from, until: until})
			}
		}
	}
	slices.SortStableFunc(stretches, func(p, q movingStretch) int {
		return cmp.Or(cmp.Compare(q.until-q.from, p.until-p.from), cmp.Compare(q.until, p.until))
	})
	for _, l := range stretches {
		if l.fit(x[l.from:l.until], o) {
			return &l
		}
	}
	return nil
}

// fit fits a ramp to runs x and reports whether it explains them better, by creepMargin nats, than each number of steps
// from 0 to creepSteps does. It sets the ramp also if not. It compares likelihoods of independent runs, reduced by
// their correlation, with a penalty for each parameter. An end of the ramp at an end of the runs counts as no
// parameter, except against one level.
func (l *movingStretch) fit(x []float64, o scatter.Outliers) bool {
	n := len(x)
	s := newSums(x, outlierWeights(x, o))
	all, worth := s.between(0, n).w, float64(n)
	tries := s.bestRamps()
	for _, t := range tries {
		if math.IsInf(t.squares, 1) {
			continue // too few runs for such a ramp
		}
		worth = min(worth, all/varianceInflation(t.lagCorrelation(x, s.weights), float64(n)))
	}
	cost := func(squares float64, parameters int) float64 {
		return worth/2*math.Log(max(squares/all, sq(scatter.LeastNoise))) + float64(parameters)*math.Log(max(worth, 2))/2
	}
	least, open := math.Inf(1), 0
	for k, t := range tries {
		if c := cost(t.squares, 4-k); c < least {
			least, open = c, k
			l.ramp = t
			l.a, l.b = l.from+t.a, l.from+t.b
		}
	}
	bar := least + creepMargin
	var before []float64
	for k := range creepSteps + 1 {
		before = s.addStep(before)
		rest := 0.0
		if k == 0 {
			rest = cost(1, open) - cost(1, 0)
		}
		if cost(before[n], 1+2*k) < bar+rest {
			return false
		}
	}
	return true
}

// lagCorrelation returns the lag-1 correlation of the runs' residuals from the ramp, 0 to 0.8.
func (m *ramp) lagCorrelation(x, weights []float64) float64 {
	product, square, last := 0.0, 0.0, 0.0
	for i, v := range x {
		r := (v - m.level(i)) * math.Sqrt(weights[i])
		square += sq(r)
		product += r * last
		last = r
	}
	if square == 0 {
		return 0
	}
	return max(0, min(0.8, product/square))
}

// outlierWeights returns a weight for each run, 0 to 1, near 0 for outliers: runs far from the median of those
// around them.
func outlierWeights(x []float64, o scatter.Outliers) []float64 {
	const around, wide = 4, 1.2 // a median of nine is nearer to its runs than their level is
	off := make([]float64, len(x))
	for i, v := range x {
		off[i] = v - robust.Median(x[max(0, i-around):min(len(x), i+around+1)])
	}
	l := o.Loss(max(wide*robust.MAD(off), scatter.LeastNoise))
	for i, r := range off {
		off[i] = l.Weight(r)
	}
	return off
}

// bestRamps returns the ramps with the least residual squares that have none, one and both of their ends at an
// end of the runs.
func (s *prefixSums) bestRamps() (best [3]ramp) {
	last := s.runs() - 1
	for k := range best {
		best[k].squares = math.Inf(1)
	}
	try := func(a, b int) {
		if a < 0 || b > last || b-a < creepRuns-1 {
			return
		}
		k := 0
		if a == 0 {
			k++
		}
		if b == last {
			k++
		}
		if m := s.fitRamp(a, b); m.squares < best[k].squares {
			best[k] = m
		}
	}
	stride := max(1, last/creepPlaces)
	for a := 0; a < last; a += stride {
		for b := last; b > a; b -= stride {
			try(a, b)
		}
	}
	for stride > 1 {
		stride = (stride + 1) / 2
		for _, l := range best {
			for a := l.a - 2*stride; a <= l.a+2*stride; a += stride {
				for b := l.b - 2*stride; b <= l.b+2*stride; b += stride {
					try(a, b)
				}
			}
		}
	}
	return best
}

// addStep returns, for each j, the least residual squares of the first j runs with one step more than before is for. A
// before of nil stands for no level: then the result is for one level.
func (s *prefixSums) addStep(before []float64) []float64 {
	now := make([]float64, len(s.upTo))
	for j := range now {
		least := math.Inf(1)
		if before == nil && j >= minSegment {
			least = s.levelSquares(0, j)
		}
		for i := minSegment; before != nil && i+minSegment <= j; i++ {
			if before[i] >= least {
				continue // squares are not negative
			}
			if squares := before[i] + s.levelSquares(i, j); squares < least {
				least = squares
			}
		}
		now[j] = least
	}
	return now
}

// creep converts a stretch to the indexes and units of the input; nil for nil.
func (r *preparedSeries) creep(l *movingStretch) *Creep {
	if l == nil {
		return nil
	}
	end := len(r.Y)
	if l.until < len(r.at) {
		end = r.at[l.until]
	}
	return &Creep{FirstIndex: r.at[l.a], LastIndex: r.at[l.b], N: l.b - l.a + 1, Since: r.at[l.from], Until: end,
		From: math.Exp(l.base), To: math.Exp(l.base + l.rise), EffectPct: quantity.PercentOfLogs(l.rise)}
}
