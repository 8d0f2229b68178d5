package changepoint

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

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

// marks says at which runs a recorded field flipped that does not flip all the
// time; nil where none is recorded. A mark depends on earlier runs only. The
// nodes are no such field: they have their own test.
func (f *fields) marks(n int) []bool {
	m := make([]bool, n)
	recorded := false
	for k, flips := range f.flips {
		if f.names[k] == nodeField {
			continue
		}
		recorded = true
		for q, v := range flips {
			if float64(q) <= 2+busyField*float64(v.index) {
				m[v.index] = true
			}
		}
	}
	if !recorded {
		return nil
	}
	return m
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

// site is the place of a change: the run at which it was found, the runs at
// which it may lie, and how much worse, in nats, each of these explains the
// values than the best.
type site struct {
	index, lo, hi int
	unlike        []float64 // by run from lo
}

// newSite weighs the runs around a change at index, found between first and
// last, by moving the boundary between the two levels beside it. A run cannot
// be told from its neighbours by more than leastOdds.
func newSite(x []float64, index, first, last, lo, hi int, p Params) site {
	s := site{index: index, lo: max(first, index-causeReach, lo+1), hi: min(last, index+causeReach, hi-1)}
	s.lo, s.hi = min(s.lo, index), max(s.hi, index)
	left, right := x[lo:index], x[index:hi]
	ml, mr := robust.Median(left), robust.Median(right)
	noise := math.Max(robust.MAD(left)*float64(len(left))+robust.MAD(right)*float64(len(right)), 1e-9) / float64(hi-lo)
	l := newLoss(math.Max(noise, leastNoise), p)
	s.unlike = make([]float64, s.hi-s.lo+1)
	for k := s.lo + 1; k <= s.hi; k++ {
		// Moving the boundary past run k-1 puts it at the left level.
		r := x[k-1]
		s.unlike[k-s.lo] = s.unlike[k-1-s.lo] + l.cost(r-ml) - l.cost(r-mr)
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
		if v.index >= at.lo && v.index <= at.hi && at.unlike[v.index-at.lo] < unlike {
			best, unlike, ok = v, at.unlike[v.index-at.lo], true
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
		from, _ := slices.BinarySearch(f.starts, v.index-ahead)
		to, _ := slices.BinarySearch(f.starts, v.index+back+1)
		from = max(from, next)
		if to > from {
			n, next = n+to-from, to
		}
	}
	f.known[key] = n
	return n
}

func abs(i int) int { return max(i, -i) }
