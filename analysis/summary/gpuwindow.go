package summary

import (
	"math"
	"slices"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// utilization holds the windows of a GPU's utilization that a driver buffers, in time order, and the length of
// each in seconds.
type utilization struct {
	list   []anatomy.Window
	length []float64
}

// leastWindows is the least number of windows from which their length is determined.
const leastWindows = 5

// utilizationOf determines the length of each window: the time from the end of the previous window to its own end.
// The first window, and a window after a gap (more than 1.5 times the median of these times), gets the median
// instead, because nothing is known of the gap. For fewer than leastWindows windows the result is empty.
func utilizationOf(list []anatomy.Window) utilization {
	if len(list) < leastWindows {
		return utilization{}
	}
	var steps []float64
	for i := range list[1:] {
		steps = append(steps, list[i+1].EndS-list[i].EndS)
	}
	sorted := slices.Sorted(slices.Values(steps))
	usual := sorted[len(sorted)/2]
	u := utilization{list: list, length: []float64{usual}}
	for _, s := range steps {
		if s > 1.5*usual {
			s = usual
		}
		u.length = append(u.length, s)
	}
	return u
}

// fromWindows sets the values that windows give more exactly than readings: active, idle and read time, the lane and,
// if the energy is known, the mean power.
func (g *GPU) fromWindows(u utilization) {
	active, read := 0.0, 0.0
	for i, w := range u.list {
		active, read = active+w.Mean*u.length[i], read+u.length[i]
	}
	g.ActiveS, g.ReadS = &active, read
	g.IdleStretch, g.Lane = u.longestIdle(), u.lane()
	if g.EnergyJ != nil {
		watts := *g.EnergyJ / read
		g.PowerW = &watts
	}
}

// idleMean is the largest mean of a window that counts as idle: drivers round to 1 %.
const idleMean = 0.01

// longestIdle returns the longest stretch of consecutive windows in which no kernel ran; nil if one ran in
// every window.
func (u utilization) longestIdle() *run.Interval {
	var longest run.Interval
	begin := math.NaN()
	for i, w := range u.list {
		start := w.EndS - u.length[i]
		switch {
		case w.Mean > idleMean:
			begin = math.NaN()
			continue
		case math.IsNaN(begin) || i > 0 && start > u.list[i-1].EndS+u.length[i]/2:
			begin = start
		}
		if w.EndS-begin > longest.EndS-longest.StartS {
			longest = run.Interval{StartS: begin, EndS: w.EndS}
		}
	}
	if longest.EndS == longest.StartS {
		return nil
	}
	return &longest
}

// lane returns the share of each of equal stretches in which some kernel ran, at most laneBins stretches of at least a
// second. A stretch without a window is missing.
func (u utilization) lane() *GPULane {
	first, last := u.list[0].EndS-u.length[0], u.list[len(u.list)-1].EndS
	step := max((last-first)/laneBins, 1)
	n := min(laneBins, int(math.Ceil((last-first)/step)))
	active, seen := make([]float64, n), make([]float64, n)
	for i, w := range u.list {
		at := min(n-1, max(0, int((w.EndS-u.length[i]/2-first)/step)))
		active[at], seen[at] = active[at]+w.Mean*u.length[i], seen[at]+u.length[i]
	}
	lane := &GPULane{StartS: first, StepS: step}
	for i, s := range seen {
		v := series.Missing()
		if s > 0 {
			v = float32(math.Round(active[i]/s*1e3) / 1e3)
		}
		lane.Busy = append(lane.Busy, v)
	}
	return lane
}
