package tracker

import (
	"math"
	"testing"
)

// cycles returns a tracker that has seen cycles of one second with the given ends.
func cycles(n int, gaps map[int]float64) *Tracker {
	t := New(0.01)
	at := 0.0
	for i := range n {
		at += 1 + gaps[i]
		t.cycles++
		if t.lastEnd > 0 {
			t.addInterval(100*at - t.lastEnd)
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
		{"spinning", 40, nil, 11, WaitingInMPI, Stalled},
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
				if got = w.Update(tr.LastS()+s, JobActivity{Doing: c.doing}, tr); got == Stalled && c.want != Stalled {
					t.Fatalf("stalled after %v s", s)
				}
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestSuspensionDoesNotCountAsSilence(t *testing.T) {
	tr := cycles(40, nil)
	var w Watchdog
	for s := 0.0; s < 100; s += 0.5 {
		doing := Suspended
		if s > 60 {
			doing = Sleeping
		}
		got := w.Update(tr.LastS()+s, JobActivity{Doing: doing}, tr)
		if stalled := s > 60+stalledS; (got == Stalled) != stalled && (s < 60 || s > 62+stalledS) {
			t.Fatalf("%s after %v s", got, s)
		}
	}
}

// A snapshot in which a job seems busy, although none of its own code ran, neither ends a stall nor is it
// learned as usual: other programs left the job hardly any CPU time. Own code ends the stall.
func TestBusySnapshotsWithoutOwnCode(t *testing.T) {
	for _, c := range []struct {
		name         string
		busyS, own   float64
		wantsStalled bool
	}{
		{"one look", 0.5, 0, true},
		{"two counts of samples", 3.5, 0, true},
		{"longer", 6, 0, false},
		{"own code", 0.5, 0.1, false},
	} {
		var w Watchdog
		tr, now, seen := New(0.01), 0.0, JobActivity{}
		lasts := func(doing Doing, s, own float64) (state LoopState) {
			for end := now + s; now < end; {
				now += 0.5
				seen.Doing = doing
				seen.CPUS += 0.5
				seen.OwnS += own
				state = w.Update(now, seen, tr)
			}
			return state
		}
		lasts(Busy, 20, 0.5)
		for range 3 {
			lasts(WaitingInMPI, 12, 0)
			lasts(Busy, c.busyS, c.own)
		}
		if got := lasts(WaitingInMPI, 5, 0) == Stalled; got != c.wantsStalled {
			t.Errorf("%s: stalled %v, want %v", c.name, got, c.wantsStalled)
		}
	}
}

// stretch is a time in seconds in which a job does one thing, with the share of its CPU time in its own code.
type stretch struct {
	doing Doing
	s     float64
	own   float64
}

// mpiJob is a stretch of work in a program that communicates.
const mpiJob = 0.7

// A job without a loop is stalled once it has waited in MPI for 30 s and for five of its longest such stretches,
// or has slept for 300 s and for five of its longest such stretches. Its own code must have run before. Nothing
// else makes it stalled.
func TestStretchesWithoutOwnCode(t *testing.T) {
	works, comm := stretch{Busy, 6, 1}, stretch{WaitingInMPI, 25, 0}
	for _, c := range []struct {
		name   string
		course []stretch
		after  float64 // of the last stretch until it is stalled, 0 for never
	}{
		{"a rank is blocked", []stretch{works, {WaitingInMPI, 60, 0}}, 30},
		{"communicates for 25 s", []stretch{works, comm, works, comm, works}, 0},
		{"long collectives are usual", []stretch{works, comm, works, comm, works, {WaitingInMPI, 300, 0}}, 125},
		{"one collective came before", []stretch{works, {WaitingInMPI, 8, 0}, works, {WaitingInMPI, 100, 0}}, 40},
		{"waits before it works", []stretch{{WaitingInMPI, 200, 0}, works}, 0},
		{"only starts before", []stretch{{Busy, 10, 0}, {WaitingInMPI, 200, 0}}, 0},
		{"nearly always communicates", []stretch{{Busy, 1000, 0.01}, {WaitingInMPI, 200, 0}}, 0},
		{"some wait asleep", []stretch{works, {WaitingInMPI, 5, 0}, {Sleeping, 60, 0}}, 25},
		{"the only rank of this node sleeps", []stretch{{Busy, 6, mpiJob}, {Sleeping, 60, 0}}, 30},
		{"a node waits for a file", []stretch{{Busy, 6, mpiJob}, {InKernel, 20, 0}, {Busy, 6, mpiJob}, {InKernel, 90, 0},
			{Busy, 6, mpiJob}}, 0},
		{"OpenMP", []stretch{works, {WaitingInOpenMP, 60, 0}}, 30},
		{"sleeps for a while", []stretch{{Busy, 70, 1}, {Sleeping, 280, 0}, works}, 0},
		{"sleeps for good", []stretch{{Busy, 70, 1}, {Sleeping, 400, 0}}, 300},
		{"blocked in the kernel", []stretch{{Busy, 70, 0}, {InKernel, 400, 0}}, 300},
		{"hardly worked, then sleeps", []stretch{{Busy, 40, 1}, {Sleeping, 900, 0}}, 0},
		{"suspended", []stretch{{Busy, 70, 1}, {WaitingInMPI, 20, 0}, {Suspended, 500, 0}, {WaitingInMPI, 20, 0}, works}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var w Watchdog
			tr, now, seen := New(0.01), 0.0, JobActivity{}
			for i, part := range c.course {
				stalled := 0.0
				for s := 0.0; s < part.s; s += 0.5 {
					now += 0.5
					seen.Doing = part.doing
					seen.CPUS += 1
					seen.OwnS += part.own
					seen.UsesMPI = seen.UsesMPI || part.own == mpiJob
					state := w.Update(now, seen, tr)
					if state == Stalled && stalled == 0 {
						stalled = s
					}
				}
				switch last := i == len(c.course)-1; {
				case !last || c.after == 0:
					if stalled > 0 {
						t.Errorf("stalled after %g s of part %d", stalled, i)
					}
				case math.Abs(stalled-c.after) > 1:
					t.Errorf("stalled after %g s, want %g", stalled, c.after)
				}
			}
			since, doing, ok := w.Stalled()
			if ok != (c.after > 0) || ok && doing != c.course[len(c.course)-1].doing && !doing.Spins() {
				t.Errorf("stalled: %v, %q", ok, doing)
			}
			if began := now - c.course[len(c.course)-1].s; ok && (since > began || since < began-8) {
				t.Errorf("since %g s, want %g", since, began)
			}
		})
	}
}
