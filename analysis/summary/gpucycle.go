package summary

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"jobgait/analysis/anatomy"
)

// GPUCycle is the activity of a GPU within the cycles found on the CPUs: no period is searched in a GPU's own
// columns.
type GPUCycle struct {
	Pattern string  `json:"pattern"`
	Count   float64 `json:"count"` // cycles, of which parts may not have been read
	// IdleShare is the share of a cycle in which no kernel ran, by the driver's utilization, which covers all of
	// the time.
	IdleShare float64 `json:"idle_share"`
	// PowerW is the mean power in each bin of the cycle, nil for cycles too short for readings of it. Idle is the
	// idle share of each bin, nil if unknown: if the driver's windows of utilization always fall on the same parts
	// of the cycle, or are longer than it.
	PowerW []float64 `json:"power_w,omitempty"`
	Idle   []float64 `json:"idle,omitempty"`
}

// IdleWithin returns the mean idle share of the GPUs of a node in each bin of a pattern's cycle; nil if no
// GPU has a cycle, or one has the cycle of another pattern or no idle shares by bin.
func IdleWithin(gpus []GPU, node, pattern string) []float64 {
	sum, n := make([]float64, anatomy.Bins), 0.0
	for _, g := range gpus {
		if g.Node != node || g.Cycle == nil {
			continue
		}
		if len(g.Cycle.Idle) != len(sum) || g.Cycle.Pattern != pattern {
			return nil
		}
		for i, v := range g.Cycle.Idle {
			sum[i] += v
		}
		n++
	}
	if n == 0 {
		return nil
	}
	for i := range sum {
		sum[i] /= n
	}
	return sum
}

// GPUGrowth is a function that returns by how much the named columns of a node's profile grew; for a level, the
// level times the time.
type GPUGrowth func(columns []string) iter.Seq[anatomy.Growth]

const (
	// Least number of cycles, and least times within them in seconds, that are reported: for utilization read 7
	// times a second, and for windows, which cover all of the time.
	leastFolded, leastFoldedS, leastWindowsS = 8.0, 20.0, 5.0
	// powerPeriodS is the shortest cycle, in seconds, whose power is reported by bin: about ten readings of 100 to
	// 200 ms. kernelPeriodS is that for utilization, which may be a second old.
	powerPeriodS, kernelPeriodS = 1.95, 15.0
	// idlePower is the largest ratio of the power in the idle part of a cycle to that in the rest at which the
	// power shows when a GPU was idle.
	idlePower = 0.8
)

// cyclesOfGPUs sets the activity of the GPUs within the cycles of the main pattern, whose slots of stepS
// seconds begin at startS.
func (r *NodeRecord) cyclesOfGPUs(growth GPUGrowth, windows [][]anatomy.Window, cycles []anatomy.Cycles,
	startS, stepS float64) {
	if growth == nil || len(r.GPUs) == 0 || len(cycles) == 0 {
		return
	}
	var names []string
	for _, g := range r.GPUs {
		for _, what := range []string{"kernel", "energy", "power"} {
			names = append(names, gpuColumn(g.Index, what))
		}
	}
	f := anatomy.Fold(cycles[:1], len(names), growth(names))[0]
	for i, g := range r.GPUs {
		var u anatomy.Unmixed
		if g.Index < len(windows) {
			u = anatomy.Unmix(cycles[0], startS, stepS, windows[g.Index])
		}
		r.GPUs[i].Cycle = gpuCycleOf(f, u, 3*i, 3*i+1, 3*i+2)
	}
}

// gpuCycleOf returns the activity of a GPU within cycles, nil if too little was read. kernel, energy and power are the
// indexes of its columns in f, u is from its windows of utilization. Windows show how much of a cycle is idle, and
// when, even in a short one. Without them, readings of the utilization show how much, and they or the power show when.
func gpuCycleOf(f anatomy.Folded, u anatomy.Unmixed, kernel, energy, power int) *GPUCycle {
	c := GPUCycle{Pattern: f.Pattern}
	seconds, active := sumOf(f.Seconds[kernel]), sumOf(f.Grew[kernel])
	period := 0.0
	switch {
	case float64(u.Count) >= leastFolded && u.Seconds >= leastWindowsS:
		c.Count, c.IdleShare, period = float64(u.Count), 1-u.Mean, u.PeriodS
		for _, v := range u.Within {
			c.Idle = append(c.Idle, math.Round(1e3*(1-v))/1e3)
		}
	case f.Count >= leastFolded && seconds >= leastFoldedS:
		c.Count, c.IdleShare, period = f.Count, min(1, max(0, 1-active/1e9/seconds)), seconds/f.Count
	default:
		return nil
	}
	if watts, ok := powerWithin(f, energy, power); ok && period >= powerPeriodS {
		c.PowerW = watts
	}
	share, ok := perSecond(f, kernel, 1e9)
	switch {
	case c.Idle != nil:
	case c.PowerW != nil:
		c.Idle = idleByPower(c.PowerW, c.IdleShare)
	case ok && period >= kernelPeriodS:
		for _, v := range share {
			c.Idle = append(c.Idle, min(1, max(0, 1-v)))
		}
	}
	return &c
}

// powerWithin returns the mean power in watts in each bin of the cycle, from readings of the power, else from
// the growth of the energy.
func powerWithin(f anatomy.Folded, energy, power int) (watts []float64, ok bool) {
	if watts, ok = perSecond(f, power, 1e3); ok {
		return watts, true
	}
	return perSecond(f, energy, 1e6)
}

// perSecond returns by how much a column, divided by scale, grew per second in each bin; false unless all bins
// are known and it grew.
func perSecond(f anatomy.Folded, column int, scale float64) (out []float64, ok bool) {
	for bin, s := range f.Seconds[column] {
		if s <= 0 {
			return nil, false
		}
		out = append(out, math.Round(f.Grew[column][bin]/scale/s*1e3)/1e3)
	}
	return out, sumOf(f.Grew[column]) > 0
}

// idleByPower assigns the idle share of a cycle to the bins with the least power: the utilization shows how much, the
// power when. It returns nil if the idle part takes more than idlePower times the power of the rest, or if the cycle is
// idle throughout or never.
func idleByPower(watts []float64, share float64) []float64 {
	order := make([]int, len(watts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(watts[a], watts[b]) })
	idle := make([]float64, len(watts))
	left := share * float64(len(watts))
	low, high := 0.0, 0.0
	for _, i := range order {
		idle[i] = min(1, max(0, left))
		left--
		low, high = low+idle[i]*watts[i], high+(1-idle[i])*watts[i]
	}
	n := float64(len(watts))
	if share <= 0 || share >= 1 || low/(share*n) > idlePower*high/((1-share)*n) {
		return nil
	}
	return idle
}

// sumOf returns the sum of v.
func sumOf(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
}
