package changepoint

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// causeReach is how far from a change a field may flip and still be named: the
// location interval, cut to three runs on either side.
const causeReach = 3

// site is the place of a change: the run at which it was found, the runs at
// which it may be dated, and how much worse, in nats, each run explains the
// values than the best. Runs of one time, of one day for data of day resolution, stay
// together: a change among them is dated to the first of them or to the next time, so
// that flips of the runs from since to until count.
type site struct {
	index, lo, hi int
	since, until  int
	identified    int       // the run at which a field placed the change, -1: none did
	unlike        []float64 // by run from since
}

// newSite weighs the runs around a change at index, found between first and
// last, by moving the boundary between the two levels beside it. Where a field placed
// the change, identified is that run, else -1.
func (f *fields) newSite(x []float64, index, first, last, lo, hi, identified int, o scatter.Outliers) site {
	s := site{index: index, identified: identified, lo: max(first, index-causeReach, lo+1),
		hi: min(last, index+causeReach, hi-1)}
	s.lo, s.hi = min(s.lo, index), max(s.hi, index)
	if identified >= 0 {
		s.lo, s.hi = min(s.lo, identified), max(s.hi, identified)
	}
	s.since, _ = f.between(s.lo, len(x))
	_, s.until = f.between(s.hi, len(x))
	s.since, s.until = min(s.lo, max(s.since, lo+1)), max(s.hi, min(s.until, hi-1))
	left, right := x[lo:index], x[index:hi]
	ml, mr := robust.Median(left), robust.Median(right)
	noise := math.Max(robust.MAD(left)*float64(len(left))+robust.MAD(right)*float64(len(right)), 1e-9) / float64(hi-lo)
	l := o.Loss(math.Max(noise, scatter.Least))
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

// causes are the fields that flipped in the place of a change, most telling
// first. P is the exact chance that a change at a random admissible run, placed
// as widely, meets a flip of that field: a field that flips often is never
// telling. Rank is by p and by how well the runs agree with a change at the flip; the
// fields that placed the change come first.
func (f *fields) causes(at site) []Cause {
	type ranked struct {
		Cause
		rank float64
	}
	var found []ranked
	for k, name := range f.names {
		near, unlike, ok := f.likeliest(k, at)
		if !ok {
			continue
		}
		met := f.met(k, at.index-at.lo, at.hi-at.index)
		p := min(float64(1+met)/float64(1+len(f.starts)), 1)
		rank := math.Log(p) + unlike
		if f.dated(near.index) == at.identified {
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

// likeliest is the flip of field k at the site that agrees best with the runs.
func (f *fields) likeliest(k int, at site) (best flip, unlike float64, ok bool) {
	unlike = math.Inf(1)
	for _, v := range f.flips[k] {
		if v.index >= at.since && v.index <= at.until && at.unlike[v.index-at.since] < unlike {
			best, unlike, ok = v, at.unlike[v.index-at.since], true
		}
	}
	return best, unlike, ok
}

// met is at how many admissible runs a change, placed from back runs before to
// ahead runs after it, would meet a flip of field k.
func (f *fields) met(k, back, ahead int) int {
	key := [3]int{k, back, ahead}
	if n, ok := f.known[key]; ok {
		return n
	}
	n, next := 0, 0 // next is the first start that is not counted yet
	for _, v := range f.flips[k] {
		from, _ := slices.BinarySearch(f.starts, f.day(v.index)-ahead)
		to, _ := slices.BinarySearch(f.starts, f.dated(v.index)+back+1)
		from = max(from, next)
		if to > from {
			n, next = n+to-from, to
		}
	}
	f.known[key] = n
	return n
}

// causes ranks the fields that flipped where change q lies when fields are not
// looked at; where it is found only with them, as far around it as may be.
func (l *look) causes(q int, p Params) []Cause {
	e := l.out.events[q]
	lo, hi := beside(l.out.events, q, len(l.known.x))
	place := event{index: e.index, first: e.index - causeReach, last: e.index + causeReach}
	best := blindReach + 1
	for _, b := range l.blind {
		if d := abs(b.index - e.index); d < best && b.index > lo && b.index < hi {
			place, best = b, d
		}
	}
	identified := -1
	if e.identified {
		identified = e.index
	}
	first, last := min(place.first, e.index), max(place.last, e.index)
	at := l.fields.newSite(l.known.x, place.index, first, last, lo, hi, identified, p.Outliers)
	return l.fields.causes(at)
}

// blindReach is how far apart the two scans may place one change.
const blindReach = 5
