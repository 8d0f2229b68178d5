package summary

import (
	"math"
	"strings"
	"testing"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// gpuSet returns columns on a grid of seconds.
func gpuSet(columns map[string]series.Values) series.Set {
	set := series.Set{StepS: 1}
	for name, v := range columns {
		set.Columns = append(set.Columns, series.Column{Name: name, Scope: series.JobScope, Values: v})
	}
	return set
}

// flatRate returns n seconds of a value, after a missing second and an incomplete one.
func flatRate(v float32, n int) series.Values {
	out := series.Values{series.Missing(), 0, v / 2}
	for range n {
		out = append(out, v)
	}
	return out
}

func TestGPUs(t *testing.T) {
	counters := []run.Counter{{Name: "gpu0_energy", Scope: "job", Unit: "uJ", Total: 25e9},
		{Name: "gpu0_kernel", Scope: "job", Unit: "ns", Total: 69e9},
		{Name: "gpu0_power_capped", Scope: "job", Unit: "ns", Total: 5e9}, {Name: "gpu1_energy", Scope: "job", Unit: "uJ"},
		{Name: "gpu1_kernel", Scope: "job", Unit: "ns"},
		{Name: "gpu0_sm", Scope: "job", Unit: "ns", Total: 30e9}, {Name: "gpu0_gpm", Scope: "job", Unit: "ns", Total: 60e9},
		{Name: "gpu1_sm", Scope: "job"},
		{Name: "gpu0_heat_slowed", Scope: "job", Unit: "ns", Total: 2e9}, {Name: "gpu2_energy", Scope: "node", Total: 7}}
	slow := gpuSet(map[string]series.Values{
		"gpu0_energy": flatRate(250e6, 100), "gpu0_kernel": flatRate(.69e9, 100), "gpu0_memory": {4e9, 6e9, 5e9},
		// it did nothing, and its energy did not move
		"gpu1_energy": {0, 0, 0, 0}, "gpu1_kernel": {0, 0, 0, series.Missing()},
		"gpu3_power": flatRate(90e3, 10), "gpu3_clock": flatRate(1700, 10), // AMD without energy
		"gpu4_energy": {series.Missing(), series.Missing()}, "mem_used": {1, 2},
	})
	r := NodeRecord{Node: "n1", Counters: counters}.WithGPUs(slow, nil,
		[]run.GPUDevice{{Index: 0, Name: "board", UUID: "GPU-1", MemoryBytes: 80e9}})
	if len(r.GPUs) != 3 || r.GPUs[0].Index != 0 || r.GPUs[1].Index != 1 || r.GPUs[2].Index != 3 {
		t.Fatalf("GPUs %+v", r.GPUs)
	}
	g, idle, amd := r.GPUs[0], r.GPUs[1], r.GPUs[2]
	if g.Name != "board" || g.MemoryBytes != 80e9 || g.ReadS != 100 || *g.EnergyJ != 25e3 || *g.ActiveS != 69 ||
		*g.SlowedS != 5 || *g.MemoryPeakBytes != 6e9 || math.Abs(*g.PowerW-250) > .01 {
		t.Errorf("GPU %+v", g)
	}
	if g.SM == nil || *g.SM != .5 || g.Tensor != nil || idle.SM != nil || *g.PowerCappedS != 5 || *g.HeatSlowedS != 2 {
		t.Errorf("use of the GPU %+v", g)
	}
	if idle.ReadS != 4 || idle.EnergyJ != nil || idle.ActiveS == nil || *idle.ActiveS != 0 || idle.MemoryPeakBytes != nil {
		t.Errorf("one that did nothing: %+v", idle)
	}
	if amd.ClockMHz == nil || *amd.ClockMHz != 1700 || g.ClockMHz != nil {
		t.Errorf("clocks %v, %v", amd.ClockMHz, g.ClockMHz)
	}
	if amd.EnergyJ != nil || amd.ActiveS != nil || math.Abs(*amd.PowerW-90) > .01 || amd.ReadS != 10 {
		t.Errorf("one that reports power only: %+v", amd)
	}
}

// A GPU that is lost before the driver's windows are read has one reading of the utilization: how long it was active
// is unknown.
func TestActiveTimeOfALostGPU(t *testing.T) {
	nan := series.Missing()
	slow := gpuSet(map[string]series.Values{"gpu0_power": flatRate(90e3, 10), "gpu0_kernel": {0, 0, nan, nan, nan, nan}})
	r := NodeRecord{Node: "n1", Counters: []run.Counter{{Name: "gpu0_kernel", Scope: "job", Unit: "ns"}}}.
		WithGPUs(slow, nil, nil)
	if len(r.GPUs) != 1 || r.GPUs[0].ActiveS != nil || r.GPUs[0].IdleStretch != nil || r.GPUs[0].Lane != nil ||
		r.GPUs[0].ReadS != 10 {
		t.Errorf("%+v", r.GPUs)
	}
}

// The longest stretch without a kernel is reported with its times; a missing reading ends it.
func TestIdleStretch(t *testing.T) {
	grid := series.Set{StartS: 5, StepS: 2}
	nan := series.Missing()
	for name, c := range map[string]struct {
		v    series.Values
		want *run.Interval
	}{
		"none":          {series.Values{1e9, 5e8, 2e7}, nil},
		"the longest":   {series.Values{0, 1e9, 0, 1e6, 0, 1e9, 0}, &run.Interval{StartS: 9, EndS: 15}},
		"to the end":    {series.Values{1e9, 0, 0}, &run.Interval{StartS: 7, EndS: 11}},
		"with a gap":    {series.Values{0, nan, 0, 0, nan, nan, nan}, &run.Interval{StartS: 9, EndS: 13}},
		"nothing known": {series.Values{nan, nan}, nil},
	} {
		if got := longestIdle(c.v, grid); (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// A lane is the part of each stretch in which some kernel ran, with its gaps, and of the
// lead node alone.
func TestLane(t *testing.T) {
	v := series.Values{}
	for i := range 2*laneBins + 1 {
		switch {
		case i < 6:
			v = append(v, series.Missing())
		case i < 9:
			v = append(v, 2e9) // more than there is time for: readings are late
		default:
			v = append(v, float32(i%3)*.3e9)
		}
	}
	slow := gpuSet(map[string]series.Values{"gpu0_kernel": v})
	slow.StartS = 7
	r := NodeRecord{Node: "n1"}.WithGPUs(slow, nil, nil)
	l := r.GPUs[0].Lane
	if l == nil || l.StartS != 7 || l.StepS != 3 || len(l.Busy) != 161 || !math.IsNaN(float64(l.Busy[1])) ||
		l.Busy[2] != 1 || l.Busy[3] != .3 || l.Busy[160] != 0 {
		t.Errorf("lane %+v", l)
	}
	other := r
	other.Node = "n2"
	s := Merge([]NodeRecord{r, other}, []string{"n1", "n2"})
	if lead := s.LeadNode; len(s.GPUs) != 2 || (s.GPUs[0].Lane == nil) != (lead != "n1") ||
		(s.GPUs[1].Lane == nil) != (lead != "n2") {
		t.Errorf("lead %s, GPUs %+v", lead, s.GPUs)
	}
	if err := s.Plausible(1e10); err != nil {
		t.Error(err)
	}
	l.Busy = make(series.Values, laneBins+1)
	s.GPUs[0].Lane = l
	if s.Plausible(1e10) == nil {
		t.Error("a lane of any length is believed")
	}
}

// A summary contains the GPUs of all nodes, names the nodes, and has no invalid numbers.
func TestGPUsOfAllNodes(t *testing.T) {
	j := 5.0
	a, b := NodeRecord{Node: "n1", GPUs: []GPU{{EnergyJ: &j}}},
		NodeRecord{Node: "n2", GPUs: []GPU{{}, {GPUDevice: run.GPUDevice{Index: 1}}}}
	s := Merge([]NodeRecord{a, b}, []string{"n1", "n2"})
	var got []string
	for _, g := range s.GPUs {
		got = append(got, g.Node)
	}
	if strings.Join(got, " ") != "n1 n2 n2" || *s.GPUs[0].EnergyJ != 5 || s.GPUs[2].Index != 1 {
		t.Errorf("GPUs %+v", s.GPUs)
	}
	for _, v := range []float64{-1, math.NaN(), 1e30} {
		s.GPUs[0].EnergyJ = &v
		if s.Plausible(1e10) == nil {
			t.Errorf("%g J are believed", v)
		}
	}
}

func TestIsGPUColumn(t *testing.T) {
	for name, want := range map[string]bool{"gpu0_energy": true, "gpu15_pcie_tx": true, "gpu_driver": false, "gpu0": false,
		"gpux_y": false, "gp": false} {
		if run.IsGPUColumn(name) != want {
			t.Error(name)
		}
	}
}

// Windows of utilization give what readings at times of their own give in the mean only;
// of a gap between them nothing is known.
func TestGPUOfWindows(t *testing.T) {
	var list []anatomy.Window
	for i := range 100 {
		end := 5 + .2*float64(i)
		if i >= 60 {
			end += 3 // a gap
		}
		mean := .25
		if i >= 20 && i < 30 || i >= 58 && i < 64 {
			mean = 0
		}
		list = append(list, anatomy.Window{EndS: end, Mean: mean})
	}
	slow := gpuSet(map[string]series.Values{"gpu0_kernel": flatRate(.69e9, 10)})
	counters := []run.Counter{{Name: "gpu0_energy", Scope: "job", Unit: "uJ", Total: 2000e6}}
	g := NodeRecord{Node: "n1", Counters: counters}.WithGPUs(slow, [][]anatomy.Window{list}, nil).GPUs[0]
	if math.Abs(*g.ActiveS-84*.2*.25) > 1e-6 || math.Abs(g.ReadS-20) > 1e-6 || math.Abs(*g.PowerW-100) > 1e-6 {
		t.Errorf("active %g s of %g s, %g W", *g.ActiveS, g.ReadS, *g.PowerW)
	}
	if i := g.IdleStretch; i == nil || math.Abs(i.StartS-8.8) > 1e-6 || math.Abs(i.EndS-10.8) > 1e-6 {
		t.Errorf("idle stretch %v", i)
	}
	if l := g.Lane; l.StepS != 1 || len(l.Busy) != 23 || l.Busy[0] != .25 || !math.IsNaN(float64(l.Busy[13])) ||
		l.Busy[5] != 0 {
		t.Errorf("lane %+v", l)
	}
	if few := utilizationOf(list[:leastWindows-1]); few.list != nil {
		t.Error("too few windows have a length")
	}
}
