package changepoint

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
	"jobgait/analysis/quantity"
)

// Creep is a level that moves along a line to another one, of which the scan sees
// several changes or none. It follows the runs that arrive; Changes stay what they are.
type Creep struct {
	// FirstIndex and LastIndex are the runs between which the level moves, N how many
	// these are. Changes in [Since, Until) are part of it or of what it explains.
	FirstIndex, LastIndex, N int
	Since, Until             int
	// From and To are the levels before and after, in the unit of the input.
	From, To  float64
	EffectPct float64
}

// Holds says whether a change at a run is explained by the creep: the one that begins the
// stretch is not.
func (c *Creep) Holds(index int) bool { return c != nil && c.Since < index && index < c.Until }

// levelled takes the creep out of values y, from which run on it holds them: what is
// left of runs on the line lies around its end.
func (c *Creep) levelled(y []float64) []float64 {
	y = slices.Clone(y)
	for k := c.Since; k < min(c.Until, len(y)); k++ {
		y[k] *= math.Pow(c.To/c.From, 1-along(k, c.FirstIndex, c.LastIndex))
	}
	return y
}

const (
	// creepRuns is the shortest creep: a shorter line looks like two steps.
	creepRuns = 20
	// creepMost is how many runs are looked at, creepChanges between how many changes,
	// creepPlaces how many places are tried for each end before the best is moved.
	creepMost, creepChanges, creepPlaces = 480, 8, 40
	// creepSteps is how many steps are compared with a line. creepMargin is the required log-likelihood margin of
	// the line over each number of steps, in nats: a margin of 3 keeps 90 % of the detections that 1 gives
	// (MEASURED.md).
	creepSteps, creepMargin = 12, 1
)

// line is a level that moves from run a to run b, in the runs [from,until).
type line struct {
	slope
	a, b, from, until int
	squares           float64 // that it leaves
}

// creeping returns the longest stretch between changes, the newest of equals, which one line explains better
// than any steps do; nil without such a stretch. flips is the evidence of recorded fields for a step at each
// run, nil without fields: a change at which one flipped is a step.
func creeping(x []float64, ev []event, flips []float64, o scatter.Outliers) *line {
	ev = ev[max(0, len(ev)-creepChanges):]
	starts, ends := []int{0}, []int{len(x)}
	for _, e := range ev {
		starts, ends = append(starts, e.resumed), append(ends, e.index)
	}
	var stretches []line
	for _, from := range starts {
		for _, until := range ends {
			caused := func(e event) bool { return from < e.index && e.index < until && flips != nil && flips[e.index] > 0 }
			if from = max(from, until-creepMost); until-from >= creepRuns && !slices.ContainsFunc(ev, caused) {
				stretches = append(stretches, line{from: from, until: until})
			}
		}
	}
	slices.SortStableFunc(stretches, func(p, q line) int {
		return cmp.Or(cmp.Compare(q.until-q.from, p.until-p.from), cmp.Compare(q.until, p.until))
	})
	for _, l := range stretches {
		if l.fits(x[l.from:l.until], o) {
			return &l
		}
	}
	return nil
}

// fits moves the line to where it explains runs x best and says whether it beats all
// steps: by the likelihood of independent runs, worth as much less as they resemble each
// other, and what parameters cost. An end of the line that is one of the runs is no place
// that had to be found; against one level it counts as well.
func (l *line) fits(x []float64, o scatter.Outliers) bool {
	n := len(x)
	s := newSums(x, weightsOf(x, o))
	all, worth := s.of(0, n).w, float64(n)
	tries := s.lines()
	for _, t := range tries {
		if math.IsInf(t.squares, 1) {
			continue // too few runs for such a line
		}
		worth = min(worth, all/inflation(t.resemblance(x, s.weights), float64(n)))
	}
	cost := func(squares float64, parameters int) float64 {
		return worth/2*math.Log(max(squares/all, sq(scatter.Least))) + float64(parameters)*math.Log(max(worth, 2))/2
	}
	least, open := math.Inf(1), 0
	for k, t := range tries {
		if c := cost(t.squares, 4-k); c < least {
			least, open = c, k
			l.slope, l.a, l.b = t.slope, l.from+t.a, l.from+t.b
		}
	}
	bar := least + creepMargin
	var before []float64
	for k := range creepSteps + 1 {
		before = s.further(before)
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

// resemblance is the lag-1 correlation of runs around the line.
func (l *line) resemblance(x, weights []float64) float64 {
	product, square, last := 0.0, 0.0, 0.0
	for i, v := range x {
		r := (v - l.base - l.rise*along(i, l.a, l.b)) * math.Sqrt(weights[i])
		square += sq(r)
		product += r * last
		last = r
	}
	if square == 0 {
		return 0
	}
	return max(0, min(0.8, product/square))
}

// weightsOf leaves outliers out: runs far from the median of those around them.
func weightsOf(x []float64, o scatter.Outliers) []float64 {
	const around, wide = 4, 1.2 // a median of nine is nearer to its runs than their level is
	off := make([]float64, len(x))
	for i, v := range x {
		off[i] = v - robust.Median(x[max(0, i-around):min(len(x), i+around+1)])
	}
	l := o.Loss(max(wide*robust.MAD(off), scatter.Least))
	for i, r := range off {
		off[i] = l.Weight(r)
	}
	return off
}

// sums are what least squares are made of, up to each run.
type sums struct {
	upTo    []weighted
	weights []float64
}

// weighted are sums over runs, each by its weight.
type weighted struct{ w, i, ii, x, ix, xx float64 }

func newSums(x, weights []float64) sums {
	s := sums{make([]weighted, len(x)+1), weights}
	for k, v := range x {
		w, i := weights[k], float64(k)
		m := s.upTo[k]
		s.upTo[k+1] = weighted{m.w + w, m.i + w*i, m.ii + w*i*i, m.x + w*v, m.ix + w*i*v, m.xx + w*v*v}
	}
	return s
}

// of are those of runs [a,b).
func (s *sums) of(a, b int) weighted {
	p, q := &s.upTo[a], &s.upTo[b]
	return weighted{q.w - p.w, q.i - p.i, q.ii - p.ii, q.x - p.x, q.ix - p.ix, q.xx - p.xx}
}

// around is the squares that one level leaves of runs [a,b).
func (s *sums) around(a, b int) float64 {
	p, q := &s.upTo[a], &s.upTo[b]
	w := q.w - p.w
	if w < 1e-9 {
		return 0
	}
	return max(0, q.xx-p.xx-sq(q.x-p.x)/w)
}

// lines are the lines that leave the least squares with none, one and both of their ends
// at an end of the runs.
func (s *sums) lines() (best [3]line) {
	last := len(s.upTo) - 2
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
		if m, e := s.slope(a, b); e < best[k].squares {
			best[k] = line{slope: m, a: a, b: b, squares: e}
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

// slope fits a level that moves from run a to run b, and returns the squares it leaves.
func (s *sums) slope(a, b int) (slope, float64) {
	long, at := float64(b-a), float64(a)
	all, on, after := s.upTo[len(s.upTo)-1], s.of(a, b), s.of(b, len(s.upTo)-1)
	u := (on.i-at*on.w)/long + after.w
	uu := (on.ii-2*at*on.i+at*at*on.w)/(long*long) + after.w
	ux := (on.ix-at*on.x)/long + after.x
	den := all.w*uu - u*u
	if !(den > 1e-9) {
		return slope{}, math.Inf(1)
	}
	rise := (all.w*ux - u*all.x) / den
	base := (all.x - rise*u) / all.w
	return slope{base, rise}, max(0, all.xx-base*all.x-rise*ux)
}

// further is the least squares that one step more leaves of the first runs, for each
// number of them; before is with a step less, nil before there is one level.
func (s *sums) further(before []float64) []float64 {
	now := make([]float64, len(s.upTo))
	for j := range now {
		now[j] = math.Inf(1)
		if before == nil && j >= minSegment {
			now[j] = s.around(0, j)
		}
		for i := minSegment; before != nil && i+minSegment <= j; i++ {
			now[j] = min(now[j], before[i]+s.around(i, j))
		}
	}
	return now
}

// creep puts a line in the indexes and units of the input.
func (r *ready) creep(l *line) *Creep {
	if l == nil {
		return nil
	}
	end := len(r.Y)
	if l.until < len(r.at) {
		end = r.at[l.until]
	}
	return &Creep{FirstIndex: r.at[l.a], LastIndex: r.at[l.b], N: l.b - l.a + 1, Since: r.at[l.from], Until: end,
		From: math.Exp(l.base), To: math.Exp(l.base + l.rise), EffectPct: quantity.OfLogs(l.rise)}
}
