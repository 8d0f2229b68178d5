package finish

import (
	"fmt"
	"math"
	"math/rand/v2"

	"jobgait/agent/profile"
	"jobgait/analysis/run"
)

// simulatedGPU is a GPU of the job as its driver reports it: its energy is refreshed periodically, its
// utilization is that of the last whole sixth of a second, and both are read at random times, 100 to 200 ms
// apart, as by the agent. It takes 400 W when it runs and 100 W when it does not, which is outside of
// iterations and in a part of each.
type simulatedGPU struct {
	IdleFrom, IdleTo float64 // within an iteration, 0 to 1
	RefreshMS        int     // of the energy; 0: 20
	Windows          bool    // the driver buffers its windows of utilization
}

// gpuDone is what a GPU did while it was read.
type gpuDone struct {
	EnergyJ, ActiveS float64
	IdleShare        float64 // of the time within iterations
}

const (
	stepNS        = 5_000_000
	runsW, idlesW = 400, 100
	slotMS        = stepNS / 1e6
	windowSlots   = 33 // of the utilization, 1/6 s
	bufferedSlots = 40 // of a buffered window, 200 ms
)

// simulatedGPUs are those of a profile.
type simulatedGPUs []*board

func newSimulatedGPUs(seed uint64, gpus ...simulatedGPU) (out simulatedGPUs) {
	for i, g := range gpus {
		out = append(out, newBoard(g, seed+uint64(i)))
	}
	return out
}

func (l simulatedGPUs) Header(h *profile.Header) {
	for i := range l {
		column := func(what, unit string) profile.Column {
			return profile.Column{Name: fmt.Sprintf("gpu%d_%s", i, what), Unit: unit, Scope: "job", Hz: 1 / 0.15, Ticked: true}
		}
		h.Columns = append(h.Columns, column("energy", "uJ"), column("kernel", "ns"))
	}
}

func (l simulatedGPUs) Footer(f *profile.Footer) {
	for i := range l {
		f.GPUs = append(f.GPUs, run.GPUDevice{Index: i, Name: "synthetic", MemoryBytes: 80e9})
	}
}

func (l simulatedGPUs) Slot(part float64) {
	for _, b := range l {
		b.slot(part)
	}
}

// Fill has later readings.
func (l simulatedGPUs) Fill(block *profile.Block) {
	for _, g := range l {
		energy, ran := make([]int64, block.N), make([]int64, block.N)
		for i := range block.N {
			energy[i], ran[i] = g.between(int(block.First) + i)
		}
		block.Columns = append(block.Columns, energy, ran)
	}
}

// Windows are the whole windows of 200 ms of the boards that have them, in per cent.
func (l simulatedGPUs) Windows(baseNS int64) (out []profile.GPUWindows) {
	for i, g := range l {
		if !g.simulatedGPU.Windows {
			continue
		}
		w := profile.GPUWindows{GPU: i}
		for end := bufferedSlots; end < len(g.ran); end += bufferedSlots {
			ran := float64(g.ran[end]-g.ran[end-bufferedSlots]) / (bufferedSlots * stepNS)
			w.EndNS, w.Percent = append(w.EndNS, baseNS+int64(end+1)*stepNS), append(w.Percent, uint8(math.Round(100*ran)))
		}
		out = append(out, w)
	}
	return out
}

// board is the state of a GPU.
type board struct {
	simulatedGPU
	rng *rand.Rand
	// energy and ran are up to the end of each slot, in uJ and ns.
	energy, ran        []int64
	inside, idleInside int // slots
	// readings are those so far, the last of the latest slot at most.
	readings []reading
	next     int // slot of the next one
}

type reading struct {
	slot        int
	energy, ran int64
}

func newBoard(g simulatedGPU, seed uint64) *board {
	if g.RefreshMS == 0 {
		g.RefreshMS = 20
	}
	return &board{simulatedGPU: g, rng: rand.New(rand.NewPCG(seed, 2)), next: 20}
}

// slot adds a slot in the given part of an iteration, and takes a reading if one is due.
func (b *board) slot(at float64) {
	runs := at >= 0 && (at < b.IdleFrom || at >= b.IdleTo)
	watts, energy, ran := idlesW, int64(0), int64(0)
	if n := len(b.energy); n > 0 {
		energy, ran = b.energy[n-1], b.ran[n-1]
	}
	if runs {
		watts = runsW
		ran += stepNS
	}
	if at >= 0 {
		if b.inside++; !runs {
			b.idleInside++
		}
	}
	b.energy, b.ran = append(b.energy, energy+int64(watts)*slotMS*1000), append(b.ran, ran)
	if slot := len(b.energy) - 1; slot == b.next {
		b.readings = append(b.readings, b.ask(slot))
		b.next += (100 + b.rng.IntN(101)) / slotMS
	}
}

// ask returns what the driver reports at the end of a slot: the agent adds the utilization times the time since
// the last reading, and dates the energy at the last refresh.
func (b *board) ask(slot int) reading {
	refresh := b.RefreshMS / slotMS
	r := reading{slot: slot, energy: b.energy[slot/refresh*refresh]}
	if n := len(b.readings); n > 0 {
		end := slot / windowSlots * windowSlots
		share := float64(b.ran[end]-b.ran[max(0, end-windowSlots)]) / float64(windowSlots*stepNS)
		r.ran = b.readings[n-1].ran + int64(share*float64((slot-b.readings[n-1].slot)*stepNS))
	}
	return r
}

// between interpolates what was read at both sides of a slot's end.
func (b *board) between(slot int) (energy, ran int64) {
	for i := 1; i < len(b.readings); i++ {
		x, y := b.readings[i-1], b.readings[i]
		if slot >= x.slot && slot <= y.slot {
			part := float64(slot-x.slot) / float64(y.slot-x.slot)
			first := b.readings[0]
			return x.energy - first.energy + int64(part*float64(y.energy-x.energy)), x.ran + int64(part*float64(y.ran-x.ran))
		}
	}
	return profile.NoValue, profile.NoValue
}

// done returns the work of the GPU between its first and its last reading.
func (b *board) done() (d gpuDone) {
	if k := len(b.readings); k > 0 {
		from, to := b.readings[0].slot, b.readings[k-1].slot
		d.EnergyJ, d.ActiveS = float64(b.energy[to]-b.energy[from])/1e6, float64(b.ran[to]-b.ran[from])/1e9
	}
	if b.inside > 0 {
		d.IdleShare = float64(b.idleInside) / float64(b.inside)
	}
	return d
}
