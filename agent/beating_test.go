package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"jobgait/agent/live"
	"jobgait/agent/profile"
	"jobgait/analysis/tracker"
)

// beating is a simulated job whose loop takes 46 slots of 5 ms: of three pages of code
// one after the other is hit.
type beating struct {
	a     *agent
	now   *int64
	slot  int64
	place *live.Place
	block profile.Block
}

func newBeating(t *testing.T) *beating {
	a, now, _ := simulated(t, &disk{}, 5e6)
	place, err := live.Make(filepath.Join(t.TempDir(), "live"), os.Getuid(), os.Getgid(), "run")
	if err != nil {
		t.Fatal(err)
	}
	a.header = profile.Header{StepNS: 5e6, BaseNS: *now, RunNS: *now, RunReal: 1e9, AddressHz: 1000, CPUs: 2, Scope: "job"}
	a.rhythm = newRhythm(a.header, a.in, place)
	return &beating{a: a, now: now, place: place}
}

// second gives the agent a block of a second, in which the job works or does nothing,
// and waits for detection if that was asked.
func (b *beating) second(working bool) {
	const n = 200
	b.block = profile.Block{First: b.slot, N: n, Samples: make([]uint32, n)}
	for key := range uint64(3) {
		p := profile.PageCount{Key: 100 + key, Counts: make([]uint16, n)}
		for i := range n {
			if phase := (b.slot + int64(i)) % 46; working && phase/15 == int64(key) {
				p.Counts[i] = uint16(4 + (b.slot+int64(i))%2)
				b.block.Samples[i] += uint32(p.Counts[i])
			}
		}
		b.block.Pages = append(b.block.Pages, p)
	}
	b.slot += n
	*b.now += 1e9
	r := b.a.rhythm
	r.follow(&b.block, b.a.header, 1000)
	b.a.watch(*b.now)
	if r.asking() {
		got := <-r.answers
		r.answers <- got
	}
}

// A job that stops dead is told as being in its loop first, then as stalled and
// nothing else, and live.json and the profile say so; when it goes on it is in its
// loop again.
func TestABeatThatStopsIsTold(t *testing.T) {
	b := newBeating(t)
	var states []tracker.State
	run := func(seconds int, working bool) {
		for range seconds {
			b.second(working)
			s, err := live.Read(b.place.Path())
			if err != nil {
				t.Fatal(err)
			}
			if len(states) == 0 || states[len(states)-1] != s.State {
				states = append(states, s.State)
			}
		}
	}
	run(40, true)
	s, err := live.Read(b.place.Path())
	if err != nil || s.PeriodS == nil || *s.PeriodS < 0.22 || *s.PeriodS > 0.24 || s.Cycles < 50 {
		t.Fatalf("%+v, %v", s, err)
	}
	if n := len(s.Recent); n != len(s.RecentS) || n < 50 || s.Recent[n-1].N != s.Cycles || s.Recent[n-1].N-s.Recent[0].N != int64(n-1) ||
		s.Recent[n-1].Boundary.Sub(s.Recent[n-2].Boundary).Round(10*time.Millisecond) != 230*time.Millisecond {
		t.Errorf("cycles %+v", s.Recent)
	}
	// Those at its beginning are counted from where they were found: none of them begins
	// before the run, and so many fit between the first and the last.
	if s.FirstCycle == nil || s.FirstCycle.Before(time.Unix(1e9, 0)) ||
		math.Abs(s.LastBoundary.Sub(*s.FirstCycle).Seconds()/0.23-float64(s.Cycles)) > 1 {
		t.Errorf("%d cycles from %v to %v", s.Cycles, s.FirstCycle, s.LastBoundary)
	}
	run(30, false)
	s, err = live.Read(b.place.Path())
	if err != nil || s.Stalled == nil || s.Stalled.Doing != tracker.Sleeping {
		t.Fatalf("%+v, %v", s, err)
	}
	run(10, true)
	if want := []tracker.State{tracker.Starting, tracker.InCycle, tracker.Stalled, tracker.InCycle}; !slices.Equal(slices.DeleteFunc(states, func(s tracker.State) bool { return s == tracker.None }), want) {
		t.Errorf("%v, want %v", states, want)
	}
	var kinds []string
	for _, e := range b.a.sampler.Epochs() {
		if e.Kind == profile.StalledKind && (e.SinceS < 35 || e.SinceS > 41) {
			t.Errorf("stalled since %v s", e.SinceS)
		}
		kinds = append(kinds, e.Kind)
	}
	if !slices.Equal(kinds, []string{profile.StalledKind, profile.MovingKind}) {
		t.Errorf("epochs %v", kinds)
	}
}
