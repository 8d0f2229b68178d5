package summary

import (
	"fmt"
	"math"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// GPU describes the activity of one of the job's GPUs while it was read, as its driver reports it. nil means
// that a value could not be read.
type GPU struct {
	Node string `json:"node"`
	run.GPUDevice
	// ReadS is for how long it was read, in seconds: the time of the driver's windows of utilization, or without
	// them that of readings, to two seconds.
	ReadS   float64  `json:"read_s"`
	EnergyJ *float64 `json:"energy_j"`
	PowerW  *float64 `json:"power_w"` // mean
	// ActiveS is for how long any kernel ran, however little of the board it used; SlowedS for how long a power
	// cap or heat slowed it.
	ActiveS *float64 `json:"active_s"`
	SlowedS *float64 `json:"slowed_s"`
	// PowerCappedS and HeatSlowedS are the two reasons of SlowedS, the longer of both.
	PowerCappedS *float64 `json:"power_capped_s"`
	HeatSlowedS  *float64 `json:"heat_slowed_s"`
	// SM is the mean share of the multiprocessors that had work, Occupancy that of the
	// places for warps that were taken, Tensor and DRAM those of the time in which tensor
	// cores and memory worked: 0 to 1, of boards that count it (NVIDIA's from Hopper on).
	SM              *float64 `json:"sm"`
	Occupancy       *float64 `json:"occupancy"`
	Tensor          *float64 `json:"tensor"`
	DRAM            *float64 `json:"dram"`
	MemoryPeakBytes *float64 `json:"memory_peak_bytes"`
	ClockMHz        *float64 `json:"clock_mhz,omitempty"` // mean of the shaders', if the driver reports it
	// IdleStretch is the longest time in which no kernel ran.
	IdleStretch *run.Interval `json:"idle_stretch"`
	// Cycle is its activity within cycles; nil if none exists.
	Cycle *GPUCycle `json:"cycle"`
	// Lane is set for the summary's lead node only.
	Lane *GPULane `json:"lane,omitempty"`
}

// GPULane is the share of each of equal stretches of the run in which some kernel ran on a GPU; NaN for a
// stretch in which it was not read.
type GPULane struct {
	StartS float64       `json:"start_s"`
	StepS  float64       `json:"step_s"`
	Busy   series.Values `json:"busy"`
}

// laneBins is the most stretches of a lane.
const laneBins = 240

// mostGPUs is the most GPUs of a node that a record may have.
const mostGPUs = 64

// gpuColumn returns the name of a column of a GPU.
func gpuColumn(index int, what string) string { return fmt.Sprintf("gpu%d_%s", index, what) }

// WithGPUs returns the record with the activity of the job's GPUs, from its counters, the slowly read columns
// and the windows of each GPU's utilization; boards identifies the GPUs.
func (r NodeRecord) WithGPUs(slow series.Set, windows [][]anatomy.Window, boards []run.GPUDevice) NodeRecord {
	r.GPUs = nil
	for i := range mostGPUs {
		g := GPU{Node: r.Node, GPUDevice: run.GPUDevice{Index: i}}
		for _, b := range boards {
			if b.Index == i {
				g.GPUDevice = b
			}
		}
		var own utilization
		if i < len(windows) {
			own = utilizationOf(windows[i])
		}
		if g.setFromReadings(r.Counters, slow, own) {
			r.GPUs = append(r.GPUs, g)
		}
	}
	return r
}

// setFromReadings sets the activity of the GPU from counters, slow columns and windows; it returns false for a
// GPU that was not read.
func (g *GPU) setFromReadings(counters []run.Counter, slow series.Set, windows utilization) bool {
	column := func(what string) series.Values {
		c, _ := slow.Column(gpuColumn(g.Index, what))
		return afterFirstRise(c.Values)
	}
	energy, kernel, power := column("energy"), column("kernel"), column("power")
	for _, v := range []series.Values{energy, kernel, power} {
		g.ReadS = max(g.ReadS, float64(len(v)-missing(v))*slow.StepS)
	}
	if g.ReadS == 0 {
		return false
	}
	total := func(what string, scale float64) *float64 {
		for _, c := range counters {
			if c.Name == gpuColumn(g.Index, what) && c.Scope == "job" {
				v := c.Total / scale
				return &v
			}
		}
		return nil
	}
	g.EnergyJ, g.ActiveS = total("energy", 1e6), total("kernel", 1e9)
	g.PowerCappedS, g.HeatSlowedS = total("power_capped", 1e9), total("heat_slowed", 1e9)
	g.SlowedS = maxOptional(g.PowerCappedS, g.HeatSlowedS)
	if g.EnergyJ != nil && *g.EnergyJ <= 0 { // an unchanged counter does not mean 0
		g.EnergyJ = nil
	}
	if g.PowerW = meanOf(power, 1e3); g.PowerW == nil && g.EnergyJ != nil {
		g.PowerW = meanOf(energy, 1e6)
	}
	if len(windows.list) > 0 {
		g.fromWindows(windows)
	} else if c, ok := slow.Column(gpuColumn(g.Index, "kernel")); ok {
		if float64(len(kernel)-missing(kernel))*slow.StepS < leastRead*g.ReadS {
			g.ActiveS = nil // most of the time is unknown: the GPU was lost before its windows were read
		} else {
			g.IdleStretch = longestIdle(c.Values, slow)
			g.Lane = laneOf(c, slow)
		}
	}
	for what, to := range map[string]**float64{"sm": &g.SM, "occupancy": &g.Occupancy, "tensor": &g.Tensor,
		"dram": &g.DRAM} {
		if ns, all := total(what, 1e9), total("gpm", 1e9); ns != nil && all != nil && *all > 0 {
			share := min(1, *ns / *all)
			*to = &share
		}
	}
	g.ClockMHz = meanOf(column("clock"), 1)
	if peak := maximum(slow, gpuColumn(g.Index, "memory")); peak > 0 {
		g.MemoryPeakBytes = &peak
	}
	return true
}

// leastRead is the least part of the time for which a GPU was read that must have a utilization, so that its active
// time is known.
const leastRead = .5

// maxOptional returns the larger of two numbers; nil means unknown.
func maxOptional(a, b *float64) *float64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

// laneOf returns the lane of a GPU from its column of kernel time; nil without values.
func laneOf(c series.Column, slow series.Set) *GPULane {
	busy, per := means(c.Values, laneBins)
	if len(busy) == 0 {
		return nil
	}
	lane := &GPULane{StartS: slow.StartS, StepS: slow.StepS * float64(per)}
	for _, v := range busy { // NaN stays
		lane.Busy = append(lane.Busy, float32(math.Round(min(1, max(0, float64(v)/1e9))*1e3)/1e3))
	}
	return lane
}

// idleRate is the most kernel time, in ns, in a second that counts as idle: drivers round, and the reading that
// ends an idle stretch lies in it.
const idleRate = 0.01e9

// longestIdle returns the longest stretch in which no kernel ran; nil if one ran in every second that was read.
func longestIdle(v series.Values, grid series.Set) *run.Interval {
	first, last := 0, 0
	for i := 0; i < len(v); i++ {
		from := i
		for i < len(v) && v[i] <= idleRate { // NaN is not
			i++
		}
		if i-from > last-first {
			first, last = from, i
		}
	}
	if last == first {
		return nil
	}
	return &run.Interval{StartS: grid.StartS + float64(first)*grid.StepS, EndS: grid.StartS + float64(last)*grid.StepS}
}

// afterFirstRise returns a column from the sample after its first positive one: before the first reading it is
// 0, or missing. A column that was never positive is returned unchanged.
func afterFirstRise(v series.Values) series.Values {
	for i, x := range v {
		if x > 0 {
			return v[i+1:]
		}
	}
	return v
}

// missing returns the number of missing values.
func missing(v series.Values) (n int) {
	for _, x := range v {
		if math.IsNaN(float64(x)) {
			n++
		}
	}
	return n
}

// meanOf returns the mean of the values divided by scale, nil without values.
func meanOf(v series.Values, scale float64) *float64 {
	_, mean, _ := extent(v)
	if m := float64(mean) / scale; !math.IsNaN(m) {
		return &m
	}
	return nil
}

// gpusOf returns the GPUs of all nodes. Values by part of a cycle are kept for the given node only, beside whose code
// they are printed. Values over the run are kept for the lead node only, beside whose timeline they are drawn.
func gpusOf(records []NodeRecord, node, lead string) (all []GPU) {
	for _, r := range records {
		for _, g := range r.GPUs {
			g.Node = r.Node
			if r.Node != lead {
				g.Lane = nil
			}
			if g.Cycle != nil && r.Node != node {
				c := *g.Cycle
				c.PowerW, c.Idle = nil, nil
				g.Cycle = &c
			}
			all = append(all, g)
		}
	}
	return all
}
