package qemu

import (
	"math"
	"slices"
	"testing"
)

// stepNS is the step of the grid.
const stepNS = 5e6

// span is what a lane counted between two readings.
type span struct {
	NS           float64 `json:"ns"`
	Instructions float64 `json:"instructions"`
	Cycles       float64 `json:"cycles"`
}

// near fails unless a value is within a part of what it should be, and prints
// both.
func near(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	t.Logf("%s: %.6g, %+.4f %%", what, got, 100*(got-want)/want)
	if !(math.Abs(got-want) <= part*math.Abs(want)) {
		t.Errorf("%s: %g, want %g within %g %%", what, got, want, 100*part)
	}
}

func judgeIPC(t *testing.T, m machine, v struct {
	span
	IPC   float64 `json:"ipc"`
	Turns float64 `json:"turns"`
	All   float64 `json:"all"`
	Alone float64 `json:"alone"`
	Own   float64 `json:"own"`
}) {
	near(t, "IPC", v.IPC, m.ipc(), 0.001)
	near(t, "cycles, 1 ns each", v.Cycles, v.NS, 0.001)
	// Two instructions a turn, those around the loop, and those of Go's own
	// threads, which look in every 10 ms and send the loop a signal then: 130,000
	// to 210,000 in all, the more the slower the CPU.
	looks := v.NS / 10e6
	near(t, "instructions of the loop, user code", v.Own, 2*v.Turns, (100_000+5_000*looks)/(2*v.Turns))
	if v.Own < 2*v.Turns {
		t.Errorf("%g instructions, the loop alone has %g", v.Own, 2*v.Turns)
	}
	// Ticks and records are the kernel's, and the more of them the slower the
	// CPU: they are not to be guessed, but counted apart. What differs is the
	// code between the calls that read the one and the other, a tenth of a
	// million instructions.
	near(t, "instructions", v.All, v.Alone, 0.001)
}

// The records are those of the timer. Their number is checked only for records that are missing without being
// reported as lost.
func judgeRing(t *testing.T, m machine, v struct {
	Records int       `json:"records"`
	Lost    int64     `json:"lost"`
	Missing int64     `json:"missing"`
	Phases  []float64 `json:"phases"`
	Steps   []float64 `json:"steps"`
	Cycles  []float64 `json:"cycles"`
	Slots   []float64 `json:"slots"`
}) {
	if v.Records < 25 || len(v.Slots) < 25 || len(v.Cycles) != len(v.Steps) {
		t.Fatalf("%d records, %d slots", v.Records, len(v.Slots))
	}
	// On the grid: just after its points. A slow CPU takes longer to get
	// from the timer's start to the interrupt.
	slices.Sort(v.Phases)
	if late := v.Phases[len(v.Phases)/2]; late > stepNS/20 {
		t.Errorf("half of the records are %g us or more after a point of the grid", late/1e3)
	}
	slices.Sort(v.Steps)
	near(t, "median time between records", v.Steps[len(v.Steps)/2], stepNS, 0.001)
	for i, c := range v.Cycles {
		if c <= 0 {
			t.Errorf("record %d counts %g cycles", i+1, c)
		}
	}
	// Interpolated, every slot is full but the last and the first two: the
	// counters are started just after a point of the grid.
	for i, c := range v.Slots[2 : len(v.Slots)-1] {
		if math.Abs(c-stepNS) > stepNS/1000 {
			t.Errorf("slot %d: %g cycles of 1 ns in %g ns", i+2, c, stepNS)
		}
	}
}

// If another user takes the PMU, the share is reported, and counts are scaled by it.
func judgeShared(t *testing.T, m machine, v struct {
	span
	Turns  float64   `json:"turns"`
	Share  float64   `json:"share"`
	Rivals []float64 `json:"rivals"`
	Codes  []string  `json:"codes"`
}) {
	if !(v.Share > 0.1 && v.Share < 0.9) {
		t.Errorf("counted in %.3f of the time, with rivals for every counter", v.Share)
	}
	if !slices.Contains(v.Codes, "multiplexed") {
		t.Errorf("notes %v", v.Codes)
	}
	near(t, "IPC", v.Instructions/v.Cycles, m.ipc(), 0.001)
	// The kernel gives the counters to others every 4 ms; at the end two such turns may be missing. During a turn
	// nothing counts, so cycles are not compared with the time.
	turn := 10e6 / v.NS
	var rivals float64
	for _, r := range v.Rivals {
		rivals += r / float64(len(v.Rivals))
	}
	near(t, "instructions, scaled, against those of the rivals", v.Instructions, rivals, turn)
	near(t, "instructions, scaled, against the loop's", v.Instructions, 2*v.Turns, turn+0.02)
}
