package anatomy

import (
	"cmp"
	"slices"
	"sort"
)

// Bins is the number of parts into which a cycle is divided.
const Bins = 32

// stretches is how many parts of the run the scatter between cycles is taken from: noise slower than a
// sixteenth of the run is drift, which is reported elsewhere.
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

// spansOf lists the cycles in the order of time. Of two that overlap, the one of the better pattern, which
// comes first, is kept: each slot counts once, and a short pattern within the main one would leave nothing of
// it.
func spansOf(cycles []Cycles) []span {
	var out []span
	for i, c := range cycles {
		better := out
		n, end := len(c.Instances), int64(0)
		for k, in := range c.Instances {
			s := span{int64(in[0]), int64(in[0]) + int64(in[1]), patterns + i, k * min(n, stretches) / n}
			if s.first >= end && s.end > s.first && free(better, s) {
				out, end = append(out, s), s.end
			}
		}
		slices.SortFunc(out, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	}
	return out
}

// free is whether none of the spans overlaps s.
func free(spans []span, s span) bool {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].end > s.first })
	return i == len(spans) || spans[i].first >= s.end
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
