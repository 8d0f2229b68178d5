package kernel

import "testing"

// Threads that end between two readings are assumed to wait like those that were read.
func TestUnseenWait(t *testing.T) {
	const s = 1_000_000_000
	w := endedThreadWait{seenNS: 2 * s, waitedNS: 3 * s}
	if got := w.add(2 * s); got != 0 {
		t.Errorf("all CPU time was seen, and %d ns of waiting are added", got)
	}
	if got := w.add(6 * s); got != 6*s {
		t.Errorf("4 s were not seen: %d ns of waiting are added, want %d", got, 6*s)
	}
	if got := w.add(6 * s); got != 0 {
		t.Errorf("the same 4 s are counted again: %d ns", got)
	}
	few := endedThreadWait{seenNS: leastSeenNS - 1, waitedNS: s}
	if got := few.add(6 * s); got != 0 {
		t.Errorf("a ratio is computed from less than %d ns: %d", int64(leastSeenNS), got)
	}
}
