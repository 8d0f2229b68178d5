package changepoint

import (
	"math"
	"slices"
)

// placeNats is within how many nats of the best place a change may be as well.
const placeNats = 3

// placing is two levels with the noise around them, and what it costs to go from
// one to the other at each place. The evidence of splits does not say where a
// change is: each has a noise of its own, raised where few runs or outliers
// make it look new, and next to outliers the noisiest split may win.
type placing struct {
	split
	nats []float64 // for each k of the window, +Inf where no change may start
	best float64   // the least of them and what the noise costs: to compare placings
}

// A change is placed from every split within startNats of the best, because next
// to outliers each split finds levels that suit it. Places are moved and levels
// refitted at most placeRounds times. With one start F1@1 without
// fields is .004 less.
const (
	startNats   = 4
	placeRounds = 6
)

// place looks again at where the change lies that split c of the window [i,j)
// shows, and describes it. all are the splits of the window.
func (sc *scanner) place(i, j, newest int, cut bool, c split, all []split, v verdict, b belief) (event, split) {
	c, f := sc.located(i, j, cut, c, all, b)
	if d, g, ok := sc.earlier(i, cut, &f, b); ok {
		c, f, v.margin, v.doubtful = d, g, 0, true
		v.asked = sc.p.Threshold + smallSample/d.df
	}
	e := sc.event(i, newest, c, v)
	first, last := sc.between(i, &f)
	// If the most likely place is not unique, the reported one lies within the interval too.
	e.first, e.last = min(first, e.index), max(last, e.index)
	sc.identify(&e, i+1, j)
	return e, c
}

// identify moves event e to the run of its interval at which identifying fields changed,
// if that is one run and in [from,until).
func (sc *scanner) identify(e *event, from, until int) {
	if sc.identified == nil {
		return
	}
	at, n := 0, 0
	for i := e.first; i <= e.last; i++ {
		if sc.identified[i] {
			at, n = i, n+1
		}
	}
	if n == 1 && sc.separate(at) && from <= at && at < until {
		e.index, e.identified = at, true
	}
}

// located moves split c to where the change most likely came, from itself and from
// all that were fitted. It returns too how it was placed.
func (sc *scanner) located(i, j int, cut bool, c split, all []split, b belief) (split, placing) {
	f := sc.settled(i, j, cut, c, b)
	for _, q := range all {
		sc.complete(sc.x[i:j], &q, sc.expected(i+q.k))
		if q.k == c.k || q.evidence < c.evidence-startNats {
			continue
		}
		if g := sc.settled(i, j, cut, q, b); g.best < f.best {
			f = g
		}
	}
	if q, ok := sc.assess(i, j, f.k, b); ok {
		c = q
	}
	return c, f
}

// between returns the first and the last run at which the change may have come as
// well, by the values alone, in a window that begins with run i.
func (sc *scanner) between(i int, f *placing) (first, last int) {
	first, last = i+f.k, i+f.k
	alone := slices.Clone(f.nats)
	for k := range alone {
		if !math.IsInf(alone[k], 1) {
			alone[k] += sc.expected(i + k)
		}
	}
	least := slices.Min(alone)
	for k, v := range alone {
		if v <= least+placeNats {
			first, last = min(first, i+k), max(last, i+k)
		}
	}
	return first, last
}

// settled moves split c to the most likely place for its levels and refits them until it stays there.
func (sc *scanner) settled(i, j int, cut bool, c split, b belief) placing {
	f := placing{split: c}
	x := sc.x[i:j]
	for range placeRounds {
		was := f.k
		f.split = sc.refit(x, f.split, b, placeRounds)
		f.nats = sc.placeCosts(x, f.split, newDisturbance(sc.p.Outliers, outlierStay))
		for k := range f.nats {
			if k < leastLeft(cut) || k > len(x)-minSegment || !sc.separate(i+k) {
				f.nats[k] = math.Inf(1)
			} else {
				f.nats[k] -= sc.expected(i + k)
			}
		}
		if f.k = likeliest(f.nats); f.k == was {
			break
		}
	}
	f.best = slices.Min(f.nats) + (float64(len(x))+b.weight)*math.Log(f.s) + b.weight*sq(b.s/f.s)/2
	return f
}

// besideWeight is what a place counts for the ones beside it: a change dated one
// run off is nearly as good. At 0 F1@1 is .003 less; at 1 the place beside a
// certain one is as good.
const besideWeight = 0.8

// likeliest returns the place at which, with its neighbours, most likelihood is.
func likeliest(nats []float64) int {
	least := slices.Min(nats)
	like := make([]float64, len(nats)+2)
	for k, v := range nats {
		like[k+1] = math.Exp(least - v)
	}
	most, at := 0.0, 0
	for k := range nats {
		if m := like[k+1] + besideWeight*(like[k]+like[k+2]); m > most && like[k+1] > 0 {
			most, at = m, k
		}
	}
	return at
}

// placeCosts returns for each k what runs x cost, in nats, if the first k are at
// the left level of c and the others at its right one. Outliers come in runs (d): half
// of one is seldom the first runs of a level.
func (sc *scanner) placeCosts(x []float64, c split, d disturbance) []float64 {
	l := sc.loss(c.s)
	nats := make([]float64, len(x)+1)
	before := make([][2]float64, len(x)+1)
	before[0] = [2]float64{1 - d.share, d.share}
	for k, v := range x {
		now := times(before[k], d.likelihood(&l, v-c.left.mu))
		sum := now[0] + now[1]
		nats[k+1] = nats[k] - math.Log(sum)
		before[k+1] = d.next([2]float64{now[0] / sum, now[1] / sum})
	}
	after, cost := [2]float64{1, 1}, 0.0
	for k := len(x) - 1; k >= 0; k-- {
		now := times(d.likelihood(&l, x[k]-c.right.mu), after)
		both := times(before[k], now)
		nats[k] += cost - math.Log(both[0]+both[1])
		after = d.previous(now)
		sum := after[0] + after[1]
		cost -= math.Log(sum)
		after[0], after[1] = after[0]/sum, after[1]/sum
	}
	return nats
}

// earlier looks for a change in the runs left of a split that is about to be
// committed: three levels seen at once. What would be asked of an outlier run
// or of two levels is not, if the third level is not the first. Runs of a level
// of three are outliers on either side of the split, so it is looked for left of
// all places where the split may be.
func (sc *scanner) earlier(i int, cut bool, f *placing, b belief) (c split, at placing, found bool) {
	most := 0.0
	least := slices.Min(f.nats)
	for k, v := range f.nats {
		if k < 2*minSegment-1 || v > least+placeNats {
			continue
		}
		d, all := sc.scan(i, i+k, cut, b)
		if math.IsInf(d.evidence, -1) || d.evidence-smallSample/d.df <= sc.p.Threshold {
			continue
		}
		if math.Abs(f.right.mu-d.left.mu) >= 4*max(f.s, d.s) && d.evidence-v > most-least {
			most, found = d.evidence-v+least, true
			c, at = sc.located(i, i+k, cut, d, all, b)
		}
	}
	return c, at, found
}
