package changepoint

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
	"jobgait/analysis/note"
)

// causeReach is how far from a change a field may flip and still be named: the
// location interval, cut to three runs on either side.
const causeReach = 3

// fields are the recorded fields of a history and where each of them flipped.
type fields struct {
	names []string
	flips [][]flip
	// starts[b] are the runs at which a change may start: the first of a day.
	starts []int
	// known remembers how many starts meet a flip, by field and width.
	known map[[3]int]int
	notes []note.Note
}

// flip is a run whose value differs from the last known one.
type flip struct {
	index    int
	from, to string
}

// nodeField is the name under which the nodes of the runs are ranked among the
// recorded fields.
const nodeField = "nodes"

// nodeLists writes the nodes of each run as one value, in the order of names.
func nodeLists(nodes [][]string) []string {
	list := make([]string, len(nodes))
	for i, n := range nodes {
		n = slices.Clone(n)
		slices.Sort(n)
		list[i] = strings.Join(slices.Compact(n), ",")
	}
	return list
}

// newFields finds the flips of every field. A value that is not known neither
// flips nor ends: the flip is where the next known one differs.
func newFields(r *ready) fields {
	f := fields{known: make(map[[3]int]int)}
	unknown := 0
	meta := maps.Clone(r.Meta)
	if _, own := meta[nodeField]; !own && len(r.Nodes) == len(r.Y) {
		if meta == nil {
			meta = make(map[string][]string, 1)
		}
		meta[nodeField] = nodeLists(r.Nodes)
	}
	for _, name := range slices.Sorted(maps.Keys(meta)) {
		values := column(r, meta[name])
		var found []flip
		last := ""
		for i, v := range values {
			if v == "" {
				unknown++
			} else {
				if last != "" && v != last {
					found = append(found, flip{i, last, v})
				}
				last = v
			}
		}
		if len(values) > 0 {
			f.names, f.flips = append(f.names, name), append(f.flips, found)
		}
	}
	for i := 1; i < len(r.day); i++ {
		if r.day[i] != r.day[i-1] {
			f.starts = append(f.starts, i)
		}
	}
	if unknown > 0 {
		f.notes = append(f.notes, note.New(note.FieldsMissing, "%d values of recorded fields are not known: a flip is dated where the next known value differs", unknown))
	}
	return f
}

// busyField is the share of runs at which a field may have flipped so far, two
// apart, and still say something when it flips again.
const busyField = .15

// flipNats is the evidence for a change where a recorded field changed; half of
// it counts against one where none did.
const flipNats = 2

// evidence is what the recorded fields say for a change at each of n runs, in
// nats: flipNats where one flipped that does not flip all the time, less than
// nothing elsewhere; nil where none is recorded. It depends on earlier runs only.
// The nodes are no such field: they have their own test.
func (f *fields) evidence(n int) []float64 {
	nats := make([]float64, n)
	for i := range nats {
		nats[i] = -flipNats / 2
	}
	recorded := false
	for k, flips := range f.flips {
		if f.names[k] == nodeField {
			continue
		}
		recorded = true
		for q, v := range flips {
			if at := f.dated(v.index); at < n && float64(q) <= 2+busyField*float64(v.index) {
				nats[at] = flipNats
			}
		}
	}
	if !recorded {
		return nil
	}
	return nats
}

// causes are the fields that flipped in the place of a change, most telling
// first. P is the exact chance that a change at a random admissible run, placed
// as widely, meets a flip of that field: a field that flips often is never
// telling. Rank is by p and by how well the runs agree with a change at the flip.
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
		found = append(found, ranked{Cause{name, near.from, near.to, p}, math.Log(p) + unlike})
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	list := make([]Cause, len(found))
	for i, c := range found {
		list[i] = c.Cause
	}
	return list
}

// dated is the run to which a change at run i is dated: the first of the next
// day, if i is not the first of its own; beyond all runs where there is none.
func (f *fields) dated(i int) int {
	k, _ := slices.BinarySearch(f.starts, i)
	if k == len(f.starts) {
		return math.MaxInt / 2
	}
	return f.starts[k]
}

// between are the first and the last run at which a change that was dated to run
// i may have happened: after the start of the day before, before that of the
// next. n is how many runs there are.
func (f *fields) between(i, n int) (first, last int) {
	k, on := slices.BinarySearch(f.starts, i)
	first, last = 1, n-1
	if k > 0 {
		first = f.starts[k-1] + 1
	}
	if on {
		k++
	}
	if k < len(f.starts) {
		last = f.starts[k] - 1
	}
	return first, last
}

// day is the first run of the day of run i.
func (f *fields) day(i int) int {
	k, on := slices.BinarySearch(f.starts, i)
	switch {
	case on:
		return i
	case k == 0:
		return 0
	}
	return f.starts[k-1]
}

// site is the place of a change: the run at which it was found, the runs at
// which it may be dated, and how much worse, in nats, each run explains the
// values than the best. A change in the middle of a day is dated to this or the
// next day, so that runs from since to until are asked for flips: with three runs
// a day the field that flipped with a change is then named in .998 of simulated
// histories, without in .465.
type site struct {
	index, lo, hi int
	since, until  int
	unlike        []float64 // by run from since
}

// newSite weighs the runs around a change at index, found between first and
// last, by moving the boundary between the two levels beside it.
func (f *fields) newSite(x []float64, index, first, last, lo, hi int, o scatter.Outliers) site {
	s := site{index: index, lo: max(first, index-causeReach, lo+1), hi: min(last, index+causeReach, hi-1)}
	s.lo, s.hi = min(s.lo, index), max(s.hi, index)
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
	at := l.fields.newSite(l.known.x, place.index, min(place.first, e.index), max(place.last, e.index), lo, hi, p.Outliers)
	return l.fields.causes(at)
}

// blindReach is how far apart the two scans may place one change.
const blindReach = 5

func abs(i int) int { return max(i, -i) }
