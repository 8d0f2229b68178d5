package tracker

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
)

// computesAndSleeps adds a minute of a job of one page of code that computes for half of each cycle of half a second,
// and sleeps. It waits for a CPU for waitS seconds of each second; NaN if that is not measured.
func computesAndSleeps(waitS float64) *LoopTracker {
	const step = 0.005
	busy := series.Column{Name: "busy_cpus", Unit: "CPUs", Scope: series.JobScope}
	page := series.Column{Name: "code:page", Unit: "samples", Group: series.CodeGroup, Scope: series.JobScope}
	other := page
	other.Name = series.OtherCode
	p := NewLoopTracker([]series.Column{busy, page, other}, step)
	rng := rand.New(rand.NewPCG(5, 6))
	begin, end := 0.0, 0.0
	for i := range remembers {
		t := float64(i) * step
		if t >= end {
			begin, end = end, end+.5*(1+.05*(rng.Float64()-.5))
		}
		if i%200 == 0 && !math.IsNaN(waitS) {
			p.Memory.AddCPUWait(waitS)
		}
		x := []float32{0, 0, 0}
		if t < (begin+end)/2 {
			x = []float32{1, 5, 0}
			if rng.IntN(30) == 0 {
				x[1], x[2] = 4, 1
			}
		}
		p.Add(x)
	}
	return p
}

// TestComputesAndSleepsLive checks that the loop of a job that sleeps by its own will is detected while it runs, and
// that a job that waited for CPUs instead, or whose wait is unknown, shows no loop in its use of CPUs.
func TestComputesAndSleepsLive(t *testing.T) {
	for _, c := range []struct {
		name  string
		waitS float64 // each second
		found bool
	}{
		{"hardly waits", .01, true}, {"waits while it is idle", .5, false}, {"unknown", math.NaN(), false},
	} {
		loops := computesAndSleeps(c.waitS).NextRequest().Detect()
		if found := len(loops) > 0; found != c.found || found && math.Abs(loops[0].PeriodS/.5-1) > .03 {
			t.Errorf("%s: %+v", c.name, loops)
		}
	}
}

// TestCPUWaitOfTheSamples checks that each scale has the wait of the samples that it holds, and not of older ones.
func TestCPUWaitOfTheSamples(t *testing.T) {
	m := NewMemory([]series.Column{{Name: "a"}}, .005)
	if got := m.CPUWaitS(0); got != nil {
		t.Errorf("a wait of %v s, which was not measured", *got)
	}
	for i := range 2 * remembers {
		if i%100 == 0 {
			m.AddCPUWait(1)
		}
		m.Add([]float32{0})
	}
	for scale, want := range []float64{remembers / 100, 2 * remembers / 100, 2 * remembers / 100} {
		if got := m.CPUWaitS(scale); got == nil || math.Abs(*got-want) > 1e-3 {
			t.Errorf("scale %d: %v s, want %v", scale, got, want)
		}
	}
}
