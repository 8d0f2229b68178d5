package reports

import (
	"strings"
	"testing"

	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
)

// onGPUs is the melt with two GPUs of which one is not used.
func onGPUs() summary.Summary {
	s := melt()
	s.Key.JobID = 812361
	board := summary.GPUDevice{Name: "NVIDIA A100-SXM4-80GB", UUID: "GPU-6e05d7c1-0000-0000-0000-000000000000", MemoryBytes: 85.9e9}
	s.GPUs = []summary.GPU{
		{Node: "dahu-1", GPUDevice: board, ReadS: 3540, EnergyJ: ptr(1.097e6), PowerW: ptr(310.), ActiveS: ptr(2443.), SlowedS: ptr(0.), MemoryPeakBytes: ptr(71.2e9)},
		{Node: "dahu-1", GPUDevice: board, ReadS: 3540, EnergyJ: ptr(2.02e5), PowerW: ptr(57.), ActiveS: ptr(0.), SlowedS: ptr(0.), MemoryPeakBytes: ptr(0.6e9)}}
	s.GPUs[1].Index, s.GPUs[1].UUID = 1, "GPU-6e05d7c1-0000-0000-0000-000000000001"
	s.Counters = append(s.Counters, summary.Counter{Name: "gpu0_energy", Unit: "uJ", Scope: "job", Total: 1.097e12})
	return s
}

// The text tells what was read and nothing of what was not; many GPUs are cut.
func TestTextOfGPUs(t *testing.T) {
	s := onGPUs()
	s.GPUs[1].EnergyJ, s.GPUs[1].PowerW, s.GPUs[1].Name = nil, nil, hostileName
	for i := range 20 {
		g := s.GPUs[0]
		g.Node, g.Index = "dahu-2", i
		s.GPUs = append(s.GPUs, g)
	}
	rows := New(s, nil, options()).gpuRows()
	if len(rows) != 1+listedGPUs || rows[1][0].Text != "dahu-1 0" || rows[2][3].Text != quantity.Missing || rows[2][2].Text != "0 %" {
		t.Errorf("rows %v", rows)
	}
	r := New(s, nil, options())
	if rest := r.gpuRest(); !strings.Contains(rest, "6 more") || strings.Contains(rest, "took") {
		t.Errorf("rest %q: the energy of one is not known", rest)
	}
	if rows := New(nemo(), nil, options()).gpuRows(); rows != nil {
		t.Errorf("of a run without GPUs: %v", rows)
	}
}
