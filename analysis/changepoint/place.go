package changepoint

import (
	"math"
	"slices"
)

// placeNats is the width of the interval of a change's place: all runs within so few nats of the best are in
// it.
const placeNats = 3

// placement is two levels with the noise around them, and the cost, in nats, of a change from one to the other
// at each run. The evidence of splits does not say where a change is: each has a noise of its own, raised where
// few runs or outliers make it look new, and next to outliers the noisiest split may win.
type placement struct {
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

// place finds the most likely place of the change that split c of the window [i,j) shows, and returns it as an
// event with the split there. If the runs left of it show an earlier change, it returns that one instead,
// marked doubtful. all are the fitted splits of the window.
func (sc *scanner) place(i, j, newest int, cut bool, c split, all []split, v verdict, b noisePrior) (event, split) {
	all = slices.Clone(all) // of the scanner, which scans again
	c, f := sc.locateSplit(i, j, cut, c, all, b)
	if d, g, ok := sc.findEarlierChange(i, cut, &f, b); ok {
		c, f, all, v.margin, v.doubtful = d, g, nil, 0, true
		v.required = sc.p.Threshold + smallSample/d.df
	}
	e := sc.event(i, newest, c, v)
	first, last := sc.placeInterval(i, &f)
	// If the most likely place is not unique, the reported one lies within the interval too.
	e.first, e.last = min(first, e.index), max(last, e.index)
	e.unaided = unaidedPlace{e.index, e.first, e.last}
	if sc.flips != nil {
		e.unaided = sc.placeUnaided(i, i+len(f.nats)-1, cut, c, all, b)
	}
	sc.identify(&e, i+1, j)
	return e, c
}

// unaidedPlace is the place of a change by the values alone: the most likely run, and the first and last possible one.
// It shows without bias which field changed there: the scan itself leans towards runs at which one did.
type unaidedPlace struct{ index, first, last int }

// placeUnaided returns where the change that split c of the window [i,j) shows lies without the evidence of recorded
// fields; all are the other splits from which it starts.
func (sc *scanner) placeUnaided(i, j int, cut bool, c split, all []split, b noisePrior) unaidedPlace {
	flips := sc.flips
	c.evidence -= flips[i+c.k]
	for q := range all {
		all[q].evidence -= flips[i+all[q].k]
	}
	sc.flips = nil
	c, f := sc.locateSplit(i, j, cut, c, all, b)
	first, last := sc.placeInterval(i, &f)
	sc.flips = flips
	return unaidedPlace{i + c.k, min(first, i+c.k), max(last, i+c.k)}
}

// identify moves event e to the run of its interval at which an identifying field changed, if there is
// exactly one, it begins a new time, and it is in [from,until).
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
	if n == 1 && sc.startsNewTime(at) && from <= at && at < until {
		e.index, e.identified = at, true
	}
}

// locateSplit moves split c to the most likely place of the change, starting from c and from the fitted splits
// with at most startNats less evidence. It also returns the placement.
func (sc *scanner) locateSplit(i, j int, cut bool, c split, all []split, b noisePrior) (split, placement) {
	f := sc.placeSplit(i, j, cut, c, b)
	for _, q := range all {
		sc.completeEvidence(sc.x[i:j], &q, sc.outsideEvidence(i+q.k))
		if q.k == c.k || q.evidence < c.evidence-startNats {
			continue
		}
		if g := sc.placeSplit(i, j, cut, q, b); g.best < f.best {
			f = g
		}
	}
	if q, ok := sc.fitExactSplit(i, j, f.k, b); ok {
		c = q
	}
	return c, f
}

// placeInterval returns the first and the last run at which the change may lie, by the values alone, in a
// window that begins with run i.
func (sc *scanner) placeInterval(i int, f *placement) (first, last int) {
	first, last = i+f.k, i+f.k
	alone := slices.Clone(f.nats)
	for k := range alone {
		if !math.IsInf(alone[k], 1) {
			alone[k] += sc.outsideEvidence(i + k)
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

// placeSplit moves split c to the most likely place for its levels and refits them, until the place no longer
// changes, at most placeRounds times.
func (sc *scanner) placeSplit(i, j int, cut bool, c split, b noisePrior) placement {
	f := placement{split: c}
	x := sc.x[i:j]
	for range placeRounds {
		was := f.k
		f.split = sc.refit(x, f.split, b, placeRounds)
		f.nats = sc.placeCosts(x, f.split, newDisturbance(sc.p.Outliers, outlierStay))
		for k := range f.nats {
			if k < leastLeft(cut) || k > len(x)-minSegment || !sc.startsNewTime(i+k) {
				f.nats[k] = math.Inf(1)
			} else {
				f.nats[k] -= sc.outsideEvidence(i + k)
			}
		}
		if f.k = likeliestPlace(f.nats); f.k == was {
			break
		}
	}
	f.best = slices.Min(f.nats) + (float64(len(x))+b.weight)*math.Log(f.s) + b.weight*sq(b.s/f.s)/2
	return f
}

// neighbourWeight is the weight of a run's likelihood for its neighbours: a change that is one run off is
// nearly as good. At 0 F1@1 is .003 less; at 1 the neighbour of a certain place is as good.
const neighbourWeight = 0.8

// likeliestPlace returns the index with the largest likelihood, including neighbourWeight times that of its
// neighbours; nats are the costs.
func likeliestPlace(nats []float64) int {
	least := slices.Min(nats)
	like := make([]float64, len(nats)+2)
	for k, v := range nats {
		like[k+1] = math.Exp(least - v)
	}
	most, at := 0.0, 0
	for k := range nats {
		if m := like[k+1] + neighbourWeight*(like[k]+like[k+2]); m > most && like[k+1] > 0 {
			most, at = m, k
		}
	}
	return at
}

// placeCosts returns for each k the loss of runs x, in nats, if the first k are at the left level of c and the
// others at its right one. Disturbed runs come in stretches: whether a run is disturbed depends on the run
// before it (d), also across the boundary, so that a boundary inside such a stretch gains little.
func (sc *scanner) placeCosts(x []float64, c split, d disturbance) []float64 {
	l := sc.loss(c.s)
	nats := make([]float64, len(x)+1)
	before := make([][2]float64, len(x)+1)
	before[0] = [2]float64{1 - d.share, d.share}
	for k, v := range x {
		now := multiplyStates(before[k], d.likelihood(&l, v-c.left.mu))
		sum := now[0] + now[1]
		nats[k+1] = nats[k] - math.Log(sum)
		before[k+1] = d.next([2]float64{now[0] / sum, now[1] / sum})
	}
	after, cost := [2]float64{1, 1}, 0.0
	for k := len(x) - 1; k >= 0; k-- {
		now := multiplyStates(d.likelihood(&l, x[k]-c.right.mu), after)
		both := multiplyStates(before[k], now)
		nats[k] += cost - math.Log(both[0]+both[1])
		after = d.previous(now)
		sum := after[0] + after[1]
		cost -= math.Log(sum)
		after[0], after[1] = after[0]/sum, after[1]/sum
	}
	return nats
}

// findEarlierChange searches for a change in the runs left of a split that is about to be committed: three levels that
// appear at once. It must have enough evidence against independent noise, and its first level must differ from the
// third one by four times the noise; alternation and few runs are not tested. Runs of a level of three are outliers on
// either side of the split, so it searches left of all places where the split may be.
func (sc *scanner) findEarlierChange(i int, cut bool, f *placement, b noisePrior) (c split, at placement, found bool) {
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
			c, at = sc.locateSplit(i, i+k, cut, d, all, b)
		}
	}
	return c, at, found
}
