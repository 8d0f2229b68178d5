package kernel

import "testing"

// Threads that end between two readings are assumed to wait like those that were read.
func TestUnseenWait(t *testing.T) {
	const s = 1_000_000_000
	w := endedThreadWait{seenNS: 2 * s, waitedNS: 3 * s, sinceNS: 20 * s}
	if got := w.add(2 * s); got != 0 {
		t.Errorf("all CPU time was seen, and %d ns of waiting are added", got)
	}
	if got := w.add(6 * s); got != 6*s {
		t.Errorf("4 s were not seen: %d ns of waiting are added, want %d", got, 6*s)
	}
	if got := w.add(6 * s); got != 0 {
		t.Errorf("the same 4 s are counted again: %d ns", got)
	}
	few := endedThreadWait{seenNS: leastSeenNS - 1, waitedNS: s, sinceNS: 20 * s}
	if got := few.add(6 * s); got != 0 {
		t.Errorf("a ratio is computed from less than %d ns: %d", int64(leastSeenNS), got)
	}
}

// Threads that were not read wait for no longer than the time between two readings, less the time that they ran: a
// shell that ran for 1 ms and waited for 9 does not give 5.4 s of waiting to children that ran for .6 of a second.
func TestUnseenWaitIsPossible(t *testing.T) {
	const ms = 1_000_000
	for _, c := range []struct {
		name         string
		ended, began int // threads read at one of two readings, 1 s apart; those that began ran and waited for 100 ms
		want         uint64
	}{
		{"one after the other, none was read", 0, 0, 400 * ms},
		{"one after the other, the last was read", 0, 1, 300 * ms},
		{"one after the other, the first was read", 1, 0, 400 * ms},
		{"four at a time", 4, 3, 3100 * ms},
	} {
		w := endedThreadWait{seenNS: 100 * ms, waitedNS: 900 * ms}
		w.beginPass(1000 * ms)
		w.ended = c.ended
		for range c.began {
			w.see(threadTimes{ranNS: 10 * ms, waitedNS: 90 * ms}, true)
		}
		if got := w.add(w.seenNS + 600*ms); got != c.want {
			t.Errorf("%s: %d ms of waiting, want %d", c.name, got/ms, c.want/ms)
		}
	}
}

// A shell of which each child ends before it is read: CPU time and waiting together are no longer than the run.
func TestShellWaitsNoLongerThanItRuns(t *testing.T) {
	x, _, look := family(t) // readings are 100 s apart
	x.end(11)
	x.use(10, 9_000_000, 0, 10, 10)
	put(t, x.root, "10/task/10/schedstat", "100000000 900000000 7\n")
	before := look()[0]
	for n := 1; n <= 5; n++ {
		ran, passed := 60*n, 100*n // seconds
		x.set(10, "make", 1, 1, uint64(100*ran))
		waited := float64(look()[0]-before) / 1e9
		if all := waited + float64(ran); all > float64(passed)+0.1 || all < float64(passed)-1 { // it ran for .1 s itself
			t.Errorf("in %d s it ran for %d s and waited for %.1f s", passed, ran, waited)
		}
	}
}
