package periodicity

import (
	"sort"

	"jobgait/analysis/series"
)

// spreading puts counts on slots of wall time into bins of CPU time a stretch at a
// time. Of all of a profile each component is spread, not each column: that is the
// same but for rounding, as counts of code are not clipped, and there are few.
type spreading struct {
	clock       series.Clock
	slots, bins int
	binS        float64
	binShares   []binShare
	lastArgs    [4]int // of plan, the last time
}

// binShare is the share of a slot that lies in a bin.
type binShare struct {
	slot, bin int32 // from the first of a stretch on
	share     float32
}

// newSpreading returns a spreading of the given number of slots over bins of binS seconds of CPU time.
func newSpreading(clock series.Clock, slots int, binS float64, bins int) *spreading {
	return &spreading{clock: clock, slots: slots, bins: bins, binS: binS}
}

// edge returns the position, in bins, at which a slot begins.
func (s *spreading) edge(slot int) float64 { return s.clock.Used(slot) / s.binS }

// within returns the slots that overlap the bins a to b.
func (s *spreading) within(a, b int) (from, to int) {
	from = sort.Search(s.slots, func(i int) bool { return s.edge(i+1) > float64(a) })
	to = from + sort.Search(s.slots-from, func(i int) bool { return s.edge(from+i) >= float64(b) })
	return from, to
}

// plan sets s.parts to the shares of the slots [from, to) that lie in each of the bins [a, b). They are the same for
// all columns, so a repeated call does nothing.
func (s *spreading) plan(from, to, a, b int) {
	args := [...]int{from, to, a, b}
	if args == s.lastArgs {
		return
	}
	s.lastArgs, s.binShares = args, s.binShares[:0]
	x := s.edge(from)
	for i := from; i < to; i++ {
		y := s.edge(i + 1)
		p, q := int(x), int(y)
		switch {
		case p == q && x < y:
			if p >= a && p < b {
				s.binShares = append(s.binShares, binShare{int32(i - from), int32(p - a), 1})
			}
		case p < q:
			per := 1 / (y - x)
			for r := max(p, a); r <= q && r < b; r++ {
				s.binShares = append(s.binShares, binShare{int32(i - from), int32(r - a),
					float32((min(y, float64(r+1)) - max(x, float64(r))) * per)})
			}
		}
		x = y
	}
}

// add adds the counts of the planned slots to the bins by their shares.
func (s *spreading) add(to, counts []float32) {
	for _, p := range s.binShares {
		to[p.bin] += counts[p.slot] * p.share
	}
}

// values returns the counts in the bins [a, b) of a column of counts on slots, in the memory of buf. Missing counts are
// 0.
func (s *spreading) values(buf []float32, c series.Column, a, b int) []float32 {
	buf = zeros(buf, b-a)
	from, to := s.within(a, b)
	s.plan(from, to, a, b)
	for _, p := range s.binShares {
		if x := c.Values[from+int(p.slot)]; x > 0 {
			buf[p.bin] += x * p.share
		}
	}
	return buf
}
