package main

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"jobgait/agent/live"
	"jobgait/agent/profile"
	"jobgait/analysis/run"
)

// TestLiveLoopOfComputingAndSleeping follows the blocks of a job of one page of code that computes and sleeps in turns
// for 240 ms each. Its counter of waiting for CPUs, read at the end of each block of one second, decides whether the
// idle CPUs show the job's own loop.
func TestLiveLoopOfComputingAndSleeping(t *testing.T) {
	for _, c := range []struct {
		name  string
		waits int64 // ns each second
		found bool
	}{{"hardly waits", 5e6, true}, {"waits while it is idle", 5e8, false}} {
		t.Run(c.name, func(t *testing.T) {
			a, now, _ := simulated(t, &disk{}, 5e6)
			place, err := live.MakeLocation(filepath.Join(t.TempDir(), "live"), os.Getuid(), "run")
			if err != nil {
				t.Fatal(err)
			}
			a.header = profile.Header{StepNS: 5e6, BaseNS: *now, RunNS: *now, RunReal: 1e9, AddressHz: 1000, CPUs: 2,
				Scope: "job", Columns: []profile.Column{{Name: run.CPUWait, Unit: "ns", Scope: "job", Hz: 1}}}
			a.rhythm = newRhythm(a.header, a.in, place)
			const n = 200
			rng := rand.New(rand.NewPCG(7, 8))
			for second := range int64(60) {
				b := profile.Block{First: second * n, N: n, Samples: make([]uint32, n), Columns: [][]int64{make([]int64, n)}}
				pages := [2]profile.PageCount{{Key: 100, Counts: make([]uint16, n)}, {Key: 101, Counts: make([]uint16, n)}}
				for i := range n {
					b.Columns[0][i] = profile.NoValue
					if slot := second*n + int64(i); slot%96 < 48 {
						pages[rng.IntN(23)/22].Counts[i] = 5
						b.Samples[i] = 5
					}
				}
				b.Columns[0][n-1] = (second + 1) * c.waits
				b.Pages = pages[:]
				*now += 1e9
				a.rhythm.loop.follow(&b, a.header, 1000)
				a.updateRhythm(*now)
				if a.rhythm.detecting() {
					got := <-a.rhythm.detection.answers
					a.rhythm.detection.answers <- got
				}
			}
			s, err := live.Read(place.Path())
			if err != nil {
				t.Fatal(err)
			}
			if found := s.PeriodS != nil; found != c.found || found && math.Abs(*s.PeriodS/.48-1) > .03 {
				t.Errorf("period %v, %d cycles", s.PeriodS, s.Cycles)
			}
		})
	}
}
