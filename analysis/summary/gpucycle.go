package summary

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"jobgait/analysis/anatomy"
)

// GPUCycle is what a GPU did within the cycles that the CPUs show: no period is looked
// for in a GPU's own columns.
type GPUCycle struct {
	Pattern string  `json:"pattern"`
	Count   float64 `json:"count"` // cycles, of which parts may not have been read
	// IdleShare is the part of a cycle in which no kernel ran, by the driver's utilization,
	// which sees all of the time.
	IdleShare float64 `json:"idle_share"`
	// PowerW is the mean power in each part of the cycle, none for cycles too short for
	// readings of it. Idle is which part of each part was idle, none where that is not
	// known: where the driver's windows of utilization always fall on the same parts of
	// the cycle, and for cycles shorter than they are.
	PowerW []float64 `json:"power_w,omitempty"`
	Idle   []float64 `json:"idle,omitempty"`
}

// IdleWithin is which part of each part of a pattern's cycle the GPUs of a node are idle,
// in the mean; nil where that is not known.
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

// GPUGrowth is by how much columns of a node's profile grew, which is given their names; of
// a level it is the level times the time.
type GPUGrowth func(columns []string) iter.Seq[anatomy.Growth]

const (
	// Of fewer cycles, or of less time within them, nothing is reported. Of windows, which
	// miss nothing, less time is enough than of utilization that is read 7 times a second.
	leastFolded, leastFoldedS, leastWindowsS = 8.0, 20.0, 5.0
	// powerPeriodS is the shortest cycle of which the power is reported part by part: some
	// ten readings of 100 to 200 ms. kernelPeriodS is that for utilization, which may be that
	// of a second ago.
	powerPeriodS, kernelPeriodS = 1.95, 15.0
	// idlePower is up to which part of the power of the rest the idle part of a cycle
	// takes; above it the power does not tell when a GPU was idle.
	idlePower = 0.8
)

// cyclesOfGPUs adds what the GPUs did in the cycles of the main pattern, whose slots of
// stepS begin at startS.
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

// gpuCycleOf is nil where too little was read. Windows say how much of a cycle is idle, and
// when, also where it is short; else readings of the utilization say how much, and either
// these or the power when.
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

// powerWithin is the mean power in each part of the cycle, of readings of the power, else of
// the growth of the energy.
func powerWithin(f anatomy.Folded, energy, power int) (watts []float64, ok bool) {
	if watts, ok = perSecond(f, power, 1e3); ok {
		return watts, true
	}
	return perSecond(f, energy, 1e6)
}

// perSecond is how much a column grew a second, part by part; false unless all are known
// and it grew.
func perSecond(f anatomy.Folded, column int, scale float64) (out []float64, ok bool) {
	for bin, s := range f.Seconds[column] {
		if s <= 0 {
			return nil, false
		}
		out = append(out, math.Round(f.Grew[column][bin]/scale/s*1e3)/1e3)
	}
	return out, sumOf(f.Grew[column]) > 0
}

// idleByPower puts the idle share of a cycle where it took least power: the utilization
// says how much, the power when. nil where both parts take about as much.
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

func sumOf(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
}
