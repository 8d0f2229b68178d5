package anatomy

import (
	"cmp"
	"slices"
	"sort"
)

// Bins is the number of parts into which a cycle is divided.
const Bins = 32

// stretches is the number of parts of the run between which the scatter of cycles is measured: noise slower
// than a sixteenth of the run is drift, which is reported elsewhere.
const stretches = 16

// Indexes of the parts of a run outside of cycles; those of patterns follow.
const (
	startUp = iota
	between
	tail
	patterns
)

// span is one cycle: slots first to end (exclusive), the index of its pattern among the parts, and its stretch
// of the run.
type span struct {
	first, end    int64
	part, stretch int
	// Of a cycle whose parts are of CPU time: slots and CPU time of it that blocks have, and the CPU time so far.
	onCPU      bool
	seen       int64
	usedS, atS float64
}

// spansOf lists the cycles of all patterns in the order of time. It leaves out cycles that overlap one of an earlier
// pattern, which is the better one, or an earlier one of the same pattern: each slot counts once, and a short pattern
// within the main one would leave nothing of it.
func spansOf(cycles []Cycles) []span {
	var out []span
	for i, c := range cycles {
		better := out
		n, end := len(c.Instances), int64(0)
		for k, in := range c.Instances {
			s := span{first: int64(in[0]), end: int64(in[0]) + int64(in[1]), part: patterns + i,
				stretch: k * min(n, stretches) / n,
				onCPU:   c.OnCPU}
			if s.first >= end && s.end > s.first && noOverlap(better, s) {
				out, end = append(out, s), s.end
			}
		}
		slices.SortFunc(out, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	}
	return out
}

// noOverlap reports whether none of the spans overlaps s.
func noOverlap(spans []span, s span) bool {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].end > s.first })
	return i == len(spans) || spans[i].first >= s.end
}

// locateSlot returns the cycle in which a slot lies, nil for none, and the index of its part: startUp,
// between, tail or a pattern. Without cycles every slot belongs to startUp.
func locateSlot(spans []span, slot int64) (*span, int) {
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

// eachBin calls give with each bin of the cycle in which a slot lies and the slot's share in it. In a cycle
// with fewer slots than bins a slot lies in several bins.
func (s *span) eachBin(slot int64, give func(bin int, share float64)) {
	n := float64(s.end - s.first)
	shareOut(float64(slot-s.first)/n, float64(slot-s.first+1)/n, give)
}

// measured reports whether the cycle is divided by CPU time and its CPU time is known, because all of its slots
// were seen.
func (s *span) measured() bool { return s.onCPU && s.seen == s.end-s.first && s.usedS > 0 }

// pass calls give with each bin that a slot of the cycle lies in and the slot's share in it. If the cycle is divided by
// CPU time and that is known (measured), the slot advances it by usedS seconds, and slots must come in order. Otherwise
// all slots are of equal length.
func (s *span) pass(slot int64, usedS float64, give func(bin int, share float64)) {
	if !s.measured() {
		s.eachBin(slot, give)
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

// shareOut calls give for each bin that the part of a cycle between from and to, 0 to 1, overlaps, with the
// bin's share of that part.
func shareOut(from, to float64, give func(bin int, share float64)) {
	from, to = from*Bins, to*Bins
	for bin := int(from); bin < Bins && float64(bin) < to; bin++ {
		if share := (min(to, float64(bin+1)) - max(from, float64(bin))) / (to - from); share > 0 {
			give(bin, share)
		}
	}
}
