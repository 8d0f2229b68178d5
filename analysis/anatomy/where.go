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
	// Of a cycle whose parts are of CPU time: slots and CPU time of it that blocks have, and the CPU time so far.
	onCPU      bool
	seen       int64
	usedS, atS float64
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
			s := span{first: int64(in[0]), end: int64(in[0]) + int64(in[1]), part: patterns + i,
				stretch: k * min(n, stretches) / n,
				onCPU:   c.OnCPU}
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
	shareOut(float64(slot-s.first)/n, float64(slot-s.first+1)/n, give)
}

// measured is whether the CPU time of the cycle is known: blocks have all of it.
func (s *span) measured() bool { return s.onCPU && s.seen == s.end-s.first && s.usedS > 0 }

// pass shares a slot out in which the job used CPU time: on the CPU time of the cycle where that is known. Slots come
// in order.
func (s *span) pass(slot int64, usedS float64, give func(bin int, share float64)) {
	if !s.measured() {
		s.bins(slot, give)
		return
	}
	from := s.atS / s.usedS
	s.atS += usedS
	if to := min(1, s.atS/s.usedS); to > from {
		shareOut(from, to, give)
	} else {
		give(Bins-1, 1) // rounding
	}
}

// shareOut gives the bins in which a part of a cycle lies their shares of it.
func shareOut(from, to float64, give func(bin int, share float64)) {
	from, to = from*Bins, to*Bins
	for bin := int(from); bin < Bins && float64(bin) < to; bin++ {
		if share := (min(to, float64(bin+1)) - max(from, float64(bin))) / (to - from); share > 0 {
			give(bin, share)
		}
	}
}
