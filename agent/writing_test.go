package main

import (
	"testing"

	"jobgait/agent/counter/kernel"
)

// Readings with much more than the one before are a burst, from the reading before the first to the last of them. What
// was written before the first reading does not count, and the newest bursts are kept.
func TestWritingInBursts(t *testing.T) {
	var w writeBursts
	total := uint64(5 << 20)
	reading := func(s int, wrote uint64) {
		total += wrote
		w.add(kernel.Written{AtNS: int64(s+1) * 1e9, Bytes: total}, float64(s-1), float64(s))
	}
	for n := range 3 * mostBursts {
		reading(10*n, 100) // a log
		reading(10*n+1, 1<<20)
		reading(10*n+2, 1<<20)
		reading(10*n+3, leastBurst-1)
	}
	if len(w.bursts) != mostBursts || w.open != nil {
		t.Fatalf("%d bursts, %v is open", len(w.bursts), w.open)
	}
	for i, b := range w.bursts {
		if s := float64(10 * (2*mostBursts + i)); b.StartS != s || b.EndS != s+2 || b.Bytes != 2<<20 {
			t.Errorf("burst %d: %+v, want %g s to %g s", i, b, s, s+2)
		}
	}
}
