package changepoint

import (
	"maps"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/note"
)

// fields holds the recorded fields of a history and the runs at which each of them flipped, that is, changed
// its value.
type fields struct {
	names []string
	flips [][]flip
	// eventStarts lists the runs at which a change may start: the first of each time.
	starts []int
	// known caches the results of countMeetings by field and width.
	known map[[3]int]int
	notes []note.Note
}

// flip is a run at which a field's value differs from the last known one.
type flip struct {
	index    int
	from, to string
}

// nodeField is the name under which the nodes of the runs are ranked among the
// recorded fields.
const nodeField = "nodes"

// nodeLists returns the nodes of each run as one text, sorted by name.
func nodeLists(nodes [][]string) []string {
	list := make([]string, len(nodes))
	for i, n := range nodes {
		n = slices.Clone(n)
		slices.Sort(n)
		list[i] = strings.Join(slices.Compact(n), ",")
	}
	return list
}

// newFields finds the flips of every field and, as one more field, of the list of nodes. Unknown values are skipped: a
// flip is at the next known value that differs. A note gives the number of unknown values.
func newFields(r *preparedSeries) fields {
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
			"%d values of fields (such as the node or the version) are missing: a change of a field is dated at the next run "+
				"that has a value", unknown))
	}
	return f
}

// maxFlipShare is the share of runs, beyond two flips, at which a field may have flipped so far for its next
// flip to count as evidence.
const maxFlipShare = .15

// flipNats is the evidence for a change at a run where a recorded field flipped; half of it counts against a
// change elsewhere.
const flipNats = 2

// evidence returns the evidence of the recorded fields for a change at each of n runs, in nats: flipNats where
// a field flipped that does not flip often, -flipNats/2 elsewhere; nil if no field is recorded. It depends on
// earlier runs only. It ignores the nodes, which have their own test.
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
			if at := f.changeRun(v.index); at < n && float64(q) <= 2+maxFlipShare*float64(v.index) {
				nats[at] = flipNats
			}
		}
	}
	if !recorded {
		return nil
	}
	return nats
}

// identifiedRuns reports for each of n runs whether a field changed there that does not change often: the
// commit, a build id, a module, the arguments, the list of nodes; nil if none is recorded. It depends on
// earlier runs only.
func (f *fields) identifiedRuns(n int) []bool {
	if len(f.flips) == 0 {
		return nil
	}
	at := make([]bool, n)
	for _, flips := range f.flips {
		for q, v := range flips {
			if k := f.changeRun(v.index); k < n && float64(q) <= 2+maxFlipShare*float64(v.index) {
				at[k] = true
			}
		}
	}
	return at
}

// changeRun returns the run to which a change at run i is assigned: i if it is the first of its time, else the
// first of the next time, or a number beyond all runs if none exists.
func (f *fields) changeRun(i int) int {
	k, _ := slices.BinarySearch(f.starts, i)
	if k == len(f.starts) {
		return math.MaxInt / 2
	}
	return f.starts[k]
}

// changeBounds returns the first and the last run at which a change assigned to run i may have happened: after
// the start of the time before, before the start of the next. n is the number of runs.
func (f *fields) changeBounds(i, n int) (first, last int) {
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

// dayStart returns the first run with the time (the day, for data of day resolution) of run i.
func (f *fields) dayStart(i int) int {
	k, on := slices.BinarySearch(f.starts, i)
	switch {
	case on:
		return i
	case k == 0:
		return 0
	}
	return f.starts[k-1]
}
