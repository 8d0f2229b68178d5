package finish

import (
	"math"
	"path/filepath"
	"testing"

	"jobgait/agent/profile/profiletest"
)

// For any cycle, idle part and energy refresh of the driver, a GPU's energy and active time are reported to
// within 1 %, its idle share of the cycle to within 3 points and, if the power shows it, the idle part of the
// cycle. A utilization of 1/6 s read at random times has a standard error of 0.3 to 0.8 % for two minutes and
// cycles of 5 to 0.7 s, and less by the square root for longer times.
func TestGPUsOfProfiles(t *testing.T) {
	for seed, c := range []struct {
		periodS float64
		gpu     simulatedGPU
	}{
		{0.18, simulatedGPU{IdleFrom: 0.3, IdleTo: 0.64, Windows: true}},
		{0.5, simulatedGPU{IdleFrom: 0.1, IdleTo: 0.8, RefreshMS: 100, Windows: true}},
		{0.607, simulatedGPU{IdleFrom: 0.2, IdleTo: 0.95, Windows: true}},
		{0.7, simulatedGPU{IdleFrom: 0.5, IdleTo: 0.81}}, {1.3, simulatedGPU{IdleFrom: 0, IdleTo: 0.1, RefreshMS: 100}},
		{2.3, simulatedGPU{IdleFrom: 0.6, IdleTo: 0.91, RefreshMS: 100}}, {3.1, simulatedGPU{IdleFrom: 0.2, IdleTo: 0.7}},
		{4.3, simulatedGPU{IdleFrom: 2, IdleTo: 2}},
		// The duty cycles of the table in agent/counter/gpu/MEASURED.md.
		{0.5, simulatedGPU{IdleFrom: 0.1, IdleTo: 0.85, RefreshMS: 100, Windows: true}},
		{0.18, simulatedGPU{IdleFrom: 0.2, IdleTo: 0.54, RefreshMS: 100, Windows: true}},
		{1.1, simulatedGPU{IdleFrom: 0.1, IdleTo: 1, RefreshMS: 100, Windows: true}},
		{4, simulatedGPU{IdleFrom: 0.3, IdleTo: 0.8, RefreshMS: 100, Windows: true}},
		{0.607, simulatedGPU{IdleFrom: 0.1, IdleTo: 0.97, RefreshMS: 100, Windows: true}},
	} {
		path := filepath.Join(t.TempDir(), "profile")
		gpus := newSimulatedGPUs(uint64(seed), c.gpu, simulatedGPU{IdleFrom: 0, IdleTo: 1})
		err := profiletest.Write(path,
			profiletest.SyntheticRun{Seconds: 300, PeriodS: c.periodS, Seed: uint64(seed), Seal: true, Also: gpus})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Replay(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.GPUs) != 2 || len(s.Patterns) == 0 {
			t.Fatalf("%g s: %d GPUs, %d patterns", c.periodS, len(s.GPUs), len(s.Patterns))
		}
		g, idle, truth := s.GPUs[0], s.GPUs[1], gpus[0].done()
		if g.Name != "synthetic" || g.ActiveS == nil || g.EnergyJ == nil || g.Cycle == nil || idle.Cycle == nil {
			t.Fatalf("%g s: %+v", c.periodS, g)
		}
		energy, active := *g.EnergyJ/truth.EnergyJ-1, *g.ActiveS/truth.ActiveS-1
		t.Logf("%g s: energy %+.2f %%, active %+.2f %%, idle %.1f %% of the cycle of %.1f %%, %.0f cycles, period %.3g s",
			c.periodS, 100*energy, 100*active,
			100*g.Cycle.IdleShare, 100*truth.IdleShare, g.Cycle.Count, s.Patterns[0].PeriodS)
		if math.Abs(energy) > .01 || math.Abs(active) > .01 || math.Abs(g.Cycle.IdleShare-truth.IdleShare) > .03 {
			t.Errorf("%g s: off", c.periodS)
		}
		if *idle.ActiveS != 0 || idle.Cycle.IdleShare != 1 || idle.Cycle.Idle != nil {
			t.Errorf("one that ran nothing: %+v %+v", idle, idle.Cycle)
		}
		whenIdle(t, c.periodS, c.gpu, g.Cycle.Idle)
	}
}

// whenIdle requires most of the idle part for cycles that are long enough to show it. The period may begin
// anywhere in an iteration: an idle stretch in one piece is one piece in the cycle.
func whenIdle(t *testing.T, periodS float64, g simulatedGPU, idle []float64) {
	t.Helper()
	if told := idle != nil; told != ((periodS >= 2 || g.Windows && periodS > .2) && g.IdleTo <= 1) {
		t.Errorf("%g s: when it is idle is %v", periodS, idle)
		return
	}
	turns := 0
	for i := range idle {
		if (idle[i] > .5) != (idle[(i+1)%len(idle)] > .5) {
			turns++
		}
	}
	if idle != nil && turns != 2 {
		t.Errorf("%g s: idle in %d pieces: %v", periodS, turns/2, idle)
	}
}
