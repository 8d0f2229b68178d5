package tracker

import "testing"

// cycles is a tracker that has seen cycles of a second at the given ends.
func cycles(n int, gaps map[int]float64) *Tracker {
	t := New(0.01)
	at := 0.0
	for i := range n {
		at += 1 + gaps[i]
		t.cycles++
		if t.lastEnd > 0 {
			t.interval(100*at - t.lastEnd)
		}
		t.lastEnd = 100 * at
	}
	return t
}

func TestSilence(t *testing.T) {
	for _, c := range []struct {
		name  string
		n     int
		gaps  map[int]float64
		after float64 // seconds of silence
		doing Doing
		want  LoopState
	}{
		{"short", 40, nil, 9, Sleeping, InCycle},
		{"asleep", 40, nil, 11, Sleeping, Stalled},
		{"in the kernel", 40, nil, 11, InKernel, Stalled},
		{"spinning", 40, nil, 11, Spinning, Stalled},
		{"busy", 40, nil, 60, Busy, LeftLoop},
		{"suspended", 40, nil, 60, Suspended, IsSuspended},
		{"few cycles", 12, nil, 60, Sleeping, InCycle},
		{"after checkpoints", 100, map[int]float64{40: 8, 80: 8}, 40, Sleeping, InCycle},
		{"long after checkpoints", 100, map[int]float64{40: 8, 80: 8}, 50, Sleeping, Stalled},
		{"none yet", 0, nil, 60, Sleeping, None},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := cycles(c.n, c.gaps)
			var w Watchdog
			got := LoopState("")
			for s := 0.0; s <= c.after; s += 0.5 {
				if got = w.Look(tr.LastS()+s, c.doing, tr); got == Stalled && c.want != Stalled {
					t.Fatalf("stalled after %v s", s)
				}
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestASuspensionIsNoSilence(t *testing.T) {
	tr := cycles(40, nil)
	var w Watchdog
	for s := 0.0; s < 100; s += 0.5 {
		doing := Suspended
		if s > 60 {
			doing = Sleeping
		}
		got := w.Look(tr.LastS()+s, doing, tr)
		if stalled := s > 60+stalledS; (got == Stalled) != stalled && (s < 60 || s > 62+stalledS) {
			t.Fatalf("%s after %v s", got, s)
		}
	}
}
