package changepoint

import (
	"maps"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/note"
)

// fields are the recorded fields of a history and where each of them flipped.
type fields struct {
	names []string
	flips [][]flip
	// starts[b] are the runs at which a change may start: the first of each time.
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
	for i := 1; i < len(r.moments); i++ {
		if r.moments[i] != r.moments[i-1] {
			f.starts = append(f.starts, i)
		}
	}
	if unknown > 0 {
		f.notes = append(f.notes, note.New(note.FieldsMissing,
			"%d values of recorded fields are not known: a flip is dated where the next known value differs", unknown))
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

// identified are the runs of n at which a field changed that does not change all the time:
// the commit, a build id, a module, the arguments, the list of nodes; nil where none is
// recorded. It depends on earlier runs only.
func (f *fields) identified(n int) []bool {
	if len(f.flips) == 0 {
		return nil
	}
	at := make([]bool, n)
	for _, flips := range f.flips {
		for q, v := range flips {
			if k := f.dated(v.index); k < n && float64(q) <= 2+busyField*float64(v.index) {
				at[k] = true
			}
		}
	}
	return at
}

// dated is the run to which a change at run i is dated: the first of the next day, if i is not the first of its
// own; beyond all runs if there is no next day.
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
