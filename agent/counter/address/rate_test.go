package address

import (
	"math/rand/v2"
	"testing"
)

func TestChooseRate(t *testing.T) {
	for _, c := range []struct {
		wanted, cpus int
		hz           float64
	}{
		{0, 1, 1000}, {0, 8, 1000}, {0, 16, 800}, {0, 24, 400}, {0, 32, 400},
		{0, 64, 200}, {0, 128, 100}, {0, 256, 100},
		{500, 2, 400}, {997, 2, 800}, {150, 2, 100}, {200, 128, 200}, {1, 2, 10}, {1 << 30, 2, 10_000},
	} {
		if got := ChooseRate(c.wanted, c.cpus, 5e6); got.Hz != c.hz {
			t.Errorf("%+v: %v Hz", c, got.Hz)
		}
	}
}

// A busy CPU must give the same number of samples in every slot, or in every
// group of slots, else the number itself is periodic.
func TestPeriodFitsTheGrid(t *testing.T) {
	for _, stepNS := range []int64{5e6, 10e6, 2e6, 1_000_000_000 / 300} {
		for wanted := 1; wanted <= MaxHz; wanted += 7 {
			r := ChooseRate(wanted, 4, stepNS)
			if stepNS%r.PeriodNS != 0 && r.PeriodNS%stepNS != 0 {
				t.Fatalf("%d Hz: period %d against step %d", wanted, r.PeriodNS, stepNS)
			}
			if hz := float64(wanted); stepNS == 5e6 && hz >= 20 && (r.Hz < hz/2.01 || r.Hz > hz) {
				t.Fatalf("%d Hz wanted, %v given", wanted, r.Hz)
			}
		}
	}
}

func TestNodesStayNearTenKilohertz(t *testing.T) {
	for cpus := 8; cpus <= 128; cpus++ {
		if sum := ChooseRate(0, cpus, 5e6).Hz * float64(cpus); sum < 6_400 || sum > 12_800 {
			t.Errorf("%d CPUs: %v samples a second", cpus, sum)
		}
	}
}

// Timers that are up to a third of a period late still give equal slots, on one
// CPU or summed over any number of neighbours.
func TestPhasesGiveEqualSlots(t *testing.T) {
	const step = 5_000_000
	r := rand.New(rand.NewPCG(3, 4))
	for _, period := range []int64{step / 10, step / 5, step, 2 * step, 4 * step} {
		slots := make([]int, 40)
		cpus := int(max(4, 4*period/step))
		for i := range cpus {
			p := timerPhase(i, period, step)
			if p < 0 || p >= period {
				t.Fatalf("phase %d of period %d", p, period)
			}
			for at := p; at < 40*step; at += period {
				slots[(at+r.Int64N(min(period, step)/3))/step]++
			}
		}
		for i, n := range slots {
			if n != slots[0] || n == 0 {
				t.Fatalf("period %d: slot %d has %d samples, slot 0 %d", period, i, n, slots[0])
			}
		}
	}
}
