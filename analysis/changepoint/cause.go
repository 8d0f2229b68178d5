package changepoint

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// causeReach is the largest distance, in runs, between a change and the flip of a field that is named as its
// cause, even if the location interval is wider.
const causeReach = 3

// changeSite is the location of a change: the run at which it was found, the runs lo to hi at which it may lie,
// and by how many nats each of them explains the values worse than the best. Runs with the same time (for data
// of day resolution: the same day) have no known order, so that a change among them is dated to the first of
// them or to the first run of the next time. Therefore flips at all runs from since to until, a wider range
// than lo to hi, can be causes.
type changeSite struct {
	index, lo, hi int
	since, until  int
	identified    int       // the run at which a field placed the change, -1: none did
	unlike        []float64 // by run from since
}

// newSite computes how well each run near index explains the values as the place of a change, found between
// first and last, by moving the boundary between the levels on both sides. The levels are the medians of runs
// [lo,index) and [index,hi). Where a field placed the change, identified is that run, else -1.
func (f *fields) newSite(x []float64, index, first, last, lo, hi, identified int, o scatter.Outliers) changeSite {
	s := changeSite{index: index, identified: identified, lo: max(first, index-causeReach, lo+1),
		hi: min(last, index+causeReach, hi-1)}
	s.lo, s.hi = min(s.lo, index), max(s.hi, index)
	if identified >= 0 {
		s.lo, s.hi = min(s.lo, identified), max(s.hi, identified)
	}
	s.since, _ = f.changeBounds(s.lo, len(x))
	_, s.until = f.changeBounds(s.hi, len(x))
	s.since, s.until = min(s.lo, max(s.since, lo+1)), max(s.hi, min(s.until, hi-1))
	left, right := x[lo:index], x[index:hi]
	ml, mr := robust.Median(left), robust.Median(right)
	noise := math.Max(robust.MAD(left)*float64(len(left))+robust.MAD(right)*float64(len(right)), 1e-9) / float64(hi-lo)
	l := o.Loss(math.Max(noise, scatter.LeastNoise))
	s.unlike = make([]float64, s.until-s.since+1)
	for k := s.since + 1; k <= s.until; k++ {
		// Moving the boundary past run k-1 puts it at the left level.
		r := x[k-1]
		s.unlike[k-s.since] = s.unlike[k-1-s.since] + l.Cost(r-ml) - l.Cost(r-mr)
	}
	best := slices.Min(s.unlike)
	for k := range s.unlike {
		s.unlike[k] -= best
	}
	return s
}

// causes returns the fields that flipped at the site of a change, the most significant first. P is the exact
// chance that a change at a random admissible run, with an interval as wide, meets a flip of that field: a
// field that flips often is never significant. Rank is by p and by how well the runs agree with a change at the
// flip; the fields that placed the change come first.
func (f *fields) causes(at changeSite) []Cause {
	type ranked struct {
		Cause
		rank float64
	}
	var found []ranked
	for k, name := range f.names {
		near, unlike, ok := f.likeliestFlip(k, at)
		if !ok {
			continue
		}
		met := f.countMeetings(k, at.index-at.lo, at.hi-at.index)
		p := min(float64(1+met)/float64(1+len(f.starts)), 1)
		rank := math.Log(p) + unlike
		if f.changeRun(near.index) == at.identified {
			rank = math.Inf(-1)
		}
		found = append(found, ranked{Cause{Field: name, From: near.from, To: near.to, P: p}, rank})
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	list := make([]Cause, len(found))
	for i, c := range found {
		list[i] = c.Cause
	}
	return list
}

// likeliestFlip returns the flip of field k at the site that agrees best with the values, and by how many nats
// it explains them worse than the best run; false if the field did not flip there.
func (f *fields) likeliestFlip(k int, at changeSite) (best flip, unlike float64, ok bool) {
	unlike = math.Inf(1)
	for _, v := range f.flips[k] {
		if v.index >= at.since && v.index <= at.until && at.unlike[v.index-at.since] < unlike {
			best, unlike, ok = v, at.unlike[v.index-at.since], true
		}
	}
	return best, unlike, ok
}

// countMeetings returns the number of admissible runs at which a change, with an interval from back runs before
// to ahead runs after it, would meet a flip of field k.
func (f *fields) countMeetings(k, back, ahead int) int {
	key := [3]int{k, back, ahead}
	if n, ok := f.known[key]; ok {
		return n
	}
	n, next := 0, 0 // next is the first start that is not counted yet
	for _, v := range f.flips[k] {
		from, _ := slices.BinarySearch(f.starts, f.dayStart(v.index)-ahead)
		to, _ := slices.BinarySearch(f.starts, f.changeRun(v.index)+back+1)
		from = max(from, next)
		if to > from {
			n, next = n+to-from, to
		}
	}
	f.known[key] = n
	return n
}

// causes ranks the fields that flipped where the values alone place change q.
func (l *seriesScan) causes(q int, p Params) []Cause {
	e := l.out.events[q]
	lo, hi := neighbourBounds(l.out.events, q, len(l.known.x))
	identified := -1
	if e.identified {
		identified = e.index
	}
	place := e.unaided
	if place.index <= lo || place.index >= hi {
		place = unaidedPlace{e.index, e.index - causeReach, e.index + causeReach}
	}
	first, last := min(place.first, e.index), max(place.last, e.index)
	at := l.fields.newSite(l.known.x, place.index, first, last, lo, hi, identified, p.Outliers)
	return l.fields.causes(at)
}
