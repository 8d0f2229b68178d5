package anatomy

import (
	"cmp"
	"slices"
	"sort"
)

// Bins are the parts of a cycle that are told apart.
const Bins = 32

// stretches is how many parts of the run the scatter between cycles is taken from:
// noise that wanders slower than a sixteenth of the run is drift, which is told by
// others.
const stretches = 16

// Indexes of what is no cycle; patterns follow.
const (
	startUp = iota
	between
	tail
	patterns
)

// span is one cycle: of the pattern at that index, in that stretch of its cycles.
type span struct {
	first, end    int64
	part, stretch int
}

// spansOf lists the cycles in the order of time. Of two that overlap the earlier
// holds: a slot is told once.
func spansOf(cycles []Cycles) []span {
	var all []span
	for i, c := range cycles {
		n := len(c.Instances)
		for k, in := range c.Instances {
			if in[0] >= 0 && in[1] > 0 {
				all = append(all, span{int64(in[0]), int64(in[0]) + int64(in[1]), patterns + i, k * min(n, stretches) / n})
			}
		}
	}
	slices.SortFunc(all, func(a, b span) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.part, b.part)) })
	out := all[:0]
	for _, s := range all {
		if len(out) == 0 || s.first >= out[len(out)-1].end {
			out = append(out, s)
		}
	}
	return out
}

// where tells of a slot which cycle it lies in, nil for none, and which part of the
// run.
func where(spans []span, slot int64) (*span, int) {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].end > slot })
	switch {
	case i == len(spans) && i > 0:
		return nil, tail
	case i == len(spans) || i == 0 && slot < spans[0].first:
		return nil, startUp
	case slot < spans[i].first:
		return nil, between
	}
	return &spans[i], spans[i].part
}

// bins shares a slot out: a short cycle has fewer slots than bins, and a slot then
// lies in several.
func (s *span) bins(slot int64, give func(bin int, share float64)) {
	n := float64(s.end - s.first)
	from, to := float64(slot-s.first)/n*Bins, float64(slot-s.first+1)/n*Bins
	for bin := int(from); bin < Bins && float64(bin) < to; bin++ {
		if share := (min(to, float64(bin+1)) - max(from, float64(bin))) / (to - from); share > 0 {
			give(bin, share)
		}
	}
}
