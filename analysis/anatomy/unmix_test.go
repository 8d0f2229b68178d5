package anatomy

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

var unmixTable = flag.Bool("unmix", false, "print the table of MEASURED.md: shapes of cycles from windows of 200 ms")

// drawnCycles draws cycles of about the given period in which a GPU runs in one part, and the windows of 200 ms,
// in whole per cent, that a driver reports for them.
func drawnCycles(r *rand.Rand, period, jitter, duty, from, seconds float64) (Cycles, []Window) {
	const step = .005
	var c Cycles
	var begins, ends []float64
	for at := 3.0; at < seconds; {
		n := max(1, math.Round(period*(1+jitter*r.NormFloat64())/step))
		c.Instances = append(c.Instances, [2]int{int(math.Round(at / step)), int(n)})
		length := n * step
		begins, ends = append(begins, at+from*length), append(ends, at+(from+duty)*length)
		at += length
	}
	ran := func(t float64) (sum float64) {
		for i, b := range begins {
			if b >= t {
				break
			}
			sum += min(t, ends[i]) - b
		}
		return sum
	}
	var windows []Window
	last := 0.0
	for end := .13; end < seconds; end += .2 {
		now := ran(end)
		windows = append(windows, Window{EndS: end, Mean: math.Round(100*(now-last)/.2) / 100})
		last = now
	}
	return c, windows
}

// unmixError returns the mean absolute difference of a shape from the true one, over the parts.
func unmixError(within []float64, duty, from float64) float64 {
	off := 0.0
	for i, v := range within {
		lo, hi := float64(i)/Bins, float64(i+1)/Bins
		truth := 0.0
		for _, turn := range []float64{0, -1} {
			truth += max(0, min(hi, from+duty+turn)-max(lo, from+turn)) * Bins
		}
		off += math.Abs(v-truth) / Bins
	}
	return off
}

// The mean of a cycle is right whatever its length. Its shape is right where windows are shorter than the cycle
// and cover all its parts.
func TestUnmix(t *testing.T) {
	for _, c := range []struct {
		period, jitter, duty, from float64
		shape                      bool
	}{
		{.18, .02, .66, .1, false}, {.4, 0, .5, .2, false}, {.33, .02, .5, .2, true}, {.5, .02, .25, .6, true},
		{.6, .02, .7, .25, true},
		{1.1, .03, .1, .5, true}, {2, .02, .13, .3, true}, {4, .02, .5, .4, true},
	} {
		r := rand.New(rand.NewPCG(1, uint64(c.period*1000)))
		cycles, windows := drawnCycles(r, c.period, c.jitter, c.duty, c.from, 120)
		u := Unmix(cycles, 0, .005, windows)
		off := unmixError(u.Within, c.duty, c.from)
		t.Logf("%.2f s: mean %.3f of %.3f, %d cycles, %d windows, shape off by %.3f", c.period, u.Mean, c.duty, u.Count,
			u.Windows, off)
		if math.Abs(u.Mean-c.duty) > .02 || (u.Within != nil) != c.shape || c.shape && off > .1 {
			t.Errorf("%.2f s: %+v, off by %.3f", c.period, u, off)
		}
		for _, v := range u.Within {
			if v < 0 || v > 1 {
				t.Errorf("%.2f s: %g", c.period, v)
			}
		}
	}
}

// Windows outside cycles, or partly outside, are left out; without cycles there is no result.
func TestUnmixOfNothing(t *testing.T) {
	windows := []Window{{1, 1}, {1.2, 1}, {1.4, 1}, {5, 1}}
	if u := Unmix(Cycles{}, 0, .005, windows); u.Windows != 0 || u.Within != nil {
		t.Errorf("%+v", u)
	}
	if u := Unmix(Cycles{Instances: [][2]int{{210, 70}}}, 0, .005, windows); u.Windows != 1 || u.Count != 1 {
		t.Errorf("%+v", u)
	}
}

// TestUnmixTable prints how far shapes are off, by length of the cycle and of the run.
func TestUnmixTable(t *testing.T) {
	if !*unmixTable {
		t.Skip("by hand: -args -unmix")
	}
	fmt.Println("| cycle, s | off, 30 s | 120 s | 600 s |")
	for _, period := range []float64{.25, .3, .33, .4, .5, .607, .8, 1.09, 2, 4} {
		fmt.Printf("| %.3f |", period)
		for _, seconds := range []float64{30, 120, 600} {
			sum, n := 0.0, 0
			r := rand.New(rand.NewPCG(2, uint64(period*1000)))
			for range 20 {
				duty, from := .1+.8*r.Float64(), r.Float64()
				cycles, windows := drawnCycles(r, period, .02, duty, from, seconds)
				if u := Unmix(cycles, 0, .005, windows); u.Within != nil {
					sum, n = sum+unmixError(u.Within, duty, math.Mod(from, 1)), n+1
				}
			}
			fmt.Printf(" %.3f (%d of 20) |", sum/float64(max(1, n)), n)
		}
		fmt.Println()
	}
}
